import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeText } from '../../parts/language.ts';
import { Badge, Card, Empty } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { notAfter } from '../parts/certificate.ts';
import { Loaded } from '../parts/loaded.tsx';
import { texts } from '../texts/texts.ts';
import type { Authenticator, IdentityDetail } from '../types.ts';
import { authenticatorsOf } from './password-action.tsx';
import { AuthenticatorActions } from './people/authenticator-actions.tsx';
import { words as more } from './people/words.ts';

const { person: words } = texts;

export function PersonAuthenticators({
  person,
  refresh,
}: {
  readonly person: IdentityDetail;
  readonly refresh: () => unknown;
}) {
  const isAdmin = useIsAdmin();
  const query = useQuery(authenticatorsOf(person.id));
  return (
    <Card id="authenticators" title={words.authenticators}>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 && !person.isMfaEnabled ? (
            <Empty title={words.noAuthenticators} />
          ) : (
            <ul className="entries">
              {items.map((one) => (
                <Entry
                  key={one.id}
                  authenticator={one}
                  actions={isAdmin ? <AuthenticatorActions authenticator={one} refresh={refresh} /> : null}
                />
              ))}
              <li>
                <strong>{texts.app}</strong>{' '}
                <Badge kind={person.isMfaEnabled ? 'good' : 'plain'}>
                  {person.isMfaEnabled ? words.appSet : words.appMissing}
                </Badge>
              </li>
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Entry({
  authenticator,
  actions,
}: {
  readonly authenticator: Authenticator;
  readonly actions: ReactNode;
}) {
  return (
    <li className="session">
      <div>
        {authenticator.method === 'updb' ? (
          <Password of={authenticator} />
        ) : (
          <Certificate of={authenticator} />
        )}
      </div>
      {actions}
    </li>
  );
}

function Password({ of }: { readonly of: Extract<Authenticator, { readonly method: 'updb' }> }) {
  return (
    <>
      <strong>{words.passwordOf(of.username)}</strong>{' '}
      {of.lockedUntil !== null && <Badge kind="bad">{words.lockedUntil(lockEnd(of.lockedUntil))}</Badge>}{' '}
      <span className="hint">{words.since(timeText(of.createdAt))}</span>
    </>
  );
}

function Certificate({ of }: { readonly of: Extract<Authenticator, { readonly method: 'cert' }> }) {
  const end = notAfter(of.certPem);
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

/** A lock without an end is one that ends in many years. */
export function lockEnd(until: string): string {
  const isFarAway = Date.parse(until) > Date.now() + 366 * 86_400_000;
  return isFarAway ? words.forGood : timeText(until);
}
