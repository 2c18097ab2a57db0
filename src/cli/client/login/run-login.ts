import { resolve } from 'node:path';
import type { Provider } from '../../../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../../../packages/client/src/oidc/tokens.ts';
import { asObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Flags, Texts, Work } from '../../terminal/command.ts';
import { notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { externalJwt, readNamedFile, readPassword, type SecretOptions } from '../../terminal/secret-input.ts';
import { failure } from '../connection/answer-failure.ts';
import { connectionTo, discover, savedFrom } from '../connection/connection.ts';
import { credentialsStore, loginKey, type SavedLogin } from '../connection/credentials-store.ts';
import type { HttpsClient } from '../connection/https-client.ts';
import { type IdentityFile, identityFileOf } from '../connection/identity-file.ts';
import { establishTrust } from '../connection/server-trust.ts';
import { serverOrigin } from '../connection/server-url.ts';
import { currentLogin, loginWord, withCurrentLogin } from '../connection/several-logins.ts';
import { browserLogin, deviceLogin } from './browser-login.ts';
import { type DirectCredentials, directLogin } from './direct-login.ts';

/** `browser` is false for `--no-browser`; with `bearer`, other programs can use the tokens. */
type LoginOptions = SecretOptions &
  Texts<'username' | 'cert' | 'key' | 'extJwt' | 'totpCode' | 'ca' | 'apiUrl'> &
  Flags<'device' | 'bearer'> & { readonly browser: boolean };

/** `login`: verifies the server, then authenticates the person, and saves the result. */
export const runLogin: Work<LoginOptions, readonly [string | undefined]> = async (report, options, [url]) => {
  const { ports } = report;
  const store = credentialsStore(ports);
  if (options.passwordStdin === true && options.extJwt === '-')
    throw usageError('Standard input can contain the password or the external JWT, not both.');
  const clientCertificate = certificateFiles(ports, options);
  const identity = await identityOf(ports, options);
  const origin = await originToUse(ports, url, identity);

  const saved = await store.read();
  const trust = await establishTrust(report, origin, {
    caFile: options.ca,
    saved: saved.trust[origin],
    identity: identity?.origin === origin ? identity : undefined,
  });
  using http = await connectionTo(ports, trust, clientCertificate);
  const found = await discover(http, ports.clock, origin);
  const provider = options.bearer === true ? { ...found, newKey: null } : found;
  const credentials = await credentialsOf(ports, options);
  const complete = async (tokens: Tokens): Promise<Completed> => {
    const second = credentials?.method === 'ext-jwt' ? undefined : credentials?.externalJwt;
    const login = await loginOf({ ports, http, second }, { provider, tokens }, { origin, options });
    return store.update(async (credentials) => {
      const { [origin]: _before, ...others } = credentials.trust;
      const trusted = trust === undefined ? others : { ...others, [origin]: trust };
      const kept = Object.values(credentials.logins).filter(
        (other) => other.url === origin && loginKey(other) !== loginKey(login),
      );
      return [
        { ...withCurrentLogin(credentials, login), trust: trusted },
        { login, kept },
      ];
    });
  };
  printLogin(report, await proveWith({ report, options, credentials, provider, complete }));
};

interface Completed {
  readonly login: SavedLogin;
  /** Logins of other identities to the same server, which stay. */
  readonly kept: readonly SavedLogin[];
}

/** Gets the tokens in the way that the options select, and completes the login with them. */
async function proveWith<T>(needs: {
  report: Report;
  options: LoginOptions;
  credentials: DirectCredentials | undefined;
  provider: Provider;
  complete: (tokens: Tokens) => Promise<T>;
}): Promise<T> {
  const { report, options, credentials, provider, complete } = needs;
  const { origin } = provider;
  if (options.device === true) return complete(await deviceLogin(report, provider));
  if (credentials !== undefined) {
    const direct = { report, totpCode: options.totpCode, origin };
    return complete(await directLogin(direct, provider, credentials));
  }
  return browserLogin({ report, opensBrowser: options.browser }, provider, complete).catch((error) => {
    throw failure(error, { what: 'The login was refused', next: `overlay-auth login ${origin}` });
  });
}

/** The identity file in `--cert`; undefined for PEM. */
async function identityOf(ports: CliPorts, { cert }: LoginOptions): Promise<IdentityFile | undefined> {
  return cert === undefined
    ? undefined
    : identityFileOf(await readNamedFile(ports, cert, 'certificate'), cert);
}

async function originToUse(
  ports: CliPorts,
  url: string | undefined,
  identity: IdentityFile | undefined,
): Promise<string> {
  if (url !== undefined) return serverOrigin(url);
  if (identity?.origin !== undefined) return identity.origin;
  const current = currentLogin(await credentialsStore(ports).read());
  if (current !== undefined) return current.url;
  const { suggestedServer } = await import('../connection/local-server.ts');
  throw usageError('The address of the server is missing.', `overlay-auth login ${suggestedServer(ports)}`);
}

function certificateFiles(ports: CliPorts, { cert, key }: LoginOptions): SavedLogin['clientCertificate'] {
  if (cert === undefined) return undefined;
  return { certFile: fileNamed(ports, cert), keyFile: fileNamed(ports, key ?? cert) };
}

/** Absolute, because later commands run in other folders; `-` for standard input. */
function fileNamed({ cwd }: CliPorts, path: string): string {
  return path === '-' ? path : resolve(cwd, path);
}

/** Undefined: none were given, so the browser asks for them. */
async function credentialsOf(ports: CliPorts, options: LoginOptions): Promise<DirectCredentials | undefined> {
  const { username, extJwt } = options;
  const token = extJwt === undefined ? undefined : await externalJwt(ports, extJwt);
  const second = token === undefined ? {} : { externalJwt: token };
  if (username !== undefined) {
    const password = await readPassword(ports, options, `Password of ${username}: `);
    return { method: 'password', username, password, ...second };
  }
  if (options.cert !== undefined) return { method: 'cert', ...second };
  return token === undefined ? undefined : { method: 'ext-jwt', externalJwt: token };
}

/** The file with the second factor for later calls; undefined without one, or if it cannot be read again. */
function secondaryJwtFile(
  ports: CliPorts,
  { username, cert, extJwt }: LoginOptions,
): Pick<SavedLogin, 'secondaryJwtFile'> {
  if (extJwt === undefined || extJwt === '-') return {};
  return username === undefined && cert === undefined ? {} : { secondaryJwtFile: fileNamed(ports, extJwt) };
}

async function loginOf(
  needs: { readonly ports: CliPorts; readonly http: HttpsClient; readonly second: string | undefined },
  { provider, tokens }: { provider: Provider; tokens: Tokens },
  { origin, options }: { origin: string; options: LoginOptions },
): Promise<SavedLogin> {
  const { identityId, factors } = tokens;
  const name = await nameOf(needs.http, provider, { tokens, second: needs.second });
  const clientCertificate = certificateFiles(needs.ports, options);
  return {
    url: origin,
    issuer: provider.issuer,
    apiUrl: options.apiUrl === undefined ? origin : serverOrigin(options.apiUrl),
    tokenEndpoint: provider.metadata.token_endpoint ?? '',
    identityId,
    name,
    amr: factors,
    ...savedFrom(tokens),
    loginArguments: [
      ...(options.device === true ? ['--device'] : []),
      ...(options.bearer === true ? ['--bearer'] : []),
      ...(options.username === undefined ? [] : ['-u', options.username]),
      ...(clientCertificate === undefined ? [] : ['-c', clientCertificate.certFile]),
      ...(clientCertificate === undefined || options.key === undefined
        ? []
        : ['-k', clientCertificate.keyFile]),
      ...(options.extJwt === undefined ? [] : ['-e', fileNamed(needs.ports, options.extJwt)]),
      ...(options.apiUrl === undefined ? [] : ['--api-url', options.apiUrl]),
    ],
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...secondaryJwtFile(needs.ports, options),
  };
}

function printLogin(report: Report, { login, kept }: Completed): void {
  const { url, issuer, identityId, name, amr } = login;
  const accessTokenExpiresAt = new Date(login.accessTokenExpiresAt).toISOString();
  printResult(report, { url, issuer, identityId, name, amr, accessTokenExpiresAt }, () => {
    const factors = amr.length === 0 ? '' : ` (${amr.join(', ')})`;
    return `Logged in to ${url} as ${name}${factors}.`;
  });
  const other = kept.at(-1);
  if (other !== undefined) {
    const back = `overlay-auth login use ${shellWord(loginWord(other))}`;
    notice(report, `"${other.name}" is still logged in there; to go back: ${back}`);
  }
  notice(report, 'next: overlay-auth whoami');
}

/**
 * The name of the logged-in identity, from userinfo. The id if userinfo has none, or is about another identity (OIDC
 * Core 5.3.2). The name is only shown: the login works without it.
 * @param second the external JWT that the policy also requires
 */
async function nameOf(
  http: HttpsClient,
  { metadata: { userinfo_endpoint: userinfoEndpoint } }: Provider,
  { tokens, second }: { tokens: Tokens; second: string | undefined },
): Promise<string> {
  const { identityId } = tokens;
  if (userinfoEndpoint === undefined) return identityId;
  const answer = await http.send({
    method: 'GET',
    url: new URL(userinfoEndpoint),
    login: tokens,
    secondToken: second,
  });
  const claims = asObject(answer.body);
  if (answer.status !== 200 || textField(claims, 'sub') !== identityId) return identityId;
  return textField(claims, 'name') ?? textField(claims, 'preferred_username') ?? identityId;
}
