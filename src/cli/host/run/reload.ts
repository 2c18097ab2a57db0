// Reloads a running controller when a signal or `config reload` asks for it: the files to read, and the report.

import { ConfigError } from '../../../config/config-error.ts';
import { renderAdjustment, renderProblems } from '../../../config/explain.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import type { SettingChange } from '../../../config/reload.ts';
import type { Reloaded, RunningController } from '../../../controller/controller.ts';
import { readOwnCertificates } from '../../../controller/overlay-pki.ts';
import type { OwnCertificate } from '../../../http/request/services.ts';
import { type Clock, isoTime } from '../../../platform/clock.ts';
import type { OpenLogger } from '../../../platform/log/logger.ts';
import { isSameAuthority, parseCertificate } from '../../../platform/x509/x509.ts';
import { warnOfEndingCertificates } from './certificate-warnings.ts';

/** The answer to the caller of a reload. */
export type ReloadAnswer =
  | {
      readonly outcome: 'reloaded';
      readonly changed: readonly SettingChange[];
      readonly needsRestart: readonly SettingChange[];
      /** Certificates that are presented, trusted or signed with since this reload. */
      readonly newCertificates: readonly CertificateInUse[];
      /** Certificates that are no longer in use. */
      readonly formerCertificates: readonly CertificateInUse[];
      /** Fingerprints of those among them whose authority was in use before and still is, by another certificate. */
      readonly sameAuthority: readonly string[];
      readonly warnings: readonly string[];
    }
  /** No setting was changed. */
  | { readonly outcome: 'refused'; readonly reason: string };

type CertificateInUse = Pick<OwnCertificate, 'use' | 'subject' | 'file' | 'fingerprint'> & {
  /** RFC 3339. */
  readonly notAfter: string;
};

export interface ReloadNeeds {
  readonly controller: RunningController;
  readonly log: OpenLogger;
  readonly clock: Clock;
  /** Reads the configuration file again. @throws ConfigError; KeyFileError the next start could not use the key file */
  readonly reloadConfig: () => Promise<LoadedConfig>;
}

/**
 * Reloads a controller: reads the configuration file and the files that it names again, and applies what needs no
 * restart. Renewed certificates are used even if the configuration file is refused. Reopens the log. Never throws.
 */
export function controllerReload(needs: ReloadNeeds): () => Promise<ReloadAnswer> {
  const known: Known = { last: readOwnCertificates(needs.controller.config) };
  return async () => {
    const answer = await readAgain(needs, known);
    needs.controller.services.noteReload({ isRefused: answer.outcome === 'refused' });
    return answer;
  };
}

interface Known {
  last: readonly OwnCertificate[];
}

function inUse({ use, subject, file, fingerprint, notAfter }: OwnCertificate): CertificateInUse {
  return { use, subject, file, fingerprint, notAfter: isoTime(notAfter) };
}

/** Certificates of `some` that `others` has not for the same use. */
function without(some: readonly OwnCertificate[], others: readonly OwnCertificate[]) {
  const known = new Set(others.map(({ use, fingerprint }) => `${use} ${fingerprint}`));
  return some.filter(({ use, fingerprint }) => !known.has(`${use} ${fingerprint}`));
}

/** Certificates of `some` whose authority is among `others`, for the same use. */
function sharing(some: readonly OwnCertificate[], others: readonly OwnCertificate[]) {
  const isSame = (one: OwnCertificate, other: OwnCertificate) =>
    one.use === other.use && isSameAuthority(parseCertificate(one.pem), parseCertificate(other.pem));
  return some.filter((one) => others.some((other) => isSame(one, other)));
}

async function readAgain(needs: ReloadNeeds, known: Known): Promise<ReloadAnswer> {
  const { log, controller } = needs;
  log.reopen();
  let loaded: LoadedConfig | null = null;
  let refusal: ((outcome: string) => string) | null = null;
  try {
    loaded = await needs.reloadConfig();
  } catch (error) {
    logRefused(log, error);
    refusal = (outcome) => reasonOf(error, outcome);
  }
  try {
    const reloaded = await controller.reload(loaded?.config);
    log.setLevel(controller.config.log.level);
    const present = readOwnCertificates(controller.config);
    const before = known.last;
    known.last = present;
    sayReloaded(needs, loaded, { ...reloaded, certificates: present.map(inUse) });
    if (refusal !== null || loaded === null)
      return { outcome: 'refused', reason: refusal?.(filesRead) ?? '' };
    const [fresh, former] = [without(present, before), without(before, present)];
    return {
      outcome: 'reloaded',
      ...reloaded,
      newCertificates: fresh.map(inUse),
      formerCertificates: former.map(inUse),
      sameAuthority: [...sharing(fresh, before), ...sharing(former, present)].map(
        ({ fingerprint }) => fingerprint,
      ),
      warnings: [...loaded.adjustments.map(renderAdjustment), ...loaded.warnings],
    };
  } catch (error) {
    log.error('files of the configuration cannot be used; the former files and settings stay in use', {
      error,
    });
    return { outcome: 'refused', reason: refusal?.(nothing) ?? reasonOf(error, nothing) };
  }
}

const nothing = 'nothing was changed';
/** The settings of the file are not in use, but a certificate that was renewed is. */
const filesRead =
  'no setting was changed; certificates and other files of the settings in use were read again';

function logRefused(log: OpenLogger, error: unknown): void {
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ file, line, column, path, message }) => {
      return `${file}:${line ?? 1}:${column ?? 1}: ${path}: ${message}`;
    });
    log.error('the configuration file has problems; its settings are not taken over', { problems });
  } else
    log.error('the next start would fail, so the settings of the configuration file are not taken over', {
      error,
    });
}

function reasonOf(error: unknown, outcome: string): string {
  if (error instanceof ConfigError) return renderProblems(error.problems, outcome).trimEnd();
  const said = error instanceof Error ? error.message : String(error);
  return `${said} ${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}.`;
}

/** Logs settings of a configuration that are probably a mistake. */
export function warnOfSettings(log: OpenLogger, { adjustments, warnings }: LoadedConfig): void {
  for (const adjustment of adjustments) {
    const { path, oldValue, newValue } = adjustment;
    log.warn('a setting was adjusted', { path, oldValue, newValue, reason: renderAdjustment(adjustment) });
  }
  for (const warning of warnings) log.warn('check this setting', { warning });
}

function sayReloaded(
  { controller, log, clock }: ReloadNeeds,
  loaded: LoadedConfig | null,
  reloaded: Reloaded & { readonly certificates: readonly CertificateInUse[] },
): void {
  const { config } = controller;
  if (loaded !== null) warnOfSettings(log, loaded);
  const paths = (changes: readonly SettingChange[]) => changes.map(({ path }) => path);
  const changed = paths(reloaded.changed);
  log.info('certificates and settings were read again', {
    event: 'reloaded',
    changed,
    certificates: reloaded.certificates,
  });
  if (reloaded.needsRestart.length > 0)
    log.warn('these settings of the configuration file need a restart of the controller', {
      event: 'reload.incomplete',
      needsRestart: paths(reloaded.needsRestart),
    });
  warnOfEndingCertificates(config, clock.now(), log);
}
