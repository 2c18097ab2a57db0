import { type FormEvent, useEffect, useRef, useState } from 'react';
import { identityEntity } from '../../../../src/model/entities/identity.ts';
import { useAction } from '../../../parts/action.ts';
import { named } from '../../../parts/language.ts';
import { Button, Card, Facts } from '../../../parts/screen.tsx';
import { factsOf, PersonLink } from '../../lists/columns.tsx';
import { Checks, Explanation } from '../../parts/checks.tsx';
import { Failure } from '../../parts/failure.tsx';
import { InputField } from '../../parts/field.tsx';
import { type Change, make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { Signer, TestedSigner, TriedToken } from '../../types.ts';
import { testBySignIn } from './test-window.ts';
import { words } from './words.ts';

/** Says which person a token would sign in, or why none: a new token from the provider, or a pasted one. */
export function TryToken({ signer }: { signer: Signer }) {
  const { id, externalAuthUrl, clientId } = signer;
  const [tested, setTested] = useState<TestedSigner | null>(null);
  const [token, setToken] = useState('');
  const trying = useAction({ mutationFn: (change: Change) => make<TriedToken>(change) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (trying.isRunning()) return;
    setTested(null);
    trying.mutate({
      method: 'POST',
      path: `external-jwt-signers/${id}/verify`,
      body: { token: token.trim() },
    });
  };
  return (
    <Card id="try" title={words.try}>
      {externalAuthUrl === null || clientId === null ? (
        <p className="hint">{words.noSignIn}</p>
      ) : (
        <>
          <p className="hint">{words.signInText}</p>
          <TrySignIn
            id={id}
            done={(now) => {
              setTested(now);
              setToken('');
              trying.reset();
            }}
          />
        </>
      )}
      {tested !== null && (
        <Outcome
          tried={tested}
          decoded={
            tested.token && { header: shown(tested.token.header), payload: shown(tested.token.claims) }
          }
        />
      )}
      <details>
        <summary>{words.paste}</summary>
        <p className="hint">{words.tryText}</p>
        <form onSubmit={submit}>
          <InputField
            id="token"
            label={words.token}
            required
            rows={3}
            spellCheck={false}
            autoComplete="off"
            value={token}
            set={(text) => {
              setToken(text);
              trying.reset();
            }}
          />
          <p className="buttons">
            <Button id="check-token" type="submit" isBusy={trying.isPending}>
              {words.check}
            </Button>
          </p>
        </form>
        {trying.error !== null && <Failure error={trying.error} />}
        {trying.data !== undefined && <Outcome tried={trying.data} decoded={decodedJwt(token)} />}
      </details>
    </Card>
  );
}

interface Parts {
  readonly header: string;
  readonly payload: string;
}

/** The parts of a JWT for people to read; null for other text. Nothing is verified. */
function decodedJwt(token: string): Parts | null {
  const [header = '', payload = '', ...rest] = token.trim().split('.');
  if (rest.length !== 1) return null;
  try {
    return { header: shown(JSON.parse(textOf(header))), payload: shown(JSON.parse(textOf(payload))) };
  } catch {
    return null;
  }
}

function textOf(base64url: string): string {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

function shown(part: unknown): string {
  return JSON.stringify(part, null, 2);
}

function Outcome({ tried, decoded }: { tried: TriedToken; decoded: Parts | null }) {
  const gaveNone = tried.reason === 'provider-refused' || tried.reason === 'provider-unavailable';
  return (
    <>
      <Verdict tried={tried} />
      {!gaveNone && <Contents decoded={decoded} isVerified={isVerified(tried)} />}
    </>
  );
}

/** Whether the signer accepts the token, whomever it names: its signature and its claims are valid. */
function isVerified({ checks }: TriedToken): boolean {
  return checks.some(({ check, verdict }) => check === 'token' && verdict === 'passed');
}

function Verdict({ tried }: { tried: TriedToken }) {
  const { isAccepted, use, reason, identity, creates, claim, checks, explanation } = tried;
  const person = identity !== null && <PersonLink of={identity} />;
  return (
    <div role="status" id="verdict">
      <p className={`answer ${isAccepted ? 'good' : 'bad'}`}>
        {isAccepted ? (
          <>
            {use === 'secondary' ? words.secondFor : words.acceptedFor} {creates?.name ?? person}
          </>
        ) : (
          <>
            {words.refused} {reason === null ? '' : named(texts.reasons, reason)}
          </>
        )}
      </p>
      {!isAccepted && claim !== null && (
        <p>
          {words.named} <code>{claim}</code>. {person === false ? words.noPerson : person}
        </p>
      )}
      {creates !== null && (
        <section id="creates">
          <p>{words.wouldCreate}</p>
          <Facts
            facts={factsOf(identityEntity, creates, [
              'name',
              ...Object.keys(creates).filter((name) => name !== 'name'),
            ])}
          />
        </section>
      )}
      <Explanation explanation={explanation} />
      <h3>{texts.person.checks}</h3>
      <Checks checks={checks} />
    </div>
  );
}

function Contents({ decoded, isVerified }: { decoded: Parts | null; isVerified: boolean }) {
  return (
    <div id="decoded">
      <h3>{words.decoded}</h3>
      {decoded === null ? (
        <p>{words.unreadable}</p>
      ) : (
        <>
          <p className="hint">{isVerified ? words.verifiedText : words.decodedText}</p>
          {(['header', 'payload'] as const).map((part) => (
            <figure key={part}>
              <figcaption>{words[part]}</figcaption>
              <pre>{decoded[part]}</pre>
            </figure>
          ))}
        </>
      )}
    </div>
  );
}

type State = { readonly kind: 'idle' | 'waiting' } | { readonly kind: 'failed'; readonly error: unknown };

/** A sign-in at the provider in a separate window. Its token is judged, and opens no session. */
function TrySignIn({
  id,
  done,
}: {
  id: string;
  /** Null when a test begins: the result on the screen belongs to another one. */
  done: (tested: TestedSigner | null) => void;
}) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const waiting = useRef<AbortController | null>(null);
  useEffect(() => () => waiting.current?.abort(), []);
  const giveUp = () => {
    waiting.current?.abort();
    setState({ kind: 'idle' });
  };
  const begin = () => {
    waiting.current?.abort();
    const own = new AbortController();
    waiting.current = own;
    done(null);
    setState({ kind: 'waiting' });
    testBySignIn(id, own.signal).then(
      (tested) => {
        if (own.signal.aborted) return;
        setState({ kind: 'idle' });
        done(tested);
      },
      (error) => {
        if (!own.signal.aborted) setState({ kind: 'failed', error });
      },
    );
  };
  return (
    <>
      <p className="buttons">
        <Button id="test-sign-in" onClick={begin}>
          {words.signInThere}
        </Button>
        {state.kind === 'waiting' && (
          <Button id="give-up" onClick={giveUp}>
            {words.giveUp}
          </Button>
        )}
      </p>
      <p role="status" id="test-status">
        {state.kind === 'waiting' ? words.waiting : ''}
      </p>
      {state.kind === 'failed' && <Failure error={state.error} />}
    </>
  );
}
