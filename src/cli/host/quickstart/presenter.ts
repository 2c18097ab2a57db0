import packageJson from '../../../../package.json' with { type: 'json' };
import type { Config } from '../../../config/config.ts';
import type { Millis } from '../../../platform/clock.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { programAsTyped } from '../../terminal/output.ts';
import { type CliPorts, homeFolder } from '../../terminal/ports.ts';
import { shownPath } from '../load-config.ts';
import type { ReadyFacts } from '../run/ready-line.ts';
import { type HomePaths, homePaths } from '../setup/home.ts';
import type { SetupStep } from '../setup/prepare-home.ts';
import { headline, readyLines, type Screen, setupLines } from './screen.ts';

export interface QuickstartOptions {
  readonly home?: string;
  readonly port?: number;
  readonly ephemeral?: boolean;
  readonly json?: boolean;
}

/** A one-time link for the first administrator. */
export interface SetupOffer {
  readonly url: string;
  readonly expiresAt: Millis;
}

/** What the first screen needs to know about how the command was started. */
export function screenOf(ports: CliPorts, options: QuickstartOptions, paths: HomePaths): Screen {
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

/** Reports what happens, as it happens. */
export interface Presenter {
  begin(): void;
  steps(steps: readonly SetupStep[]): void;
  ready(ready: ReadyFacts, setup: SetupOffer | null, config: Config): void;
  stopped(): void;
}

/** For a person at a terminal; otherwise one JSON object per line. */
export function presenter(ports: CliPorts, options: QuickstartOptions, screen: Screen): Presenter {
  const { stdout, cwd } = ports;
  const home = homePaths(cwd, screen.home);
  if (stdout.isTTY !== true || options.json === true) {
    const line = (value: object) => stdout.write(`${JSON.stringify(value)}\n`);
    return {
      begin: () => undefined,
      steps(steps) {
        for (const { made, ...step } of steps) line({ event: made, ...step });
      },
      ready(ready, setup, config) {
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
    steps: (steps) => stdout.write(setupLines(steps, stdout.columns)),
    ready(ready, setup, config) {
      const rootCa = shownPath(
        cwd,
        config.identity.serverCertFile === home.server.cert ? home.rootCa.cert : config.identity.caFile,
      );
      stdout.write(
        readyLines(
          screen,
          {
            ready,
            setup,
            rootCa,
            config: shownPath(cwd, home.config),
            log: shownPath(cwd, home.log),
          },
          stdout.columns,
        ),
      );
    },
    stopped: () => stdout.write('\nStopped.\n'),
  };
}
