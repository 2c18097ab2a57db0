import { argument, columns, type EntityDescriptor, newNameOption, option, tagOption } from './descriptor.ts';

/** `oidc-client`: applications that log people in here. */
export const oidcClient: EntityDescriptor = {
  name: 'oidc-client',
  aliases: ['oidc-clients'],
  path: '/oidc-clients',
  help: 'applications that log people in here',
  lookupFields: ['name'],
  columns: columns(
    'id',
    'name',
    'type',
    ['authentication', 'tokenEndpointAuthMethod'],
    ['redirect URIs', 'redirectUris'],
    ['APIs', 'apiAccess'],
  ),
  createArguments: [
    argument('<name>', 'its name'),
    argument('<type>', 'confidential when it can keep a secret', { choices: ['public', 'confidential'] }),
  ],
  options: [
    option('--id <id>', 'its client_id (default: a new one)', { only: 'create' }),
    newNameOption,
    option('--redirect-uris <list>', 'where codes may be sent'),
    option('--post-logout-redirect-uris <list>', 'where browsers may go after logout'),
    option(
      '--auth-method <method>',
      'how it proves itself (default: client_secret_basic for a confidential one)',
      {
        path: 'tokenEndpointAuthMethod',
        choices: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      },
    ),
    option(
      '--jwks-uri <url>',
      'https address of its keys, for private_key_jwt; keys themselves go into --file',
      { nullable: true },
    ),
    option(
      '--require-pkce',
      'refuse logins without PKCE (default); --no- for a confidential client that cannot do it',
    ),
    option('--id-token-alg <alg>', 'algorithm of its ID tokens (default: RS256)', {
      path: 'idTokenSigningAlg',
      choices: ['RS256', 'ES256'],
    }),
    option(
      '--scopes <list>',
      'among openid, offline_access, profile, email, groups (default: the first two)',
    ),
    option('--api-access', 'let its tokens work at the Edge APIs too'),
    option('--resources <list>', 'URIs for which it may ask tokens (RFC 8707)'),
    option('--allowed-role-attributes <list>', 'only for identities with one of these (default: for all)'),
    option('--claim <name=source>', 'such as email=tags.mail; may be repeated; an update replaces all', {
      path: 'claims',
    }),
    option('--access-token-duration <time>', 'such as 5m, at most that of the server', { nullable: true }),
    option('--refresh-token-duration <time>', 'the same for refresh tokens', { nullable: true }),
    tagOption,
  ],
  isUpdatable: true,
  hasFile: true,
};
