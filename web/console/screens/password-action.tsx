import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { type Change, list } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Authenticator, IdentityDetail } from '../types.ts';

const { person: words } = texts;

/** Changes somebody's password, or gives them one if they have none. */
export function PasswordAction({
  person,
  refresh,
}: {
  readonly person: IdentityDetail;
  readonly refresh: () => unknown;
}) {
  const authenticators = useQuery(authenticatorsOf(person.id));
  const current = authenticators.data?.items.find(({ method }) => method === 'updb');
  const [username, setUsername] = useState(person.name);
  const [password, setPassword] = useState('');
  if (authenticators.data === undefined) return null;
  const changeTo = (secret: string): Change =>
    current === undefined
      ? {
          method: 'POST',
          path: 'authenticators',
          body: { method: 'updb', identityId: person.id, username, password: secret },
        }
      : { method: 'PATCH', path: `authenticators/${current.id}`, body: { password: secret } };
  return (
    <Confirm
      id="set-password"
      label={words.setPassword}
      title={words.setPasswordTitle(person.name)}
      ends={current === undefined ? '' : words.setPasswordEnds}
      fields={
        <>
          {current === undefined && (
            <div className="field">
              <label htmlFor="new-username">{words.username}</label>
              <input
                id="new-username"
                required
                autoComplete="off"
                value={username}
                onChange={(event) => setUsername(event.target.value)}
              />
            </div>
          )}
          <div className="field">
            <label htmlFor="new-password">{words.newPassword}</label>
            <input
              id="new-password"
              type="password"
              required
              autoComplete="new-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          </div>
        </>
      }
      change={() => changeTo(password)}
      shown={() => changeTo('…')}
      command={['identity', 'set-password', person.id]}
      done={words.done.setPassword}
      whenDone={() => {
        setPassword('');
        return refresh();
      }}
    />
  );
}

export function authenticatorsOf(id: string) {
  return {
    queryKey: ['person', id, 'authenticators'],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      list<Authenticator>(`identities/${id}/authenticators`, { limit: 100 }, signal),
  };
}
