import { dirname } from 'node:path';
import { administratorNamers } from '../../admin/administrator-namers.ts';
import { formatHostAndPort } from '../../config/addresses.ts';
import { databaseName } from '../../controller/database.ts';
import type { Foundations } from '../../controller/foundations.ts';
import { isOnline } from '../../model/node.ts';
import { isoTimeOrNull, SECOND } from '../../platform/clock.ts';
import type { DescribedKey } from '../../tokens/described-keys.ts';
import { namersText } from '../terminal/namers-text.ts';
import { CliError, printResult, type Report } from '../terminal/output.ts';
import { renderFields, renderTable } from '../terminal/table.ts';
import { askController } from './ask-controller.ts';
import { alikeLines, mostAlike } from './db-commands.ts';
import { listedKeys } from './key-commands.ts';
import { type ConfigOptions, configPath, shownPath } from './load-config.ts';
import { withHost } from './open-host.ts';
import { rotationLines, shownCertificates } from './pki-commands.ts';
import { homePaths } from './setup/home.ts';

/** `status --config FILE`: the state of a controller's home on this host, whether it runs or not. */
export async function hostStatus(report: Report, options: ConfigOptions): Promise<void> {
  const status = await withHost(report, options, async ({ foundations, configFile }) => {
    const { config, store, clock } = foundations;
    const now = clock.now();
    const nodes = await store.nodes.listAll();
    return {
      config: configFile,
      database: databaseName(config),
      lastBackup: isoTimeOrNull(await store.restores.lastBackup()),
      bindPoints: config.listeners.flatMap(({ name, apis, bindPoints }) =>
        bindPoints.map((one) => ({
          listener: name,
          interface: formatHostAndPort(one.interface),
          issuer: apis.some(({ binding }) => binding === 'edge-oidc') ? one.issuer : null,
        })),
      ),
      signingKeys: await listedKeys(foundations),
      certificates: shownCertificates(config, now),
      rotations: rotationLines(config, homePaths(report.ports.cwd, dirname(configFile))),
      revocationLists: await shownLists(foundations),
      controllers: nodes.map((node) => ({
        name: node.name,
        isOnline: isOnline(node, now),
        version: node.version,
        lastSeenAt: new Date(node.lastSeenAt).toISOString(),
      })),
      administratorsNamedBy: await shownNamers(foundations),
      namesAlike: await store.identities.listAlike(mostAlike),
    };
  });
  const text = () => [
    renderFields([
      ['configuration', status.config],
      ['database', status.database],
      ['last backup', status.lastBackup ?? 'none is known'],
    ]),
    renderTable(['listener', ['listens on', 'interface'], 'issuer'], status.bindPoints),
    renderTable(
      [
        ['signing key', (key: DescribedKey) => `${key.kid.slice(0, 12)}\u2026`],
        'alg',
        'use',
        ['signs until', 'signsUntil'],
      ],
      status.signingKeys,
    ),
    renderTable(
      [
        ['certificate', 'subject'],
        'use',
        ['signs', ({ signs }) => signs.join(', ')],
        ['expires', (one) => `${one.expires.slice(0, 10)} (${one.daysLeft} days)`],
      ],
      status.certificates,
    ),
    ...(status.rotations.length === 0 ? [] : [status.rotations.join('\n')]),
    ...(status.revocationLists.length === 0
      ? []
      : [
          renderTable(
            [['revocation list', 'url'], 'ca', ['next one by', 'nextUpdate'], 'entries', 'error'],
            status.revocationLists,
          ),
        ]),
    renderTable(
      [['controller', 'name'], ['online', 'isOnline'], 'version', ['last seen', 'lastSeenAt']],
      status.controllers,
    ),
    namersText(status.administratorsNamedBy),
  ];
  printResult(report, status, () => [...text(), ...alikeLines(status.namesAlike)].join('\n\n'));
}

async function shownNamers(foundations: Foundations) {
  const namers = await administratorNamers(foundations, { identityId: 'host', isAdmin: true });
  return namers.map(({ kind, id, name, by, administrators }) => ({
    issuer: { entity: kind, id, name },
    by,
    administrators: administrators.map((one) => ({ id: one.id, name: one.name })),
  }));
}

async function shownLists({ store }: Pick<Foundations, 'store'>) {
  return (await store.revocationLists.describe(null)).map(({ caId, url, nextUpdate, entries, error }) => ({
    ca: caId,
    url,
    nextUpdate: isoTimeOrNull(nextUpdate),
    entries,
    error,
  }));
}

/** More than its checks may take. */
const longestWait = 8 * SECOND;

/**
 * `status --ready`: whether the controller of this configuration runs and passes all health checks. It asks through the
 * control socket, so no listener has to serve health checks and no certificate has to be trusted.
 * @throws CliError exit 5 when none is running or answers, exit 1 when a check fails
 */
export async function controllerReadiness(report: Report, options: ConfigOptions): Promise<void> {
  const { ports } = report;
  const path = configPath(ports, options);
  const file = shownPath(ports.cwd, path);
  const checks = await askController({ ports, file: path, word: 'health', limit: longestWait });
  const failing = checks.filter(({ healthy }) => !healthy).map(({ id }) => id);
  if (failing.length > 0)
    throw new CliError(`The controller of ${file} is not ready: ${failing.join(', ')}.`, {
      code: 'unhealthy',
      next: 'look into its log',
    });
  printResult(report, { ready: true, checks }, () => `The controller of ${file} is ready.`);
}
