import { Link } from '@tanstack/react-router';
import { EntriesCard } from '../parts/entries.tsx';
import { useRead } from '../queries.ts';
import type { AdministratorNamers as Found } from '../types.ts';
import { words } from './overview-words.ts';

/** The signers and CAs whose operators can sign in as an administrator. */
export function AdministratorNamers() {
  // A signer that was made or disabled a moment ago shows here at once.
  const query = useRead<Found>(['administrators', 'named by'], 'administrators/named-by', { staleTime: 0 });
  return (
    <EntriesCard
      id="namers"
      title={words.namers}
      lead={words.namersText}
      query={query}
      itemsOf={({ namedBy }) => namedBy}
      keyOf={({ issuer }) => issuer.id}
      empty={[words.namersNone]}
      entry={({ issuer: { entity, id, name }, administrators }) => (
        <>
          <Link to={entity === 'cas' ? '/cas/$id' : '/signers/$id'} params={{ id }}>
            {name}
          </Link>
          <span className="hint">{words.namersOf(administrators.map((one) => one.name).join(', '))}</span>
        </>
      )}
    />
  );
}
