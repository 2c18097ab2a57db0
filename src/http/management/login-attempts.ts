import {
  explanationOf,
  findLoginAttempts,
  listLoginAttempts,
  type ReadAttemptsNeeds,
} from '../../explain/read-attempts.ts';
import { loginAttemptListFields } from '../../model/list-fields.ts';
import type { ListedAttempt } from '../../store/contracts/login-attempts.ts';
import type { Route } from '../routes.ts';
import { entityRef, wireTime } from '../wire.ts';
import { mapPage } from './map-page.ts';
import { resourceRoutes } from './resource.ts';

/** `/login-attempts`: what was decided and why. In place of an id stands the reference id that the answer showed. */
export function loginAttemptRoutes(needs: ReadAttemptsNeeds): readonly Route[] {
  return resourceRoutes({
    collection: 'login-attempts',
    listFields: loginAttemptListFields,
    list: async (query) => mapPage(await listLoginAttempts(needs, query), loginAttemptDocument),
    async get(reference) {
      const attempts = await findLoginAttempts(needs, reference);
      return { reference: attempts[0]?.reference, attempts: attempts.map(loginAttemptDocument) };
    },
  });
}

function loginAttemptDocument(attempt: ListedAttempt): object {
  const { identityId, identityName, at, ...rest } = attempt;
  return {
    ...rest,
    at: wireTime(at),
    identityId,
    identity: identityId === null ? null : entityRef('identities', identityId, identityName ?? ''),
    explanation: explanationOf(attempt),
  };
}
