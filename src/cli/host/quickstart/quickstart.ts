// quickstart: one command from nothing to a running controller, and the same command to continue.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../../../package.json' with { type: 'json' };
import { createSetupLink } from '../../../admin/setup.ts';
import type { Config } from '../../../config/config.ts';
import type { RunningController } from '../../../controller/controller.ts';
import { claimDatabase } from '../../../controller/database.ts';
import { auditLog } from '../../../explain/audit-trail.ts';
import type { Millis } from '../../../platform/clock.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { openLogger } from '../../../platform/log/logger.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { CliError, programAsTyped, type Report } from '../../terminal/output.ts';
import { type CliPorts, homeFolder } from '../../terminal/ports.ts';
import { shownPath } from '../load-config.ts';
import { type ReadyFacts, runController } from '../run/run-controller.ts';
import { type ControllerSignals, listenForSignals } from '../run/signals.ts';
import { type HomePaths, homePaths } from '../setup/home.ts';
import { serverNames } from '../setup/pki.ts';
import { metricsPortFor, requireFreePort } from '../setup/ports-in-use.ts';
import {
  type HomeWishes,
  isComplete,
  loadHomeConfig,
  makeFolders,
  type PreparedHome,
  prepareHome,
  type SetupStep,
} from '../setup/prepare-home.ts';
import { setupUrl } from '../setup/setup-url.ts';
import { headline, readyLines, type Screen, setupLines } from './screen.ts';

const defaultPort = 1280;

/** Sets up missing parts and runs. Resolves when the controller has stopped. */
export async function quickstart({ ports, json }: Report, given: QuickstartOptions): Promise<void> {
  const options = { ...given, json: given.json === true || json };
  using signals = listenForSignals();
  if (options.ephemeral !== true) {
    await runHome({ ports, options, signals }, homePaths(ports.cwd, options.home ?? homeFolder(ports)));
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'overlay-auth-'));
  // Threads may still create files in it when the process ends at once.
  const discard = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', discard);
  try {
    await runHome({ ports, options, signals }, homePaths(ports.cwd, home));
  } finally {
    process.off('exit', discard);
    discard();
  }
}

async function runHome(
  { ports, options, signals }: { ports: CliPorts; options: QuickstartOptions; signals: ControllerSignals },
  paths: HomePaths,
): Promise<void> {
  const { port = defaultPort } = options;
  const wishes: HomeWishes = {
    address: `localhost:${port}`,
    interface: `127.0.0.1:${port}`,
    names: serverNames([]),
    metricsPort: await metricsPortFor(port),
    dbUrl: 'sqlite:./overlay.db',
  };
  const wasComplete = isComplete(paths);
  const home = loadHomeConfig(paths, wishes, ports.env);
  const { config } = home.loaded;
  if (wasComplete) refuseOtherPort(ports, options, { paths, config });
  else makeFolders(paths);

  using _lock = claimDatabase(config);
  if (!wasComplete) await requireFreePort('127.0.0.1', port, commandAgain(options));
  const { level, format } = config.log;
  await using log = openLogger({ level, format, to: { file: paths.log } });
  const show = presenter(ports, options, screenOf(ports, options, paths));
  show.begin();
  const { clock, random, env } = ports;
  const prepared = await prepareHome({ clock, random, env, log }, paths, { home, names: wishes.names });
  await using foundations = prepared.foundations;
  show.steps([...prepared.steps, prepared.complete()]);
  await runController({
    ports,
    file: paths.config,
    foundations,
    loaded: prepared.loaded,
    log,
    signals,
    async onReady(ready, controller) {
      show.ready(ready, await setupLinkIfNeeded(prepared, controller), config);
    },
  });
  show.stopped();
}

/** A link as long as there is no administrator: at first, and after the last one was disabled or deleted. */
async function setupLinkIfNeeded(
  { foundations }: PreparedHome,
  controller: RunningController,
): Promise<SetupOffer | null> {
  const { store, clock } = foundations;
  if ((await store.identities.countUsableAdmins(clock.now())) > 0) return null;
  const { token, expiresAt } = await createSetupLink({ ...foundations, audit: auditLog(foundations.log) });
  const issuer = controller.bindPoints[0]?.issuer ?? '';
  return { url: setupUrl(issuer, token), expiresAt };
}

function refuseOtherPort(
  ports: CliPorts,
  { port }: QuickstartOptions,
  { paths, config }: { paths: HomePaths; config: Config },
): void {
  if (port === undefined) return;
  const used = config.listeners
    .filter(({ apis }) => apis.some(({ binding }) => binding === 'edge-client'))
    .flatMap(({ bindPoints }) => bindPoints.map((point) => point.interface.port));
  if (used.includes(port)) return;
  const home = shownPath(ports.cwd, paths.home);
  throw new CliError(`${home} is set up for port ${used.join(' and ')}; --port is for a new home.`, {
    exitCode: 2,
    code: 'usage',
    next: `change the port in ${shownPath(ports.cwd, paths.config)}, or give another --home`,
  });
}

/** The command without its port, to type it again. */
function commandAgain({ home, ephemeral }: QuickstartOptions): string {
  const words = [
    home === undefined ? '' : ` --home ${shellWord(home)}`,
    ephemeral === true ? ' --ephemeral' : '',
  ];
  return `overlay-auth quickstart${words.join('')}`;
}

type QuickstartOptions = Texts<'home'> & Flags<'ephemeral' | 'json'> & { readonly port?: number };

/** A one-time link for the first administrator. */
interface SetupOffer {
  readonly url: string;
  readonly expiresAt: Millis;
}

/** The facts for the first screen about how the command was started. */
function screenOf(ports: CliPorts, options: QuickstartOptions, paths: HomePaths): Screen {
  const isFound = shownPath(ports.cwd, paths.home) === homeFolder(ports);
  return {
    version: packageJson.version,
    home: options.ephemeral === true ? paths.home : shownPath(ports.cwd, paths.home),
    isEphemeral: options.ephemeral === true,
    program: programAsTyped(ports),
    configOption: isFound ? '' : ` --config ${shellWord(shownPath(ports.cwd, paths.config))}`,
    caOption: isFound ? '' : ` --ca ${shellWord(shownPath(ports.cwd, paths.rootCa.cert))}`,
  };
}

/** Reports what happens, as it happens: for a person at a terminal; otherwise one JSON object per line. */
function presenter({ stdout, cwd }: CliPorts, options: QuickstartOptions, screen: Screen) {
  const home = homePaths(cwd, screen.home);
  if (stdout.isTTY !== true || options.json === true) {
    const line = (value: object) => stdout.write(`${JSON.stringify(value)}\n`);
    return {
      begin: () => undefined,
      steps(steps: readonly SetupStep[]) {
        for (const { made, ...step } of steps) line({ event: made, ...step });
      },
      ready(ready: ReadyFacts, setup: SetupOffer | null, config: Config) {
        const link = setup && { url: setup.url, expiresAt: new Date(setup.expiresAt).toISOString() };
        line({
          ...ready,
          setup: link,
          home: home.home,
          config: home.config,
          ca: config.identity.caFile,
          log: home.log,
          pid: process.pid,
        });
      },
      stopped: () => line({ event: 'stopped' }),
    };
  }
  return {
    begin: () => stdout.write(`\n${headline(screen)}`),
    steps: (steps: readonly SetupStep[]) => stdout.write(setupLines(steps, stdout.columns)),
    ready(ready: ReadyFacts, setup: SetupOffer | null, config: Config) {
      const rootCa = shownPath(
        cwd,
        config.identity.serverCertFile === home.server.cert ? home.rootCa.cert : config.identity.caFile,
      );
      stdout.write(
        readyLines(
          screen,
          { ready, setup, rootCa, config: shownPath(cwd, home.config), log: shownPath(cwd, home.log) },
          stdout.columns,
        ),
      );
    },
    stopped: () => stdout.write('\nStopped.\n'),
  };
}
