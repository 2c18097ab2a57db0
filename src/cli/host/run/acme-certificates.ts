// A running controller orders the certificates of listeners with `acme`, and renews them.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Listener } from '../../../config/config.ts';
import { readRoots, readSecretLine, refusedFile } from '../../../config/named-roots.ts';
import { acmeFiles } from '../../../config/resolve.ts';
import type { RunningController } from '../../../controller/controller.ts';
import { checkTlsMaterial } from '../../../http/server/tls-material.ts';
import { type Clock, HOUR, type Millis, SECOND } from '../../../platform/clock.ts';
import { sha256 } from '../../../platform/digest.ts';
import type { Logger } from '../../../platform/log/logger.ts';
import { makeFolder } from '../../../platform/make-folder.ts';
import { outboundClient } from '../../../platform/network/outbound-client.ts';
import type { OutboundLimits } from '../../../platform/network/outbound-targets.ts';
import { readText } from '../../../platform/read-file.ts';
import { ownerOnly, readable, readIfThere, writeWhole } from '../../../platform/whole-file.ts';

interface Needs {
  readonly controller: RunningController;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pause: (time: Millis) => Promise<void>;
  /** The controller ends, and waits for an order under way. */
  readonly ending: AbortSignal;
  /** Presents the certificates that are in the files now. */
  readonly reload: () => Promise<unknown>;
}

type ExternalAccount = NonNullable<NonNullable<Listener['identity']['acme']>['externalAccount']>;

/** After a failure. Authorities refuse a client that fails more often than five times an hour. */
const retryInterval: Millis = HOUR;

/**
 * Orders each certificate that is missing, is for other hosts, or has used two thirds of its lifetime, and presents it.
 * While the clock is wrong nothing is ordered. The key of a listener stays the same, because enrollment JWTs are signed
 * with it. A failure is logged, and the order repeated after an hour, or at once with other settings or another key of the
 * external account.
 * @returns to be called often
 */
export function certificateOrders(needs: Needs): () => Promise<void> {
  const { controller, clock, log } = needs;
  const failed = new Map<string, { readonly settings: string; readonly at: Millis }>();
  return async () => {
    if (controller.services.mount.clockWatch.isWrong) return;
    for (const listener of controller.config.listeners) {
      const { name, identity } = listener;
      const { acme } = identity;
      if (acme === undefined) continue;
      if (isFresh(readIfThere(acmeFiles(acme, name).cert), acme.hosts, clock.now())) continue;
      const settings = sha256(JSON.stringify([acme, keyTextOf(acme.externalAccount)]));
      const last = failed.get(name);
      if (last?.settings === settings && clock.monotonic() - last.at < retryInterval) continue;
      const about = { listener: name, hosts: acme.hosts, directory: acme.directory };
      try {
        const leaf = await order(needs, listener, acme);
        const notAfter = leaf.validToDate.toISOString();
        log.info('a certificate was issued', { event: 'certificate.ordered', ...about, notAfter });
        await needs.reload();
      } catch (error) {
        if (needs.ending.aborted) return;
        failed.set(name, { settings, at: clock.monotonic() });
        log.error('a certificate could not be ordered; it is tried again in an hour', { ...about, error });
      }
    }
  };
}

/** Null if there is none; one that cannot be read fails when it is used. */
function keyTextOf(account: ExternalAccount | null): string | null {
  try {
    return account === null ? null : readText(account.hmacKeyFile);
  } catch {
    return null;
  }
}

function isFresh(chain: string | undefined, hosts: readonly string[], now: Millis): boolean {
  if (chain === undefined) return false;
  const leaf = new X509Certificate(chain);
  const [from, to] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
  return areNamed(leaf, hosts) && now < to - (to - from) / 3;
}

function areNamed(leaf: X509Certificate, hosts: readonly string[]): boolean {
  return hosts.every((host) => leaf.checkHost(host) !== undefined);
}

async function order(
  needs: Needs,
  listener: Listener,
  acme: NonNullable<Listener['identity']['acme']>,
): Promise<X509Certificate> {
  const { clock } = needs;
  const pause = (time: Millis) => needs.pause(time).then(() => needs.ending.throwIfAborted());
  const [
    { AcmeError, orderCertificate },
    { challengeCertificate, newPrivateKey },
    { serverCertificateRequest },
  ] = await Promise.all([
    import('../../../platform/acme/acme-client.ts'),
    import('../../../platform/x509/pki.ts'),
    import('../../../platform/x509/new-certificate-request.ts'),
  ]);
  const keyIn = (file: string): string => {
    const kept = readIfThere(file);
    if (kept !== undefined) return kept;
    const made = newPrivateKey();
    writeWhole(file, made, ownerOnly);
    return made;
  };
  const files = acmeFiles(acme, listener.name);
  makeFolder(acme.folder ?? '');
  const accountKey = createPrivateKey(keyIn(files.account));
  const externalAccount = acme.externalAccount === null ? null : readExternalAccount(acme.externalAccount);
  const keyPem = keyIn(files.key);
  const chain = await orderCertificate(
    {
      client: clientOf(needs, acme.trustedRoots),
      clock,
      pause,
      present: async (host, authorization) => {
        writeWhole(
          files.challenge,
          await challengeCertificate({ clock }, { host, authorization }),
          ownerOnly,
        );
        return () => rmSync(files.challenge, { force: true });
      },
    },
    { ...acme, accountKey, externalAccount, request: await serverCertificateRequest(keyPem, acme.hosts) },
  );
  const leaf = new X509Certificate(chain);
  if (!leaf.checkPrivateKey(createPrivateKey(keyPem)) || !areNamed(leaf, acme.hosts))
    throw new AcmeError('The authority issued a certificate for another key or other names.');
  const { validFrom, validTo, validFromDate } = leaf;
  // It would be presented in place of one that clients accept, and ordered again each minute.
  if (clock.now() < validFromDate.getTime() || !isFresh(chain, acme.hosts, clock.now()))
    throw new AcmeError(`The authority issued a certificate for another time: ${validFrom} to ${validTo}.`);
  // A certificate that cannot be presented would prevent the next start.
  const ordered = { ...listener.identity, serverCertFile: files.cert, keyFile: files.key };
  checkTlsMaterial({ ...listener, identity: ordered }, { certificateChain: chain, privateKey: keyPem });
  writeWhole(files.cert, chain, readable);
  return leaf;
}

/** @throws ConfigError the file cannot be read, or contains no key */
function readExternalAccount({ keyId, hmacKeyFile }: ExternalAccount) {
  const path = 'web[].identity.acme.externalAccount.hmacKeyFile';
  const text = readSecretLine(path, hmacKeyFile);
  if (!/^[\w+/-]+=*$/.test(text)) throw refusedFile(path, `${hmacKeyFile} contains no key in base64url`);
  return { keyId, hmacKey: Buffer.from(text, 'base64url') };
}

/** The operator named the authority, so it may have a private address; the way out is that of all other requests. */
function clientOf({ controller, ending }: Needs, trustedRoots: readonly string[]) {
  const { proxy, noProxy } = controller.config.edge.externalJwtSigners.jwksFetch;
  const limits: OutboundLimits = {
    proxy,
    noProxy,
    timeout: 15 * SECOND,
    maxRedirects: 0,
    blockPrivateAddresses: false,
    allowedHostnames: [],
    deniedHostnames: [],
    additionalHostnames: [],
    allowedIPs: [],
    deniedIPs: [],
  };
  const path = 'web[].identity.acme.trustedRoots';
  return outboundClient(limits, { ending, trustedRoots: trustedRoots.map((file) => readRoots(path, file)) });
}
