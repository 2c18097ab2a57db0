/** Why something was not fetched. A closed list, without anything that the other side has sent. */
export const fetchRefusals = {
  url: 'the address is not a usable URL',
  scheme: 'the address, or one that it redirects to, is not https',
  host: 'the host is not allowed by the configuration',
  address: 'the host has an IP address that is not allowed',
  'private-address':
    'the host has a private or loopback address: add its name to additionalHostnames in edge.externalJwtSigners.jwksFetch; a bare address is allowed by allowedIPs, which must then contain every other provider too',
  name: 'the host name could not be resolved',
  connection: 'the server could not be reached or broke the connection',
  tls: 'the TLS handshake failed or the certificate is not trusted',
  'tls-name': 'the certificate of the server is for another name than that in the address',
  'tls-time': 'the certificate of the server is not valid at this time',
  proxy: 'the proxy (proxy in edge.externalJwtSigners.jwksFetch) could not be reached',
  'proxy-refused':
    'the proxy (proxy in edge.externalJwtSigners.jwksFetch) refused to connect to the host: check what it allows, and user and password in its URL',
  timeout: 'the answer took too long',
  'too-many-redirects': 'there were too many redirects',
  status: 'the server answered with an error status',
  encoding: 'the answer is compressed',
  'too-large': 'the answer is too large',
} as const;

export type FetchRefusal = keyof typeof fetchRefusals;

/** A fetch that did not succeed. Only administrators learn whether a connection was refused or failed. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
  readonly reason: FetchRefusal;

  /** @param cause for the log */
  constructor(reason: FetchRefusal, cause?: unknown) {
    super(fetchRefusals[reason], { cause });
    this.reason = reason;
  }
}
