import { useState } from 'react';
import { timeText } from '../../parts/language.ts';
import { Badge } from '../../parts/screen.tsx';
import { useIsAdmin, useMayHelp } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { EntriesCard } from '../parts/entries.tsx';
import { CheckField } from '../parts/field.tsx';
import { useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { Authenticator, CertificateAuthenticator, OfPerson, Passkey } from '../types.ts';
import { useAuthenticators } from './password-action.tsx';
import { words as more } from './people/words.ts';

const { person: words } = texts;

export function PersonAuthenticators({ person }: OfPerson) {
  const isAdmin = useIsAdmin();
  const { isMfaEnabled } = person;
  const isHelper = useMayHelp(person);
  const path = `identities/${person.id}/passkeys`;
  const passkeys = useRead<readonly Passkey[]>(path);
  return (
    <EntriesCard
      id="authenticators"
      title={words.authenticators}
      query={useAuthenticators(person.id)}
      itemsOf={({ items }) => {
        const all = [...items, ...(passkeys.data ?? [])];
        return all.length === 0 && !isMfaEnabled ? [] : [...all, 'app' as const];
      }}
      keyOf={(one) => (one === 'app' ? one : one.id)}
      empty={[words.noAuthenticators]}
      kind="rows"
      entry={(one) =>
        one === 'app' ? (
          <div>
            <strong>{texts.app}</strong>{' '}
            <Badge kind={isMfaEnabled ? 'good' : 'plain'}>
              {isMfaEnabled ? words.appSet : words.appMissing}
            </Badge>
          </div>
        ) : isPasskey(one) ? (
          <PasskeyEntry of={one} isHelper={isHelper} person={person} />
        ) : (
          <>
            <div>{one.method === 'updb' ? <Password of={one} /> : <Certificate of={one} />}</div>
            {isAdmin && <AuthenticatorActions authenticator={one} />}
          </>
        )
      }
    />
  );
}

function Password({ of }: { of: Extract<Authenticator, { readonly method: 'updb' }> }) {
  return (
    <>
      <strong>{words.passwordOf(of.username)}</strong>{' '}
      {of.lockedUntil !== null && <Badge kind="bad">{words.lockedUntil(lockEnd(of.lockedUntil))}</Badge>}{' '}
      <span className="hint">{words.since(timeText(of.createdAt))}</span>
    </>
  );
}

function Certificate({ of }: { of: CertificateAuthenticator }) {
  const { certExpiresAt: end } = of;
  const hasEnded = end !== null && Date.parse(end) <= Date.now();
  return (
    <>
      <strong>{words.certificate}</strong> {hasEnded && <Badge kind="bad">{more.ended(timeText(end))}</Badge>}{' '}
      {of.isExtendRequested && <Badge>{more.replaceAsked}</Badge>}{' '}
      <span className="hint">
        {words.since(timeText(of.createdAt))}
        {end !== null && !hasEnded && `, ${more.endsAt(timeText(end))}`}
      </span>
      <span className="hint block">
        {words.fingerprint} <code>{of.fingerprint}</code>
      </span>
    </>
  );
}

function isPasskey(one: Authenticator | Passkey): one is Passkey {
  return 'rpId' in one;
}

function PasskeyEntry({
  of,
  isHelper,
  person,
}: OfPerson & { readonly of: Passkey; readonly isHelper: boolean }) {
  const { id, name, createdAt, lastUsedAt, isBackedUp, clonedAt } = of;
  const path = `identities/${person.id}/passkeys/${id}`;
  return (
    <>
      <div>
        <strong>{more.passkeyOf(name)}</strong>{' '}
        {clonedAt !== null && <Badge kind="bad">{more.passkeyCloned(timeText(clonedAt))}</Badge>}{' '}
        <span className="hint">
          {words.since(timeText(createdAt))}
          {lastUsedAt !== null && `, ${more.passkeyUsed(timeText(lastUsedAt))}`}
        </span>
        <span className="hint block">{isBackedUp ? more.passkeySynced : more.passkeyOfDevice}</span>
      </div>
      {isHelper && (
        <div className="buttons">
          <Confirm
            id={`remove-${id}`}
            label={more.remove}
            title={more.removePasskey(name, person.name)}
            ends={more.removeEnds}
            change={() => ({ method: 'DELETE', path })}
            command={['identity', 'passkeys', person.id, '--remove', id]}
            done={more.removed}
          />
        </div>
      )}
    </>
  );
}

/** A lock without an end is one that ends in many years. */
export function lockEnd(until: string): string {
  const isFarAway = Date.parse(until) > Date.now() + 366 * 86_400_000;
  return isFarAway ? words.forGood : timeText(until);
}

interface Props {
  readonly authenticator: Authenticator;
}

/** An administrator's actions on an authenticator. */
export function AuthenticatorActions({ authenticator }: Props) {
  const { id, method, identity } = authenticator;
  return (
    <div className="buttons">
      {method === 'cert' && <AskForReplacement authenticator={authenticator} />}
      <Confirm
        id={`remove-${id}`}
        label={more.remove}
        title={(method === 'cert' ? more.removeCertificate : more.removePassword)(identity.name)}
        ends={more.removeEnds}
        change={() => ({ method: 'DELETE', path: `authenticators/${id}` })}
        command={['delete', 'authenticator', id]}
        done={more.removed}
      />
    </div>
  );
}

function AskForReplacement({ authenticator: { id } }: Props) {
  const [rollKeys, setRollKeys] = useState(false);
  return (
    <Confirm
      id={`replace-${id}`}
      label={more.replace}
      title={more.replaceTitle}
      ends={more.replaceEnds}
      fields={
        <CheckField id={`replace-${id}-roll`} label={more.rollKeys} isOn={rollKeys} set={setRollKeys} />
      }
      change={() => ({ method: 'POST', path: `authenticators/${id}/request-extend`, body: { rollKeys } })}
      command={null}
      done={more.replaceDone}
    />
  );
}
