import { useState } from 'react';
import { Confirm } from '../parts/confirm.tsx';
import { InputField } from '../parts/field.tsx';
import { refresh, useList } from '../queries.ts';
import type { Change } from '../session/api.ts';
import { fieldWords } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import type { Authenticator, OfPerson } from '../types.ts';

const { person: words } = texts;
const { labels } = fieldWords('authenticator');

/** Changes a person's password, or sets one if they have none. */
export function PasswordAction({ person }: OfPerson) {
  const authenticators = useAuthenticators(person.id);
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
            <InputField
              id="new-username"
              label={labels.username ?? ''}
              required
              autoComplete="off"
              value={username}
              set={setUsername}
            />
          )}
          <InputField
            id="new-password"
            label={texts.newPassword}
            type="password"
            required
            autoComplete="new-password"
            value={password}
            set={setPassword}
          />
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

export function useAuthenticators(id: string) {
  return useList<Authenticator>(`identities/${id}/authenticators`, { limit: 100 });
}
