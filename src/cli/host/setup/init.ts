import { checkFirstAdministrator, createAdministrator } from '../../../admin/administrators.ts';
import { formatHostAndPort, isUnspecified, parseHostAndPort } from '../../../config/addresses.ts';
import { holdsPassword } from '../../../config/file-shape.ts';
import { dbSchema } from '../../../config/value-kinds.ts';
import { claimDatabase, hasDatabase } from '../../../controller/database.ts';
import { AuthError } from '../../../errors/auth-error.ts';
import { passwordHasher } from '../../../login/password/password.ts';
import type { AuditTrail } from '../../../model/audit-event.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import { readNewPassword } from '../../terminal/secret-input.ts';
import { renderTable } from '../../terminal/table.ts';
import { requireTidyName } from '../../terminal/tidy-name.ts';
import { shownPath } from '../load-config.ts';
import { openOperatorLog, operatorAudit } from '../operator-log.ts';
import { setupLines } from '../quickstart/screen.ts';
import { type HomePaths, homePaths } from './home.ts';
import { furtherHosts, type HostOptions, serverNames } from './pki.ts';
import { metricsPortFor } from './ports-in-use.ts';
import {
  type HomeWishes,
  isComplete,
  loadHomeConfig,
  makeFolders,
  type PreparedHome,
  prepareHome,
  type SetupStep,
} from './prepare-home.ts';

type InitOptions = Texts<'admin' | 'adminPasswordFile'> &
  Flags<'yes'> &
  HostOptions & { readonly home: string; readonly address: string; readonly db: string };

/** `init`: sets up a home without running it. @throws CliError the home exists already */
export async function init(report: Report, options: InitOptions): Promise<void> {
  const { ports } = report;
  const wishes = await wishesOf(options);
  const password = await adminPassword(report, options);
  const paths = homePaths(ports.cwd, options.home);
  if (isComplete(paths))
    throw new CliError(`${shownPath(ports.cwd, paths.config)} exists already; nothing was changed.`, {
      code: 'exists',
      next: `overlay-auth run controller ${shellWord(shownPath(ports.cwd, paths.config))}`,
    });
  const steps = await setUp(report, { paths, wishes }, { admin: options.admin, password });
  printSteps(report, { paths, steps }, options);
}

async function setUp(
  { ports }: Report,
  { paths, wishes }: { paths: HomePaths; wishes: HomeWishes },
  { admin, password }: { admin: string | undefined; password: string },
): Promise<readonly SetupStep[]> {
  const home = loadHomeConfig(paths, wishes, ports.env);
  // Before anything is created. What an existing database requires is checked once it is open.
  if (admin !== undefined && !(await hasDatabase(home.loaded.config)))
    checkFirstAdministrator({ username: admin, password });
  makeFolders(paths);
  using _lock = claimDatabase(home.loaded.config);
  await using log = openOperatorLog(paths.config, home.loaded.config.log.format);
  const { clock, random, env } = ports;
  const prepared = await prepareHome({ clock, random, env, log }, paths, { home, names: wishes.names });
  await using _open = prepared.foundations;
  const steps = [...prepared.steps];
  if (admin !== undefined)
    steps.push(await ensureAdmin(prepared, operatorAudit(log, 'init'), { name: admin, password }));
  return [...steps, prepared.complete()];
}

async function wishesOf({ address, db, ...hosts }: InitOptions): Promise<HomeWishes> {
  if (!/^(sqlite:|postgres(ql)?:\/\/)/.test(db)) {
    throw usageError(
      'The value of --db is not a database URL.',
      'use --db sqlite:FILE or --db postgres://USER@HOST/NAME',
    );
  }
  const problem = dbSchema.safeParse(db).error?.issues[0]?.message;
  if (problem !== undefined)
    throw new CliError(`--db cannot be used: ${problem}.`, {
      code: 'config',
      next: 'overlay-auth init --help',
    });
  const { host, port } = parseHostAndPort(address);
  const further = await furtherHosts(hosts);
  if (isUnspecified(host))
    throw usageError(
      `Clients cannot connect to ${address}.`,
      'give --address the name that clients use, for example auth.example.com:1280',
    );
  const isLocal = host === 'localhost' || host === '127.0.0.1' || host === '::1';
  const listenHost = host === '::1' ? '::1' : isLocal ? '127.0.0.1' : '0.0.0.0';
  return {
    address: formatHostAndPort({ host, port }),
    interface: formatHostAndPort({ host: listenHost, port }),
    names: serverNames([host, ...further]),
    metricsPort: await metricsPortFor(port),
    dbUrl: db,
  };
}

async function adminPassword({ ports }: Report, { admin, adminPasswordFile }: InitOptions): Promise<string> {
  if (admin === undefined || adminPasswordFile === undefined) return '';
  requireTidyName('--admin', admin);
  return readNewPassword(ports, { passwordFile: adminPasswordFile }, admin);
}

/** An interrupted set-up may have created the administrator already. */
async function ensureAdmin(
  { foundations }: PreparedHome,
  audit: AuditTrail,
  { name, password }: { name: string; password: string },
): Promise<SetupStep> {
  const needs = { ...foundations, audit, hasher: passwordHasher(foundations.hashPool) };
  const step = { what: 'administrator', detail: name, note: '', path: null } as const;
  try {
    await createAdministrator(needs, { username: name, password });
    return { ...step, made: 'created' };
  } catch (error) {
    if (error instanceof AuthError && error.code === 'conflict' && error.fields.length > 0)
      return { ...step, made: 'found' };
    throw error;
  }
}

/** A file or pipe gets whole fingerprints, one line each; a terminal gets what fits. */
function stepsText({ ports }: Report, steps: readonly SetupStep[]): string {
  const { isTTY, columns } = ports.stdout;
  if (isTTY === true) return setupLines(steps, columns).slice(1);
  return renderTable(['made', 'what', 'detail', 'note'], steps);
}

function printSteps(
  report: Report,
  { paths, steps }: { paths: HomePaths; steps: readonly SetupStep[] },
  { admin, db }: InitOptions,
): void {
  const database = dbSchema.parse(db);
  const config = shownPath(report.ports.cwd, paths.config);
  printResult(report, { home: paths.home, config: paths.config, steps }, () =>
    stepsText(
      report,
      steps.map((step) => (step.path === step.detail ? { ...step, detail: config } : step)),
    ),
  );
  notice(report, `next: overlay-auth run controller ${shellWord(config)}`);
  if (admin === undefined)
    notice(report, `then: overlay-auth admin create NAME --config ${shellWord(config)}`);
  if (holdsPassword(database))
    notice(
      report,
      `${config} contains the password of the database; only its owner can read the file. To keep the password out, remove it from db there, and start the controller with PGPASSFILE or PGPASSWORD.`,
    );
  if (database.engine === 'postgres')
    notice(
      report,
      `For another node, copy ${shownPath(report.ports.cwd, paths.home)} unchanged to its host and run it there; do not run init again.`,
    );
}
