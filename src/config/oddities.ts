import { bindPointsOf, type ReadableParts, value } from './consistency.ts';
import type { Finding } from './describe-issues.ts';
import { allowsAnyRemotePort, formatRedirectUri, isLoopbackHost } from './redirect-uris.ts';

/** Findings that deserve a warning but do not stop the service. */
export function findOddities(parts: ReadableParts): readonly Finding[] {
  return [
    ...addressesInCapitals(parts),
    ...addressOfTwoListeners(parts),
    ...nothingBound(parts),
    ...remotePortWildcards(parts),
    ...applicationsOnOwnHost(parts),
    ...privateKeyServers(parts),
    ...metricsForStrangers(parts),
  ];
}

function addressesInCapitals(parts: ReadableParts): readonly Finding[] {
  return bindPointsOf(parts).flatMap(({ bindPoint: { address }, path }) =>
    address.asGiven.toLowerCase() === address.text && address.asGiven !== address.text
      ? [value([...path, 'address'], `${address.asGiven} is used as ${address.text}, also in the issuer`)]
      : [],
  );
}

function addressOfTwoListeners(parts: ReadableParts): readonly Finding[] {
  const owners = new Map<string, number>();
  return bindPointsOf(parts).flatMap(({ bindPoint: { address }, listener, path }) => {
    const owner = owners.get(address.text) ?? listener;
    owners.set(address.text, owner);
    if (owner === listener || address.port === 0) return [];
    return [
      value([...path, 'address'], `${address.text} is the address of two listeners, so both have its issuer`),
    ];
  });
}

function nothingBound({ listeners, edge }: ReadableParts): readonly Finding[] {
  if (typeof edge === 'string' || listeners.includes(undefined)) return [];
  const bindings = listeners.flatMap((listener) => listener?.apis.map(({ binding }) => binding) ?? []);
  const findings: Finding[] = [];
  if (!bindings.includes('edge-client')) {
    findings.push(value(['web'], 'no listener has edge-client, so clients cannot reach the service'));
  }
  if (!bindings.includes('edge-oidc') && edge.api.disableOidcAutoBinding) {
    findings.push(
      value(
        ['edge', 'api', 'disableOidcAutoBinding'],
        'the OIDC provider is bound nowhere: auto-binding is disabled and no listener lists edge-oidc',
      ),
    );
  }
  return findings;
}

function remotePortWildcards({ listeners }: ReadableParts): readonly Finding[] {
  return listeners.flatMap((listener, index) =>
    (listener?.apis ?? []).flatMap((api, at) => {
      if (api.binding !== 'edge-oidc') return [];
      return (['redirectURIs', 'postLogoutURIs'] as const).flatMap((key) =>
        api.options[key].flatMap((pattern, position) =>
          allowsAnyRemotePort(pattern)
            ? [
                value(
                  ['web', index, 'apis', at, 'options', key, position],
                  `${formatRedirectUri(pattern)} lets any program that can listen on a port of that host receive codes; name the port`,
                ),
              ]
            : [],
        ),
      );
    }),
  );
}

/** Cookies ignore the port (RFC 6265 section 8.5). On a loopback address every program is a neighbour anyway. */
function applicationsOnOwnHost({ listeners }: ReadableParts): readonly Finding[] {
  return listeners.flatMap((listener, index) => {
    const hosts = (listener?.bindPoints ?? []).map(({ address }) => hostnameOf(`https://${address.text}`));
    const own = new Set(hosts.filter((host) => !isLoopbackHost(host)));
    return (listener?.apis ?? []).flatMap((api, at) => {
      if (api.binding !== 'edge-oidc') return [];
      return (['redirectURIs', 'postLogoutURIs'] as const).flatMap((key) =>
        api.options[key].flatMap((pattern, position) =>
          own.has(hostnameOf(pattern.kind === 'exact' ? pattern.uri : pattern.prefix))
            ? [
                value(
                  ['web', index, 'apis', at, 'options', key, position],
                  `${formatRedirectUri(pattern)} is at the host name of this service: whatever answers there can read and set the cookies of logins, because cookies ignore the port`,
                  'Give this service a host name that no other service has.',
                ),
              ]
            : [],
        ),
      );
    });
  });
}

function hostnameOf(uri: string): string {
  return new URL(uri).hostname;
}

function privateKeyServers({ edge }: ReadableParts): readonly Finding[] {
  if (typeof edge === 'string' || edge.externalJwtSigners.jwksFetch.blockPrivateAddresses) return [];
  return [
    value(
      ['edge', 'externalJwtSigners', 'jwksFetch', 'blockPrivateAddresses'],
      'keys are fetched from any address of this machine and of private networks',
      'Leave it true, and name the private key servers in allowedHostnames or allowedIPs.',
    ),
  ];
}

function metricsForStrangers({ listeners }: ReadableParts): readonly Finding[] {
  return listeners.flatMap((listener, index) => {
    const bindings = listener?.apis.map(({ binding }) => binding) ?? [];
    const at = bindings.indexOf('metrics');
    if (at === -1 || !bindings.includes('edge-client')) return [];
    return [
      value(
        ['web', index, 'apis', at, 'binding'],
        'every caller who reaches the client API can read the metrics: which release this is, how many logins fail and why',
        'Give them a separate listener, on the loopback address or a private address.',
      ),
    ];
  });
}
