import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Card, Empty } from '../../parts/screen.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { read } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AdministratorNamers as Found } from '../types.ts';

const { overview: words } = texts;

/** The signers and CAs whose operators can sign in as an administrator. */
export function AdministratorNamers() {
  const query = useQuery({
    queryKey: ['administrators', 'named by'],
    queryFn: ({ signal }) => read<Found>('administrators/named-by', signal),
    // A signer that was made or disabled a moment ago shows here at once.
    staleTime: 0,
  });
  return (
    <Card id="namers" title={words.namers}>
      <p className="hint">{words.namersText}</p>
      <Loaded query={query}>
        {({ namedBy }) =>
          namedBy.length === 0 ? (
            <Empty title={words.namersNone} />
          ) : (
            <ul className="entries">
              {namedBy.map(({ issuer: { entity, id, name }, administrators }) => (
                <li key={id}>
                  <Link to={entity === 'cas' ? '/cas/$id' : '/signers/$id'} params={{ id }}>
                    {name}
                  </Link>
                  <span className="hint">
                    {words.namersOf(administrators.map((one) => one.name).join(', '))}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
