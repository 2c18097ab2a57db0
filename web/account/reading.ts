import { type QueryKey, useQuery } from '@tanstack/react-query';
import { api } from './session.ts';

/** The answer of a call of the client API. */
export function useReading<Found>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<{ readonly data: { readonly data: Found } }>,
) {
  return useQuery({ queryKey, queryFn: async ({ signal }) => (await read(signal)).data.data });
}

// Queries that several parts share.

export function useIdentity() {
  return useReading(['identity'], (signal) => api.GET('/current-identity', { signal }));
}

export function useAuthenticators() {
  return useReading(['authenticators'], (signal) => api.GET('/current-identity/authenticators', { signal }));
}

export function useApplications() {
  return useReading(['applications'], (signal) => api.GET('/current-identity/applications', { signal }));
}

export function usePasskeys() {
  return useReading(['passkeys'], (signal) => api.GET('/current-identity/passkeys', { signal }));
}
