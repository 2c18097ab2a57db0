import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Card } from '../../../parts/screen.tsx';
import { Checks } from '../../parts/checks.tsx';
import { Failure } from '../../parts/failure.tsx';
import { type Change, make } from '../../session/api.ts';
import { named, texts } from '../../texts/texts.ts';
import type { TriedToken } from '../../types.ts';
import { decodedJwt } from './decoded-jwt.ts';
import { words } from './words.ts';

/** Says of a token whom it would sign in, and if nobody, why. */
export function TryToken({ id }: { readonly id: string }) {
  const [token, setToken] = useState('');
  const trying = useMutation({
    mutationFn: (change: Change) => make<TriedToken>(change),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (trying.isPending) return;
    trying.mutate({
      method: 'POST',
      path: `external-jwt-signers/${id}/verify`,
      body: { token: token.trim() },
    });
  };
  return (
    <Card id="try" title={words.try}>
      <p className="hint">{words.tryText}</p>
      <form onSubmit={submit}>
        <div className="field">
          <label htmlFor="token">{words.token}</label>
          <textarea
            id="token"
            required
            rows={3}
            spellCheck={false}
            autoComplete="off"
            value={token}
            onChange={(event) => {
              setToken(event.target.value);
              trying.reset();
            }}
          />
        </div>
        <p className="buttons">
          <Button id="check-token" type="submit" isBusy={trying.isPending}>
            {words.check}
          </Button>
        </p>
      </form>
      <p className="hint">
        {words.trySignIn}{' '}
        <Link to="/attempts" search={{ step: 'ext-jwt' }}>
          {words.attempts}
        </Link>
      </p>
      {trying.error !== null && <Failure error={trying.error} />}
      {trying.data !== undefined && (
        <>
          <Verdict tried={trying.data} />
          <Decoded token={token} />
        </>
      )}
    </Card>
  );
}

function Verdict({ tried }: { readonly tried: TriedToken }) {
  const { isAccepted, use, reason, identity, claim, checks, explanation } = tried;
  const person = identity !== null && (
    <Link to="/people/$id" params={{ id: identity.id }}>
      {identity.name}
    </Link>
  );
  return (
    <div role="status" id="verdict">
      <p className={`answer ${isAccepted ? 'good' : 'bad'}`}>
        {isAccepted ? (
          <>
            {use === 'secondary' ? words.secondFor : words.acceptedFor} {person}
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
      {explanation !== null && (
        <dl>
          <div>
            <dt>{texts.attempts.happened}</dt>
            <dd lang="en">{explanation.happened}</dd>
          </div>
          <div>
            <dt>{texts.attempts.remedy}</dt>
            <dd lang="en">{explanation.remedy}</dd>
          </div>
        </dl>
      )}
      <h3>{words.checks}</h3>
      <Checks checks={checks.map(({ check: name, ...rest }) => ({ name, ...rest }))} />
    </div>
  );
}

function Decoded({ token }: { readonly token: string }) {
  const decoded = decodedJwt(token);
  return (
    <div id="decoded">
      <h3>{words.decoded}</h3>
      {decoded === null ? (
        <p>{words.unreadable}</p>
      ) : (
        <>
          <p className="hint">{words.decodedText}</p>
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
