import { AuthError } from '../errors/auth-error.ts';
import type { Account } from '../model/account.ts';
import type { Identity } from '../model/entities/identity.ts';
import { claimsOfScope, type MappedClaim, type OidcClient } from '../model/entities/oidc-client.ts';
import type { Principal } from '../model/principal.ts';
import type { OidcServices } from './services.ts';

/** Answer of the userinfo endpoint (OIDC Core 5.3.2). Wire names. */
export interface UserInfo {
  readonly sub: string;
  readonly name?: string;
  /** The user name, if the identity has one. */
  readonly preferred_username?: string;
  readonly email?: string;
  /** Of the identity's address. It is not known who entered the address as a tag. */
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

/** Where claims come from unless the client's mapping says otherwise. */
const defaultClaims: Readonly<Record<MappedClaim, string>> = {
  name: 'name',
  preferred_username: 'username',
  email: 'email',
  groups: 'roleAttributes',
};

/**
 * Claims about the caller: name and user name for the built-in clients, and for a registered one those of the token's
 * scopes that the client still has, by the mapping of the client.
 * @throws AuthError insufficient_scope   the token lacks `openid`
 * @throws AuthError unauthorized         the identity was disabled meanwhile
 */
export async function userInfo(needs: OidcServices, principal: Principal): Promise<UserInfo> {
  if (!principal.scopes.includes('openid')) throw new AuthError('insufficient_scope');
  const { identity, password } = principal.account;
  const { id: sub, name } = identity;
  const registered = needs.clients.find(principal.clientId)?.registered ?? null;
  if (registered === null)
    return { sub, name, ...(password === null ? {} : { preferred_username: password.username }) };
  const account = await needs.view.accounts.find(sub, needs.clock.now());
  if (account === null)
    throw new AuthError('unauthorized', { detail: 'the identity was disabled meanwhile' });
  const scopes = principal.scopes.filter((scope) => registered.scopes.includes(scope));
  return { sub, ...mappedClaims(account, registered.claims, scopes) };
}

function mappedClaims(
  { identity, password }: Account,
  mapping: OidcClient['claims'],
  scopes: readonly string[],
): Omit<UserInfo, 'sub'> {
  const wanted = Object.entries(claimsOfScope).flatMap(([scope, claims]): readonly MappedClaim[] =>
    scopes.includes(scope) ? claims : [],
  );
  const values: Partial<Record<MappedClaim, string | readonly string[]>> = {};
  for (const claim of wanted) {
    const source = mapping[claim] ?? defaultClaims[claim];
    const value = source === 'username' ? password?.username : claimOf(identity, source);
    const shaped = claim === 'groups' ? asList(value) : asText(value);
    if (shaped !== undefined) values[claim] = shaped;
  }
  const isOfField = values.email !== undefined && values.email === identity.email;
  return { ...values, ...(isOfField && { email_verified: identity.emailVerified }) } as Omit<UserInfo, 'sub'>;
}

type Found = string | readonly string[] | undefined;

function claimOf(identity: Identity, source: string): Found {
  if (source === 'name') return identity.name;
  if (source === 'externalId') return identity.externalId ?? undefined;
  // Before identities had an address, a tag had it.
  if (source === 'email') return identity.email ?? claimOf(identity, 'tags.email');
  if (source === 'roleAttributes') return identity.roleAttributes;
  const tag = source.slice('tags.'.length);
  const value = Object.hasOwn(identity.tags, tag) ? identity.tags[tag] : undefined;
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

function asText(value: Found): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value[0];
}

function asList(value: Found): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value;
}
