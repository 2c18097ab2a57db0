import { dirname, isAbsolute, join } from 'node:path';
import { typedName } from '../../../model/names.ts';
import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import type { Flags, Texts, Work } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { canPrompt, requireYes } from '../../terminal/prompt.ts';
import { readSecretFile } from '../../terminal/secret-input.ts';
import { withApi } from '../connection/api-client.ts';
import { changed } from '../entities/change.ts';
import { inFile, readPlacedDocument } from '../entities/document-file.ts';

type ApplyOptions = Texts<'server'> & Flags<'prune' | 'dryRun' | 'yes' | 'force'>;

/** `apply FILE…`: changes the server to match the files, completely or not at all. */
export const applyCommand: Work<ApplyOptions, readonly [readonly string[]]> = async (
  report,
  options,
  [files],
) => {
  const { ports } = report;
  const { state, places, kinds } = await readStateFiles(ports, files);
  const { prune = false, dryRun = false, force } = options;
  await withApi(report, options.server, async (api) => {
    const send = async (isTrial: boolean) => {
      const json = { state, prune, dryRun: isTrial };
      try {
        return (await changed(api, { method: 'POST', path: '/state', json }, { force })).document;
      } catch (error) {
        throw error instanceof CliError ? inItsFile(error, { places, kinds }) : error;
      }
    };
    if (prune && !dryRun && options.yes !== true) await askBeforePruning(report, await send(true));
    const changes = await send(dryRun);
    printResult(report, changes, () => changesText(changes, dryRun));
  });
};

/** @throws CliError there is no terminal to ask, or the answer is not yes */
async function askBeforePruning(report: Report, changes: JsonObject): Promise<void> {
  const doomed = asList(changes.deleted);
  if (doomed.length === 0) return;
  const { ports } = report;
  const many = doomed.length === 1 ? 'one entity' : `${doomed.length} entities`;
  if (!canPrompt(ports))
    throw usageError(
      `--prune would delete ${many}, and there is no terminal to ask.`,
      'look with --dry-run, then add --yes',
    );
  notice(report, doomed.map((entity) => `- ${called(entity)}`).join('\n'));
  await requireYes(report, `Delete ${many}, which no file names?`, 'add them to a file, or omit --prune');
}

function changesText(changes: JsonObject, isTrial: boolean): string {
  const [created, changed, deleted, unchanged] = ['created', 'changed', 'deleted', 'unchanged'].map((name) =>
    asList(changes[name]),
  );
  const lines = [
    ...(created ?? []).map((entity) => `+ ${called(entity)}`),
    ...(changed ?? []).flatMap((entity) => [
      `~ ${called(entity)}`,
      ...asList(asObject(entity).fields).map((field) => `    ${memberText(asObject(field))}`),
    ]),
    ...(deleted ?? []).map((entity) => `- ${called(entity)}`),
  ];
  const counts = [
    `${created?.length} created`,
    `${changed?.length} changed`,
    `${deleted?.length} deleted`,
    `${unchanged?.length} unchanged`,
  ].join(', ');
  return [...lines, isTrial ? `${counts}. This was a trial: nothing was changed.` : `${counts}.`].join('\n');
}

function called(entity: unknown): string {
  const { kind } = asObject(entity);
  return `${String(kind)} ${textField(asObject(entity), 'name') ?? ''}`;
}

function memberText({ field, before, after }: JsonObject): string {
  return `${String(field)}: ${shown(before)} -> ${shown(after)}`;
}

const longestShown = 120;

function shown(value: unknown): string {
  const text = value === undefined ? '(none)' : JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** Where an entry stands. */
interface Place {
  readonly file: string;
  readonly name: string;
  lineOf(members: readonly string[]): number;
}

/** Of each entry that is sent: by kind, in the order of sending. */
type Places = ReadonlyMap<string, readonly Place[]>;

interface StateFiles {
  readonly state: JsonObject;
  readonly places: Places;
  /** Where each kind stands first. */
  readonly kinds: ReadonlyMap<string, { readonly file: string; readonly line: number }>;
}

/**
 * The server names `state.KIND.NUMBER.MEMBER` of the document that all files make together, `state.KIND` if it does not
 * know that kind, or `KIND[NAME].MEMBER` when a rule refuses the value.
 */
function inItsFile(error: CliError, { places, kinds }: Pick<StateFiles, 'places' | 'kinds'>): CliError {
  const field = error.field ?? '';
  const [, unknown = ''] = /^state\.([^.]+)$/.exec(field) ?? [];
  const first = kinds.get(unknown);
  if (first !== undefined) return inFile(error, { ...first, what: unknown, field });
  const {
    kind = '',
    at,
    name,
    member = '',
  } = (
    /^state\.(?<kind>[^.]+)\.(?<at>\d+)(?:\.(?<member>.*))?$/.exec(field) ??
    /^(?<kind>[^[]+)\[(?<name>.*)\]\.(?<member>.*?)$/s.exec(field)
  )?.groups ?? {};
  const known = places.get(kind) ?? [];
  const place =
    at === undefined ? known.find((one) => one.name.slice(0, longestName) === name) : known[Number(at)];
  if (place === undefined) return error;
  return inFile(error, {
    file: place.file,
    line: place.lineOf(member.split('.').filter((part) => part !== '')),
    what: [`${kind} ${place.name}`.trim(), member].filter((part) => part !== '').join(', '),
    field: at === undefined ? member : field,
  });
}

/** The server shortens names to this length. */
const longestName = 80;

/**
 * Combines the documents of all files. The server reports what is wrong inside an entity.
 * @throws CliError exit 2: a file cannot be read, a kind is not a list, or two files describe one entity
 */
async function readStateFiles(ports: CliPorts, files: readonly string[]): Promise<StateFiles> {
  const state = new Map<string, unknown[]>();
  const places = new Map<string, Place[]>();
  const kinds = new Map<string, { file: string; line: number }>();
  const fileOf = new Map<string, string>();
  for (const file of files) {
    const { members, lineOf } = await readPlacedDocument(ports, file);
    for (const [kind, entities] of Object.entries(members)) {
      if (!Array.isArray(entities))
        throw usageError(`${file}: ${kind} does not hold a list.`, 'correct the file');
      const list = state.get(kind) ?? [];
      const known = places.get(kind) ?? [];
      state.set(kind, list);
      places.set(kind, known);
      if (!kinds.has(kind)) kinds.set(kind, { file, line: lineOf([kind]) });
      for (const [at, entity] of asList(entities).entries()) {
        const name = typedName(textField(asObject(entity), 'name') ?? '');
        const former = fileOf.get(`${kind} ${name}`);
        if (name !== '' && former !== undefined)
          throw usageError(
            `${kind} ${name} appears twice: in ${former} and in ${file}.`,
            'leave it in one place',
          );
        fileOf.set(`${kind} ${name}`, file);
        known.push({ file, name, lineOf: (within) => lineOf([kind, at, ...within]) });
        list.push(await withSecrets(ports, { file, kind, entity }));
      }
    }
  }
  return { state: Object.fromEntries(state), places, kinds };
}

/**
 * The entry with the secrets that it names: `{file: PATH}`, which begins at the folder of the entry's file, or
 * `{env: NAME}`.
 * @throws CliError exit 2: there is no such file or variable
 */
async function withSecrets(
  ports: CliPorts,
  { file, kind, entity }: { file: string; kind: string; entity: unknown },
): Promise<unknown> {
  const { clientSecret, ...rest } = asObject(entity);
  if (kind !== 'ext-jwt-signer' || typeof clientSecret !== 'object' || clientSecret === null) return entity;
  const { file: path, env } = asObject(clientSecret);
  if (typeof path === 'string') {
    const named = isAbsolute(path) ? path : join(dirname(file), path);
    return { ...rest, clientSecret: await readSecretFile(ports, named, 'secret file') };
  }
  const secret = typeof env === 'string' ? ports.env[env] : undefined;
  if (secret) return { ...rest, clientSecret: secret };
  throw usageError(
    typeof env === 'string'
      ? `${file} takes a client secret from the environment variable ${env}, which is not set or empty.`
      : `${file}: clientSecret names neither a file nor an environment variable.`,
    'write {file: PATH} or {env: NAME}',
  );
}
