import type { AuthPolicy, authPolicyEntity } from '../../model/entities/auth-policy.ts';
import type { EntityStore } from './entities.ts';

/**
 * A change adds a change-feed entry, so that it applies everywhere at the next call. `update` changes single members, so
 * that of two simultaneous changes neither undoes the other, and throws NoAdministratorLeft, as `create` does. Both assign
 * policies again if `assignTo` or the order by name may have changed. `delete` says `referenced`, and deletes nothing,
 * when identities have the policy or a signer enrolls with it.
 */
export interface AuthPolicyStore
  extends EntityStore<typeof authPolicyEntity, 'deleted' | 'referenced' | 'unknown'> {
  /** The policies that are assigned to role attributes. */
  listAssigning(): Promise<readonly AuthPolicy[]>;
}
