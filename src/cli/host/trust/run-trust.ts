// `pki trust`: shows an authority and what trusting it means, asks, and puts it where browsers and the system look.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Flags, Texts, Work } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { canPrompt, requireYes } from '../../terminal/prompt.ts';
import { renderFields, renderTable } from '../../terminal/table.ts';
import { shownPath } from '../load-config.ts';
import { type Authority, readAuthority } from './authority.ts';
import { programPath, type Step, type StoreKind, type TrustStore, trustStores } from './stores.ts';

type TrustOptions = Texts<'config'> & Flags<'undo' | 'dryRun' | 'yes'> & { readonly only?: StoreKind };

/** The result for one store, or under `--dry-run` the expected one. */
type State = 'trusted' | 'removed' | 'unchanged' | 'planned' | 'needs root' | 'unusable' | 'failed';

interface Outcome {
  readonly store: string;
  readonly kind: StoreKind;
  readonly path: string;
  readonly state: State;
  /** Commands that were run, would be run, or have to be typed as root. */
  readonly commands: readonly string[];
  readonly reason?: string;
}

/**
 * Makes this computer trust an authority or, with `undo`, stop trusting it.
 * @param file certificate of the authority; default: that of the home
 * @throws CliError not an authority; the user did not agree; no store could be changed, or one failed
 */
export const trustAuthority: Work<TrustOptions, readonly [string | undefined]> = async (
  report,
  options,
  [file],
) => {
  const { ports } = report;
  const authority = readAuthority(ports, { file, config: options.config });
  const uid = process.getuid?.();
  const { usable, unusable } = trustStores({ platform: ports.platform, env: ports.env, uid }, authority);
  const isWanted = ({ kind }: { kind: StoreKind }) => options.only === undefined || kind === options.only;
  const stores = usable.filter(isWanted);
  const others = unusable.filter(isWanted);
  if (stores.length + others.length === 0) throw nowhere(ports, authority);
  notice(report, explanation(ports, authority, options.undo === true));
  const isDone = await Promise.all(
    stores.map(async (store) => (await isIn(ports, store)) !== (options.undo === true)),
  );
  const plan = stores.map((store, at) => ({ store, isDone: isDone[at] === true }));
  if (plan.some((each) => !each.isDone)) await agree(report, options);
  const outcomes: Outcome[] = [];
  for (const { store, isDone } of plan)
    outcomes.push(await treat({ report, authority, options, uid }, store, isDone));
  for (const { name, kind, path, reason } of others)
    outcomes.push({ store: name, kind, path, state: 'unusable', commands: [], reason });
  conclude(report, authority, outcomes);
};

function nowhere({ platform }: CliPorts, { file }: Authority): CliError {
  return new CliError('Nothing was found here that keeps trusted authorities and that this command knows.', {
    code: 'no_trust_store',
    next:
      platform === 'win32'
        ? `certutil -user -addstore Root ${shellWord(file)}`
        : `import ${shellWord(file)} in the settings of the browser`,
  });
}

function explanation(ports: CliPorts, authority: Authority, isUndo: boolean): string {
  const fields = renderFields([
    ['authority', authority.subject],
    ['SHA-256', authority.fingerprint],
    ['file', shownPath(ports.cwd, authority.file)],
    ['valid until', new Date(authority.expiresAt).toISOString().slice(0, 10)],
    ['can vouch for', authority.isLimited ? 'the names in its certificate only' : 'every name'],
  ]);
  if (isUndo) return `${fields}\n`;
  const sites = authority.isLimited ? 'a site of those names' : 'any site';
  const warning = [
    `A holder of its key can pretend to be ${sites} to programs that trust it.`,
    'Undo it when you no longer need it. Only "pki renew" needs the key, so',
    'it can be kept elsewhere meanwhile.',
  ].join('\n');
  return `${fields}\n\n${warning}\n`;
}

async function isIn(ports: CliPorts, { look }: TrustStore): Promise<boolean> {
  if (typeof look === 'function') return look();
  const { isFine, text } = await runStep(ports, look.step);
  return isFine && look.isIn(text);
}

/** Trusting needs a yes; ending trust is harmless. */
async function agree(report: Report, { undo, dryRun, yes }: TrustOptions): Promise<void> {
  if (undo || dryRun || yes) return;
  if (report.json || !canPrompt(report.ports))
    throw usageError(
      'There is no terminal to ask whether this authority shall be trusted.',
      'compare the fingerprint, then add --yes, or --dry-run to see what would be done',
    );
  await requireYes(report, 'Trust it on this computer?', 'overlay-auth pki trust --dry-run');
}

interface Run {
  readonly report: Report;
  readonly authority: Authority;
  readonly options: TrustOptions;
  readonly uid: number | undefined;
}

async function treat(run: Run, store: TrustStore, isDone: boolean): Promise<Outcome> {
  const { report, authority, options, uid } = run;
  const { name, kind, path } = store;
  const stepsFor = (file: string) => (options.undo ? store.undo : store.trust(file));
  const lines = (steps: readonly Step[], sudo = '') =>
    steps.map((step) => sudo + step.map(shellWord).join(' '));
  const outcome = (state: State, commands: readonly string[] = [], reason?: string): Outcome => ({
    ...{ store: name, kind, path, state, commands },
    ...(reason === undefined ? {} : { reason }),
  });
  const steps = stepsFor(authority.file);
  if (isDone) return outcome('unchanged');
  const sudo = store.needsRoot && uid !== 0 ? 'sudo ' : '';
  if (options.dryRun) return outcome('planned', lines(steps, sudo));
  if (sudo !== '') return outcome('needs root', lines(steps, sudo));
  // A copy, so that only the certificate that was shown becomes trusted, even if the file changes.
  const copy = mkdtempSync(join(tmpdir(), 'overlay-auth-trust-'));
  try {
    const file = join(copy, `${authority.name}.crt`);
    writeFileSync(file, authority.pem);
    for (const step of stepsFor(file)) {
      notice(report, `running: ${step.map(shellWord).join(' ')}`);
      const { isFine, text } = await runStep(report.ports, step);
      if (!isFine) return outcome('failed', lines(steps), text.trim() || `${step[0]} failed`);
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
  return outcome(options.undo ? 'removed' : 'trusted', lines(steps));
}

function runStep(
  { env, cwd }: CliPorts,
  [program, ...args]: Step,
): Promise<{ isFine: boolean; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      programPath(program, env) ?? program,
      args,
      { env: { ...env }, cwd, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) =>
        resolve({ isFine: error === null, text: error === null ? stdout : stderr || error.message }),
    );
    // A database with a password would ask for it. Instead it fails with a message.
    child.stdin?.end();
  });
}

function conclude(report: Report, authority: Authority, outcomes: readonly Outcome[]): void {
  const { subject, fingerprint, file, isLimited } = authority;
  printResult(report, { authority: { subject, fingerprint, file, isLimited }, stores: outcomes }, () =>
    textOf(report.ports, outcomes),
  );
  const has = (state: State) => outcomes.some((each) => each.state === state);
  const failed = outcomes.filter(({ state }) => state === 'failed');
  const typed = outcomes
    .filter(({ state }) => state === 'needs root')
    .flatMap(({ commands }) => commands)
    .join(' && ');
  if (failed.length > 0)
    throw new CliError(failed.map(({ store, reason }) => `${store}: ${reason}`).join('; '), {
      code: 'trust_failed',
      next: 'correct the named files, then run the command again',
    });
  const isReached = ['trusted', 'removed', 'unchanged', 'planned'].some((state) => has(state as State));
  if (!isReached)
    throw typed === ''
      ? new CliError('None of these could be used.', {
          code: 'no_trust_store',
          next: 'see the reasons above',
        })
      : new CliError('The store of the system belongs to root.', { code: 'needs_root', next: typed });
  if (typed !== '') notice(report, `next: ${typed}`);
  if (has('trusted') || has('removed')) notice(report, 'Restart the browsers that are open.');
}

function textOf({ env }: CliPorts, outcomes: readonly Outcome[]): string {
  const shown = (path: string) =>
    env.HOME !== undefined && path.startsWith(`${env.HOME}/`) ? `~${path.slice(env.HOME.length)}` : path;
  const table = renderTable(
    [
      'store',
      ['state', (row) => (row.reason === undefined ? row.state : `${row.state}: ${row.reason}`)],
      ['place', (row) => shown(row.path)],
    ],
    outcomes,
  );
  const planned = outcomes.filter(({ state }) => state === 'planned').flatMap(({ commands }) => commands);
  return planned.length === 0 ? table : `${table}\n\n${planned.join('\n')}`;
}
