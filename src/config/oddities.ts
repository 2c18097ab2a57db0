import { formatRedirectUri } from '../model/redirect-uri-pattern.ts';
import { rpIdOf } from '../platform/webauthn.ts';
import { apisOf, bindPointsOf, type ReadableParts, value } from './consistency.ts';
import type { Finding } from './describe-issues.ts';
import { valueAt } from './described-file.ts';
import { allowsAnyRemotePort, isLoopbackHost } from './redirect-uris.ts';

/**
 * Findings that deserve a warning but do not stop the service.
 * @param file the file's plain value
 */
export function findOddities(parts: ReadableParts, file: unknown): readonly Finding[] {
  return [
    ...oddAddresses(parts, file),
    ...nothingBound(parts),
    ...oddRedirectUris(parts, file),
    ...privateKeyServers(parts),
    ...metricsForStrangers(parts),
    ...hostsWithoutPasskeys(parts),
    ...mailsInTheClear(file),
  ];
}

function* oddAddresses(parts: ReadableParts, file: unknown): Generator<Finding> {
  const owners = new Map<string, number>();
  for (const { bindPoint, listener, path } of bindPointsOf(parts)) {
    const { address } = bindPoint;
    const at = [...path, 'address'];
    const given = String(valueAt(file, at));
    if (given.toLowerCase() === address && given !== address)
      yield value(at, `${given} is used as ${address}, also in the issuer`);
    const owner = owners.get(address) ?? listener;
    owners.set(address, owner);
    if (owner !== listener && !address.endsWith(':0'))
      yield value(at, `${address} is the address of two listeners, so both have its issuer`);
  }
}

function* nothingBound({ listeners, edge }: ReadableParts): Generator<Finding> {
  if (typeof edge === 'string' || listeners.includes(undefined)) return;
  const bindings = listeners.flatMap((listener) => listener?.apis.map(({ binding }) => binding) ?? []);
  if (!bindings.includes('edge-client'))
    yield value(['web'], 'no listener has edge-client, so clients cannot reach the service');
  if (!bindings.includes('edge-management'))
    yield value(
      ['web'],
      'no listener has edge-management, so administrators have no API or console here; on the host there is overlay-auth admin',
    );
  if (!bindings.includes('edge-oidc') && edge.api.disableOidcAutoBinding)
    yield value(
      ['edge', 'api', 'disableOidcAutoBinding'],
      'the OIDC provider is bound nowhere: auto-binding is disabled and no listener lists edge-oidc',
    );
}

/** Of those that the file lists. */
function* oddRedirectUris(parts: ReadableParts, file: unknown): Generator<Finding> {
  for (const { api, listener, path } of apisOf(parts)) {
    if (api.binding !== 'edge-oidc') continue;
    const own = listener?.bindPoints.map(({ address }) => hostnameOf(`https://${address}`)) ?? [];
    for (const key of ['redirectURIs', 'postLogoutURIs'] as const) {
      for (const [position, pattern] of api.options[key].entries()) {
        const at = [...path, 'options', key, position];
        if (valueAt(file, at) === undefined) continue;
        const text = formatRedirectUri(pattern);
        if (allowsAnyRemotePort(pattern))
          yield value(
            at,
            `${text} lets any program that can listen on a port of that host receive codes; name the port`,
          );
        // Cookies ignore the port (RFC 6265 section 8.5). On a loopback address every program is a neighbour anyway.
        const host = hostnameOf(pattern.kind === 'exact' ? pattern.uri : pattern.prefix);
        if (own.includes(host) && !isLoopbackHost(host))
          yield value(
            at,
            `${text} is at the host name of this service: every program that answers there can read and set the cookies of logins, because cookies ignore the port`,
            'Give this service a host name that no other service has.',
          );
      }
    }
  }
}

function hostnameOf(uri: string): string {
  return new URL(uri).hostname;
}

function* privateKeyServers({ edge }: ReadableParts): Generator<Finding> {
  if (typeof edge === 'string' || edge.externalJwtSigners.jwksFetch.blockPrivateAddresses) return;
  yield value(
    ['edge', 'externalJwtSigners', 'jwksFetch', 'blockPrivateAddresses'],
    'keys are fetched from any address of this machine and of private networks',
    'Leave it true, and name the private key servers in additionalHostnames or allowedIPs.',
  );
}

function* metricsForStrangers(parts: ReadableParts): Generator<Finding> {
  for (const { api, listener, path } of apisOf(parts)) {
    if (api.binding !== 'metrics' || !listener?.apis.some(({ binding }) => binding === 'edge-client'))
      continue;
    yield value(
      [...path, 'binding'],
      'every caller who reaches the client API can read the metrics: which release this is, how many logins fail and why',
      'Give them a separate listener, on the loopback address or a private address.',
    );
  }
}

function* hostsWithoutPasskeys(parts: ReadableParts): Generator<Finding> {
  const { edge } = parts;
  if (typeof edge === 'string' || edge.passkeys.rpId === null) return;
  const hosts = bindPointsOf(parts).map(({ bindPoint }) => hostnameOf(`https://${bindPoint.address}`));
  const without = [...new Set(hosts)].filter((host) => rpIdOf(host, edge.passkeys.rpId) === null);
  if (without.length === 0) return;
  yield value(
    ['edge', 'passkeys', 'rpId'],
    `${edge.passkeys.rpId} does not contain ${without.join(', ')}, so no passkey works there`,
  );
}

function* mailsInTheClear(file: unknown): Generator<Finding> {
  const at = ['mail', 'smtp', 'tls'];
  const host = String(valueAt(file, ['mail', 'smtp', 'host']));
  if (valueAt(file, at) !== 'none' || isLoopbackHost(host)) return;
  yield value(
    at,
    `mails go to ${host} in the clear: anyone who reads them on the way can use the links in them`,
    'Use required or implicit, unless the network between is yours alone.',
  );
}
