// Create, get, list, update and delete, for any entity.

import { inDays } from '../../../platform/formats/durations.ts';
import { asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { certificateFacts, parseCertificate } from '../../../platform/x509/x509.ts';
import type { Texts, Work } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { confirmAtTerminal } from '../../terminal/prompt.ts';
import { readNewPassword } from '../../terminal/secret-input.ts';
import { printTable, renderFields, withoutMilliseconds } from '../../terminal/table.ts';
import { onServer, withApi } from '../connection/api-client.ts';
import { bodyOf, type Given } from './body.ts';
import { changed } from './change.ts';
import type { AfterCreate, AfterCreateStep, EntityDescriptor, EntityOptions } from './descriptor.ts';
import { entityNoun } from './descriptor.ts';
import { findEntity } from './lookup.ts';
import type { ManyOptions } from './many-identities.ts';

const afterCreateSteps: Readonly<Record<AfterCreateStep, () => Promise<AfterCreate>>> = {
  identity: async () => (await import('./new-identity.ts')).newIdentity,
  authenticator: async () => (await import('./new-authenticator.ts')).newAuthenticator,
  enrollment: async () => (await import('./enrollment-actions.ts')).newEnrollment,
};

/** `create ENTITY …` */
export const createEntity = (entity: EntityDescriptor) =>
  onServer<EntityOptions, readonly unknown[]>(async ({ report, api }, options, args) => {
    const positional = entity.createArguments.map((of, index): Given => ({ of, typed: args[index] }));
    const given = [...positional, ...givenOptions(entity, 'create', options)];
    const file = await documentOf(report.ports, options);
    const body = await bodyOf({ ports: report.ports, api, entity }, given, { ...entity.usually, ...file });
    const step = entity.afterCreate?.step;
    const afterCreate = step === undefined ? undefined : await afterCreateSteps[step]();
    const next = await afterCreate?.prepare(report, options, body);
    const needsPassword = entity.hasPassword === true && body.method !== 'cert';
    const whole = needsPassword ? await withPassword(report, options, { body }) : body;
    let created: JsonObject = {};
    const create = async () => {
      const call = { method: 'POST', path: entity.path, json: whole } as const;
      created = (await changed(api, call, options)).document;
      return textField(created, 'id') ?? '';
    };
    await (next === undefined ? create() : next(api, create));
    const { id = '', secret } = created;
    const name = textField(body, 'name') ?? textField(body, 'username');
    const made = { id, ...(name === undefined ? {} : { name }), ...(secret === undefined ? {} : { secret }) };
    printResult(report, made, () => `Created ${entityNoun(entity)} ${name ?? ''} ${id}`.replace(/ +/g, ' '));
    if (secret !== undefined) notice(report, `Its secret, which is not shown again: ${secret}`);
  });

/** `get ENTITY NAME` */
export const getEntity = (entity: EntityDescriptor) =>
  onServer<EntityOptions, readonly [string]>(async ({ report, api }, _options, [nameOrId]) => {
    const { id, ...listed } = await findEntity(api, entity, nameOrId);
    const path = `${entity.path}/${encodeURIComponent(id)}`;
    const found =
      entity.hasDetail === true
        ? asObject((await api.call({ method: 'GET', path })).data)
        : { id, ...listed };
    printResult(report, found, () => renderFields(shownFields(entity, found)));
  });

type ListOptions = EntityOptions & Texts<'limit' | 'offset' | 'sort'>;

const usualLimit = '100';

/** `list ENTITY [FILTER]` */
export const listEntities = (entity: EntityDescriptor) =>
  onServer<ListOptions, readonly [string | undefined]>(async ({ report, api }, options, [filter]) => {
    const hasOwnLimit = filter !== undefined && /\blimit\b/i.test(filter);
    const limit = options.limit ?? (hasOwnLimit ? undefined : usualLimit);
    const query = { filter, limit, offset: options.offset, sort: options.sort };
    const { rows, total, isEstimate } = await api.call({ method: 'GET', path: entity.path, query });
    const which = filter === undefined ? '' : ' that fits the filter';
    printTable(report, rows, {
      value: rows,
      columns: entity.columns,
      nothing: `There is no ${entityNoun(entity)}${which}.`,
    });
    const least = total % 1000 === 0 ? `about ${total}` : `more than ${total - 1}`;
    const all = isEstimate ? least : `${total}`;
    if (rows.length < total) notice(report, `${rows.length} of ${all}; all of them: --limit none`);
  });

/** `update ENTITY NAME …` */
export const updateEntity =
  (entity: EntityDescriptor): Work<EntityOptions, readonly [string | undefined]> =>
  async (report, options, [nameOrId]) => {
    const given = givenOptions(entity, 'update', options);
    const { filter } = options;
    if (filter !== undefined) {
      if (nameOrId !== undefined)
        throw usageError('A name and --filter exclude each other.', 'leave one of them out');
      await updateMany(report, entity, { filter, given, options });
      return;
    }
    if (nameOrId === undefined) throw usageError('Nothing to change was named.');
    const setsPassword =
      entity.hasPassword === true &&
      (options.passwordStdin === true || options.passwordFile !== undefined || options.newPassword === true);
    const hasFile = options.file !== undefined;
    if (!setsPassword && !hasFile && given.every(({ typed }) => typed === undefined))
      throw usageError('Nothing to change was given.');
    await withApi(report, options.server, async (api) => {
      const { id, ...found } = await findEntity(api, entity, nameOrId);
      const body = await bodyOf({ ports: report.ports, api, entity }, given, {
        ...objectsWithin(found, given),
        ...(await documentOf(report.ports, options)),
      });
      if (options.dryRun === true) {
        const { previewChange } = await import('./preview-change.ts');
        await previewChange(report, api, { entity, id, change: body, options: options as ManyOptions });
        return;
      }
      const json = setsPassword ? await withPassword(report, options, { body, whose: nameOrId }) : body;
      const path = `${entity.path}/${encodeURIComponent(id)}`;
      await changed(api, { method: 'PATCH', path, json }, options);
      printResult(report, { id }, () => `Updated ${entityNoun(entity)} ${nameOrId}.`);
    });
  };

/** The present objects of an entity that a change replaces as a whole, so that an option changes one member only. */
function objectsWithin(entity: JsonObject, given: readonly Given[]): JsonObject {
  const names = given.flatMap(({ of: { within }, typed }) => (typed === undefined ? [] : (within ?? [])));
  return Object.fromEntries(names.map((name) => [name, entity[name]]));
}

/** `update ENTITY --filter FILTER …` */
async function updateMany(
  report: Report,
  entity: EntityDescriptor,
  { filter, given, options }: { filter: string; given: readonly Given[]; options: EntityOptions },
): Promise<void> {
  const { changeMany } = await import('./many-identities.ts');
  const listed = (text: unknown) =>
    typeof text === 'string' ? text.split(',').map((one) => one.trim()) : undefined;
  const attributes = {
    addRoleAttributes: listed(options.addRoleAttributes),
    removeRoleAttributes: listed(options.removeRoleAttributes),
  };
  await withApi(report, options.server, async (api) => {
    const body = await bodyOf(
      { ports: report.ports, api, entity },
      given,
      await documentOf(report.ports, options),
    );
    const change = { ...body, ...JSON.parse(JSON.stringify(attributes)) };
    await changeMany(report, api, {
      selection: { filter },
      work: { change },
      options: options as ManyOptions,
    });
  });
}

/** `delete ENTITY NAME…`: finds all of them before it deletes the first. */
export const deleteEntities = (entity: EntityDescriptor) =>
  onServer<EntityOptions, readonly [readonly string[]]>(async ({ report, api }, options, [namesOrIds]) => {
    const named = new Map<string, string>();
    for (const nameOrId of namesOrIds) named.set((await findEntity(api, entity, nameOrId)).id, nameOrId);
    const names = [...named.values()];
    const all = names.map(shellWord).join(', ');
    await confirmAtTerminal(report, `Delete ${entityNoun(entity)} ${all}?`, options.yes === true);
    for (const [at, id] of [...named.keys()].entries()) {
      const path = `${entity.path}/${encodeURIComponent(id)}`;
      await changed(api, { method: 'DELETE', path }, options).catch((error: unknown) => {
        throw named.size === 1 || !(error instanceof CliError) ? error : afterSome(error, names, at);
      });
    }
    printResult(report, { ids: [...named.keys()] }, () =>
      names.map((nameOrId) => `Deleted ${entityNoun(entity)} ${nameOrId}.`).join('\n'),
    );
  });

/** A refusal of one of several, which says of all what became of them. */
function afterSome(error: CliError, names: readonly string[], at: number): CliError {
  const listed = (some: readonly string[]) => (some.length === 0 ? 'none' : some.map(shellWord).join(', '));
  return error.inOtherWords(
    `Not deleted: ${listed(names.slice(at))}. Deleted before: ${listed(names.slice(0, at))}. ${error.message}`,
    error.next ?? 'look at the first that was not deleted',
  );
}

async function documentOf(ports: CliPorts, { file }: EntityOptions): Promise<JsonObject> {
  if (file === undefined) return {};
  const { readDocument } = await import('./document-file.ts');
  return readDocument(ports, file);
}

function givenOptions(
  entity: EntityDescriptor,
  command: 'create' | 'update',
  options: EntityOptions,
): readonly Given[] {
  return entity.options
    .filter(({ only = command }) => only === command)
    .map((of) => ({ of, typed: options[memberName(of.spelling)] }));
}

/** The name under which commander returns an option: `--external-id <id>` is `externalId`. */
function memberName(spelling: string): string {
  const name = /--([a-z0-9-]+)/.exec(spelling)?.[1] ?? '';
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

async function withPassword(
  report: Report,
  options: EntityOptions,
  { body, whose = textField(body, 'username') ?? '' }: { body: JsonObject; whose?: string },
): Promise<JsonObject> {
  return { ...body, password: await readNewPassword(report.ports, options, whose) };
}

// Links are for programs, and references repeat the fields beside them.
/** One line a field: `primary.cert.allowed` for the rules of a policy, and the important fields of a certificate. */
function shownFields(
  entity: EntityDescriptor,
  found: JsonObject,
  within = '',
): readonly (readonly [string, unknown])[] {
  return Object.entries(found).flatMap(([member, value]): (readonly [string, unknown])[] => {
    const name = `${within}${member}`;
    if (name === '_links') return [];
    if (name === 'lockedUntil') return [[name, shownLocks(value)]];
    const isDuration = entity.options.some(({ path, field }) => path === name && field.kind === 'duration');
    if (isDuration && typeof value === 'string') return [[name, inDays(value)]];
    const inside = asObject(value);
    if (inside !== value || Object.keys(inside).length === 0) return [[name, shownText(value)]];
    if (textField(inside, 'entity') !== undefined) return [[name, inside.name]];
    return [...shownFields(entity, inside, `${name}.`)];
  });
}

function shownText(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('-----BEGIN CERTIFICATE-----')) return value;
  try {
    const { subject, notAfter, fingerprint } = certificateFacts(parseCertificate(value));
    return `${subject}, until ${new Date(notAfter).toISOString().slice(0, 10)}, SHA-256 ${fingerprint}`;
  } catch {
    return value;
  }
}

/** For an identity, until when each locked factor is locked; for an authenticator, until when it is. */
function shownLocks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, until]) => until !== null)
    .map(([factor, until]) => `${factor} until ${withoutMilliseconds(String(until))}`);
}
