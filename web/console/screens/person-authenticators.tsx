import { useQuery } from '@tanstack/react-query';
import { Badge, Card, Empty } from '../../parts/screen.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { texts, timeText } from '../texts/texts.ts';
import type { Authenticator, IdentityDetail } from '../types.ts';
import { authenticatorsOf } from './password-action.tsx';
import { lockEnd } from './person.tsx';

const { person: words } = texts;

export function PersonAuthenticators({ person }: { readonly person: IdentityDetail }) {
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
                <Entry key={one.id} authenticator={one} />
              ))}
              <li>
                <strong>{words.app}</strong>{' '}
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

function Entry({ authenticator }: { readonly authenticator: Authenticator }) {
  const isPassword = authenticator.method === 'updb';
  return (
    <li>
      <strong>{isPassword ? words.passwordOf(authenticator.username) : words.certificate}</strong>{' '}
      {isPassword && authenticator.lockedUntil !== null && (
        <Badge kind="bad">{words.lockedPassword(lockEnd(authenticator.lockedUntil))}</Badge>
      )}
      {!isPassword && (
        <span className="hint">
          {words.fingerprint} <code>{authenticator.fingerprint}</code>
        </span>
      )}
      <span className="hint">{words.since(timeText(authenticator.createdAt))}</span>
    </li>
  );
}
