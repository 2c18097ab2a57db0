// The ways to log in at this address, for the pages that offer them.

import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { ClientRegistry } from '../../oidc/clients.ts';
import { isForPeople } from '../../oidc/flow/provider-login.ts';
import type { ProviderStep } from '../../oidc/flow/provider-visit.ts';
import { isForDevice, isOnOwnDevice } from '../../oidc/redirect-uri.ts';
import { loginPaths } from '../../pages/login-forms.ts';
import type { PasskeyAddresses } from '../../pages/passkey.ts';
import type { Application, SignInWays } from '../../pages/sign-in-ways.ts';
import { accountPaths, consolePaths } from '../pages/app-paths.ts';
import type { RequestContext } from '../request/request-context.ts';

export type { Application };

/** A login in progress, and the request that is being answered. */
export interface RequestedLogin {
  readonly context: RequestContext;
  readonly authRequest: AuthRequest;
  /** As the client spelled it. In a page, bound to the browser that shows it. */
  readonly authRequestId: string;
}

/** Where existing SDKs send passwords. */
export const existingPasswordPath = '/oidc/login/password';
export const providerPath = '/oidc/login/ext-jwt';
export const passkeyPath = '/oidc/login/passkey';
/** The options of a passkey request for the authenticator. */
export const passkeyOptionsPath = `${passkeyPath}/options`;
export const visitPath = '/oidc/login/ext-jwt/visit';
export const cancelLoginPath = '/oidc/login/cancel';
/** The outstanding factors of a login after its first step. */
export const queriesPath = '/oidc/login/auth-queries';

/** The page of the login that people left for another provider, and return to. */
export const pageOfProviderStep: Readonly<Record<ProviderStep, string>> = {
  primary: providerPath,
  secondary: queriesPath,
};

/** The page of the login for the path that takes its answer. */
export function pageAsking(path: string): string {
  if (path === loginPaths.certificate || path === providerPath) return path;
  return path === loginPaths.password || path === existingPasswordPath ? loginPaths.password : queriesPath;
}

/** All ways except the one that the page itself is about. */
export function signInWays(
  signers: SignerDirectory,
  step: RequestedLogin & { readonly application: () => Application | null },
  own: 'password' | 'cert' | 'ext-jwt',
): SignInWays {
  const providers = signers
    .all()
    .filter(isForPeople)
    .sort((one, other) => one.name.localeCompare(other.name, 'en'))
    .map((signer) => ({ name: signer.name, href: visitHref(step, signer.id, 'primary') }));
  return {
    providers,
    password: own === 'password' ? null : hrefOf(step, loginPaths.password),
    certificate: own === 'cert' || !canUseCertificate(step) ? null : hrefOf(step, loginPaths.certificate),
    cancel: mayGoBack(step.application()) ? hrefOf(step, cancelLoginPath) : null,
  };
}

/** Our own pages would only ask again, and nothing waits at a device for a page of its own. */
function mayGoBack(application: Application | null): boolean {
  return application !== null && typeof application === 'object' && application.host !== 'another-device';
}

/** Not for a device: the code of such a login works only on a connection with the certificate. */
function canUseCertificate(step: RequestedLogin): boolean {
  return asksForCertificates(step) && !isForDevice(step.authRequest);
}

/** Whether the TLS handshake at this address asks for a certificate. */
export function asksForCertificates({ context }: Pick<RequestedLogin, 'context'>): boolean {
  return context.listener.clientCertificates === 'request';
}

/** The address of another page of the same login. */
export function hrefOf({ authRequestId }: Pick<RequestedLogin, 'authRequestId'>, path: string): string {
  return `${path}?authRequestID=${encodeURIComponent(authRequestId)}`;
}

/** Where a page gets the question for a passkey, and sends the answer. */
export function passkeyAddresses(step: Pick<RequestedLogin, 'authRequestId'>): PasskeyAddresses {
  const of = { name: 'authRequestId', value: step.authRequestId } as const;
  return { options: hrefOf(step, passkeyOptionsPath), action: passkeyPath, of };
}

export function visitHref(step: RequestedLogin, signerId: string, providerStep: ProviderStep): string {
  return `${hrefOf(step, visitPath)}&signer=${encodeURIComponent(signerId)}&step=${providerStep}`;
}

/**
 * The application that a login leads to. A registered one is shown with the name that an administrator gave it and its
 * host, because the name alone proves nothing. The account page and the console are recognized by their address. Null
 * for an application on the person's own device without a name.
 */
export function applicationOf(
  clients: ClientRegistry,
  { clientId, redirectUri, issuer }: Pick<AuthRequest, 'clientId' | 'redirectUri' | 'issuer'>,
): Application | null {
  const registered = clients.find(clientId)?.registered ?? null;
  if (isForDevice({ redirectUri, issuer }))
    return registered === null ? 'another-device' : { name: registered.name, host: 'another-device' };
  const own = registered === null ? ownApplicationAt(redirectUri, issuer) : undefined;
  if (own !== undefined) return own;
  const name = registered?.name ?? null;
  const host = hostOf(redirectUri);
  if (host === null) return name === null ? null : { name, host: 'this-device' };
  return name === null ? { name: host, host: null } : { name, host };
}

/** By the addresses at which they are clients without any configuration: `oidcBindPointOf`. */
function ownApplicationAt(redirectUri: string, issuer: string): 'account' | 'console' | undefined {
  const { origin } = new URL(issuer);
  const isOf = ({ callback, signedOut }: { callback: string; signedOut: string }) =>
    redirectUri === origin + callback || redirectUri === origin + signedOut;
  if (isOf(accountPaths)) return 'account';
  return isOf(consolePaths) ? 'console' : undefined;
}

/** The name of a client for the page that confirms a device; its id if it has none. */
export function clientName(clients: ClientRegistry, clientId: string): string {
  return clients.find(clientId)?.registered?.name ?? clientId;
}

/** The host of a web application; null for one on the person's own device. */
function hostOf(redirectUri: string): string | null {
  return isOnOwnDevice(redirectUri) ? null : new URL(redirectUri).host;
}
