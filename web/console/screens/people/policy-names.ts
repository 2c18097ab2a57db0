import { useQuery } from '@tanstack/react-query';
import { list } from '../../session/api.ts';
import type { AuthPolicy } from '../../types.ts';

/** Names of auth policies by id; empty until they are loaded. */
export function usePolicyNames(): Readonly<Record<string, string>> {
  const policies = useQuery({
    queryKey: ['policies', 'names'],
    queryFn: ({ signal }) => list<AuthPolicy>('auth-policies', { limit: 500, sort: 'name asc' }, signal),
  });
  return Object.fromEntries((policies.data?.items ?? []).map(({ id, name }) => [id, name]));
}
