import { join, resolve } from 'node:path';
import type { Config } from '../../../config/config.ts';

/** Where everything of one controller is, under its home folder. */
export type HomePaths = ReturnType<typeof homePaths>;

export interface PemPair {
  readonly cert: string;
  readonly key: string;
}

/** @param home a folder, relative to `cwd` */
export function homePaths(cwd: string, home: string) {
  const root = resolve(cwd, home);
  const pair = (name: string): PemPair => ({
    cert: join(root, 'pki', `${name}.cert.pem`),
    key: join(root, 'pki', `${name}.key.pem`),
  });
  return {
    home: root,
    /** Written last: if it exists, the set-up is complete. */
    config: join(root, 'controller.yml'),
    masterKey: join(root, 'secrets', 'master.key'),
    database: join(root, 'overlay.db'),
    log: join(root, 'controller.log'),
    rootCa: pair('root-ca'),
    /** While the root is rotated: what leads from one root to the other. */
    rootCross: join(root, 'pki', 'root-ca.cross.pem'),
    /** Signs client certificates; an intermediate authority under the root. */
    clientCa: pair('client-ca'),
    server: pair('server'),
    /** Root and client authority in one file: the authorities that the controller trusts as its own PKI. */
    caBundle: join(root, 'pki', 'ca-bundle.pem'),
  };
}

/** Whether the configuration still names the server certificate that was made in its home. */
export function hasOwnCertificate({ identity }: Pick<Config, 'identity'>, { server }: HomePaths): boolean {
  return identity.serverCertFile === server.cert && identity.keyFile === server.key;
}
