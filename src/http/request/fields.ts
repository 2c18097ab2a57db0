// Fields that several endpoints read, each with its bounds.

import { z } from 'zod';
import type { ClientInfo } from '../../model/client-info.ts';
import type { JsonSchema } from '../../model/json-schema.ts';
import type { ListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import { parseDuration } from '../../platform/formats/durations.ts';
import type { Form } from '../../platform/formats/strict-input.ts';
import { longestCertificateRequest } from '../../platform/x509/certificate-request.ts';

/** An id in a body. Our ids contain no other characters. */
export const idText = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes and underscores');

/** A query or form as it was read. The endpoint decides about its parameters, and about those that are repeated. */
export const anyParameters = z.custom<Form>();

/** Some clients send null for none. */
export const tags = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .nullable()
  .transform((value) => value ?? {});

const timeText = z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-31T12:00:00Z' });

/** RFC 3339; Millis afterwards. */
export const someTime = timeText.transform((text): Millis => Date.parse(text));

/** RFC 3339; absent or null: none. */
export const optionalTime = timeText.nullish().transform((text) => (text == null ? null : Date.parse(text)));

export const durationText = z.string().meta({
  pattern: String.raw`^\+?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h|d))+)$`,
  examples: ['5m'],
});

/** A duration such as `1h30m` or `7d`; Millis afterwards. */
export const durationField = durationText.transform((text, context): Millis => {
  try {
    return parseDuration(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'must be a duration such as 5m';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
});

/** The type of a parameter, for those who send it. To us all parameters are texts, whose rules `listQuery` knows. */
function described(schema: JsonSchema): JsonSchema & { readonly type?: JsonSchema['type'] | undefined } {
  return { type: undefined, ...schema } as JsonSchema;
}

const filterWords =
  'By the fields of meta.filterableFields: = != < <= > >= contains icontains in, and, or, not; may end in sort by, skip, limit';

/** Parameters of a list. A filter that is not understood is refused, not ignored. */
export const listParameters = z.object({
  filter: z.string().optional().describe(filterWords),
  limit: z
    .string()
    .optional()
    .meta({
      description:
        'At most 500, or none, which means 500 for callers who are not administrators; the default is 10',
      ...described({ anyOf: [{ type: 'integer', minimum: 0, maximum: 500 }, { const: 'none' }] }),
      examples: [50, 'none'],
    }),
  offset: z
    .string()
    .optional()
    .meta({
      description: 'How many to leave out',
      ...described({ type: 'integer', minimum: 0 }),
      examples: [100],
    }),
  sort: z.string().optional().describe('Fields, each with asc or desc'),
  roleFilter: z.literal('', 'is not supported').optional().describe('Only for clients that send it empty'),
});

/** `listParameters`, described by what this list can be filtered and sorted by. */
export function listParametersOf(fields: ListFields) {
  const { filter, sort } = listParameters.shape;
  const names = [...fields.keys()];
  const time = names.find((name) => fields.get(name)?.kind === 'time');
  const latest = `${time} desc`;
  return listParameters.extend({
    filter: filter.meta({
      description: `${filterWords}. The fields: ${names.join(', ')}`,
      examples: [`${time} > datetime(2026-01-01T00:00:00Z) sort by ${latest} limit 20`],
    }),
    sort: sort.meta({ examples: [latest] }),
  });
}

export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');

/** Parameters of a change. `force`: even if no administrator could log in any more, or a name passes for another one. */
export const changeParameters = z.object({
  force: flag.describe(
    'Also when no administrator is left who can log in, or a name passes for that of another identity',
  ),
});

/** A certificate signing request in a body, PEM. */
export const csrText = z.string().max(longestCertificateRequest);

/** Asks for a certificate of the session (PEM), which is issued with the tokens. */
export const csrPem = csrText.optional();

/** A TOTP or recovery code in a body or header. The rule judges everything else about its form. */
export const totpCode = z.string().max(64);

/** Names or ids of configuration types: one, several or none. */
export const configTypes = z
  .union([z.string(), z.array(z.string().max(100)).max(32)])
  .optional()
  .transform((value) => (value === undefined ? [] : typeof value === 'string' ? [value] : value));

// A client's description of itself at login: in JSON as `envInfo` and `sdkInfo`, in a form as separate fields.

const longest = 255;
/** RFC 1035 section 2.3.4, as text without the final dot. */
const longestName = 253;

/** Administrators read these in tables and logs, where invisible characters could fake or reverse text. */
function word(max: number) {
  return z
    .string()
    .max(max, `must be at most ${max} characters long`)
    .nullish()
    .transform((text) => text?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim() ?? '');
}

const envInfoInput = z.object({
  arch: word(longest),
  os: word(longest),
  osRelease: word(longest),
  osVersion: word(longest),
  domain: word(longestName),
  hostname: word(longestName),
});

const sdkInfoInput = z.object({
  appId: word(longest),
  appVersion: word(longest),
  branch: word(longest),
  revision: word(longest),
  type: word(longest),
  version: word(longest),
});

/** Members of a JSON body. Some clients send null for none. */
export const clientInfoMembers = { envInfo: envInfoInput.nullish(), sdkInfo: sdkInfoInput.nullish() };

const env = envInfoInput.shape;
const sdk = sdkInfoInput.shape;

/** Members of a body that may also be a form. */
export const clientInfoFields = {
  ...clientInfoMembers,
  envArch: env.arch,
  envOs: env.os,
  envOsRelease: env.osRelease,
  envOsVersion: env.osVersion,
  envDomain: env.domain,
  envHostname: env.hostname,
  sdkAppID: sdk.appId,
  sdkAppVersion: sdk.appVersion,
  sdkBranch: sdk.branch,
  sdkRevision: sdk.revision,
  sdkType: sdk.type,
  sdkVersion: sdk.version,
};

const membersSchema = z.object(clientInfoMembers);
const fieldsSchema = z.object(clientInfoFields);

/** The client's description of itself, or undefined if there is none. Empty texts count as none. */
export function clientInfoOf({ envInfo, sdkInfo }: z.output<typeof membersSchema>): ClientInfo | undefined {
  const info = { envInfo: said(envInfo ?? {}), sdkInfo: said(sdkInfo ?? {}) };
  return Object.keys({ ...info.envInfo, ...info.sdkInfo }).length === 0 ? undefined : info;
}

/** Like `clientInfoOf`. The fields of a form count where the JSON members are absent. */
export function clientInfoOfFields(body: z.output<typeof fieldsSchema>): ClientInfo | undefined {
  const envInfo = {
    arch: body.envArch,
    os: body.envOs,
    osRelease: body.envOsRelease,
    osVersion: body.envOsVersion,
    domain: body.envDomain,
    hostname: body.envHostname,
  };
  const sdkInfo = {
    appId: body.sdkAppID,
    appVersion: body.sdkAppVersion,
    branch: body.sdkBranch,
    revision: body.sdkRevision,
    type: body.sdkType,
    version: body.sdkVersion,
  };
  return clientInfoOf({ envInfo: body.envInfo ?? envInfo, sdkInfo: body.sdkInfo ?? sdkInfo });
}

function said<Info extends Readonly<Record<string, string>>>(info: Info | object): Partial<Info> {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== '')) as Partial<Info>;
}
