import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Card } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { list } from '../session/api.ts';
import { words } from './overview-words.ts';

const ways = [
  ['invite', '/people/new'],
  ['connect', '/signers/new'],
  ['register', '/clients/new'],
] as const;

/** Where to begin, shown to administrators until somebody has begun. */
export function GettingStarted() {
  const isAdmin = useIsAdmin();
  const { data: isUntouched = false } = useQuery({
    queryKey: ['list', 'getting started'],
    queryFn: ({ signal }) => findUntouched(signal),
    enabled: isAdmin,
    // Somebody else may have begun meanwhile.
    staleTime: 0,
  });
  if (!isUntouched) return null;
  return (
    <Card id="begin" title={words.begin}>
      <ul className="entries">
        {ways.map(([way, to]) => (
          <li key={way}>
            <Link to={to} id={`begin-${way}`}>
              {words.beginWays[way][0]}
            </Link>
            <span className="hint">{words.beginWays[way][1]}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Whether there is only the first administrator, no signer and no application. */
async function findUntouched(signal: AbortSignal): Promise<boolean> {
  for (const [path, begins] of [
    ['identities', 1],
    ['external-jwt-signers', 0],
    ['oidc-clients', 0],
  ] as const) {
    if ((await list(path, { limit: 1 }, signal)).total > begins) return false;
  }
  return true;
}
