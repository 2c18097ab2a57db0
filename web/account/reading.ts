// Queries that several parts share.

import { useQuery } from '@tanstack/react-query';
import { api } from './session.ts';

export function useIdentity() {
  return useQuery({
    queryKey: ['identity'],
    queryFn: async ({ signal }) => (await api.GET('/current-identity', { signal })).data.data,
  });
}

export function useAuthenticators() {
  return useQuery({
    queryKey: ['authenticators'],
    queryFn: async ({ signal }) => (await api.GET('/current-identity/authenticators', { signal })).data.data,
  });
}

export function usePasskeys() {
  return useQuery({
    queryKey: ['passkeys'],
    queryFn: async ({ signal }) => (await api.GET('/current-identity/passkeys', { signal })).data.data,
  });
}
