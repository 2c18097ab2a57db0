import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { readOwnCertificates } from '../../controller/overlay-pki.ts';
import { DAY, type Millis } from '../../platform/clock.ts';
import type { CertificateFacts } from '../../platform/x509/x509.ts';
import { CliError, notice, printResult, type Report } from '../terminal/output.ts';
import { printTable } from '../terminal/table.ts';
import { type ConfigOptions, openConfig, reloadCommand, shownPath } from './load-config.ts';
import { onlyOne } from './only-one.ts';
import { rotations } from './rotation/rotation.ts';
import { type HomePaths, hasOwnCertificate, homePaths } from './setup/home.ts';
import {
  furtherHosts,
  type HostOptions,
  MissingAuthority,
  renewServerCertificate,
  shortAddress,
} from './setup/pki.ts';

/** `pki show` */
export async function showPki(report: Report, options: ConfigOptions): Promise<void> {
  const { ports } = report;
  const { config, configFile } = openConfig(ports, options);
  const certificates = shownCertificates(config, ports.clock.now());
  printTable(report, certificates, {
    value: certificates,
    columns: [
      'use',
      'subject',
      ['signs', ({ signs }) => signs.join(', ')],
      ['expires', ({ expires, daysLeft }) => `${expires.slice(0, 10)} (${daysLeft} days)`],
      'names',
      ['SHA-256', 'fingerprint'],
      ['file', ({ file }) => shownPath(ports.cwd, file)],
    ],
  });
  for (const line of rotationLines(config, homePaths(ports.cwd, dirname(configFile)))) notice(report, line);
}

/** A sentence about each authority that is being rotated. */
export function rotationLines(config: Config, paths: HomePaths): readonly string[] {
  return rotations(config, paths).flatMap(({ which, stage }) =>
    stage === 'usual' ? [] : [`pki rotate ${which}: ${stageWords[stage]}`],
  );
}

const stageWords = {
  prepared: 'the next authority is trusted and does not sign yet; --switch, or --undo',
  interrupted: 'a step was interrupted; --switch or --undo finishes it',
  switched: 'the previous authority is still trusted; --retire, or --undo',
} as const;

/** Every certificate that the configuration names. @throws PkiFileError */
export function shownCertificates(config: Config, now: Millis) {
  // `signs`: the certificates that an authority signs at present.
  return readOwnCertificates(config)
    .map((own) => ({ ...shown({ use: useWords[own.use], file: own.file }, own, now), signs: own.signs }))
    .toSorted((one, other) => useOrder.indexOf(one.use) - useOrder.indexOf(other.use));
}

const useWords = { authority: 'trusted', 'client-signing': 'signs clients', server: 'server' } as const;
const useOrder: readonly string[] = Object.values(useWords);

function shown({ use, file }: { use: string; file: string }, facts: CertificateFacts, now: Millis) {
  const { dns, ips, uris } = facts.subjectAltNames;
  return {
    use,
    subject: facts.commonName ?? facts.subject,
    names: [...dns, ...ips.map(shortAddress), ...uris],
    expires: new Date(facts.notAfter).toISOString(),
    daysLeft: Math.floor((facts.notAfter - now) / DAY),
    fingerprint: facts.fingerprint,
    file,
  };
}

/**
 * `pki renew`
 * @throws CliError the server certificate or its authority is not the home's own
 */
export async function renewPki(
  report: Report,
  options: ConfigOptions & HostOptions & { readonly newKey?: boolean },
): Promise<void> {
  const { ports } = report;
  const more = await furtherHosts(options);
  const { config, configFile } = openConfig(ports, options);
  const paths = homePaths(ports.cwd, dirname(configFile));
  if (!hasOwnCertificate(config, paths))
    throw new CliError('The server certificate of this configuration was not made by overlay-auth.', {
      code: 'foreign_certificate',
      next: `renew it at its issuer, then run: ${reloadCommand(ports, configFile)}`,
    });
  using _lock = onlyOne(config.identity.caFile);
  const facts = await renew(report, paths, { more, newKey: options.newKey === true });
  const certificate = shown({ use: 'server', file: paths.server.cert }, facts, ports.clock.now());
  printResult(
    report,
    certificate,
    () =>
      `A new server certificate for ${certificate.names.join(', ')} is valid until ${certificate.expires.slice(0, 10)}.`,
  );
  notice(report, `next: ${reloadCommand(ports, configFile)}`);
}

async function renew(
  { ports }: Report,
  paths: HomePaths,
  wanted: { readonly more: readonly string[]; readonly newKey: boolean },
): Promise<CertificateFacts> {
  try {
    return await renewServerCertificate(ports, paths, wanted);
  } catch (error) {
    if (error instanceof MissingAuthority)
      throw new CliError(`The key of the root CA is not at ${error.path}.`, {
        code: 'authority_missing',
        next: 'put root-ca.key.pem back until the certificate is renewed',
        cause: error,
      });
    throw error;
  }
}
