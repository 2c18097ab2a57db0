/** Wire names of the fields with unique columns. */
const fields: Readonly<Record<string, string>> = {
  'identities.name': 'name',
  'identities.external_id': 'externalId',
  'authenticators.username_key': 'username',
  'authenticators.identity_id': 'method',
  'authenticators.thumbprint': 'certPem',
  'auth_policies.name': 'name',
  'enrollments.identity_id': 'method',
  'cas.name': 'name',
  'cas.thumbprint': 'certPem',
  'config_types.id': 'id',
  'config_types.name': 'name',
  'oidc_clients.id': 'id',
  'oidc_clients.name': 'name',
  'event_subscriptions.name': 'name',
  'external_jwt_signers.name': 'name',
  // Unique together with the audience; the issuer alone need not be.
  'external_jwt_signers.issuer': 'audience',
};

/**
 * The field behind a unique index, for the error that says it is taken.
 * @param column `table.column`, the first column of the index
 */
export function fieldOfUnique(column: string): string | undefined {
  return Object.hasOwn(fields, column) ? fields[column] : undefined;
}
