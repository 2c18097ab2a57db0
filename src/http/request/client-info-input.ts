// What clients say about themselves at login, in JSON as `envInfo` and `sdkInfo`, in a form as fields of their own.

import { z } from 'zod';
import type { ClientInfo } from '../../model/client-info.ts';

const longest = 255;
/** RFC 1035 section 2.3.4, as text without the final dot. */
const longestName = 253;

/** Administrators read these in tables and logs, where what is not seen could draw what is not there, or turn it round. */
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

/** Members of a JSON body. Null is what some clients send for none. */
export const clientInfoMembers = { envInfo: envInfoInput.nullish(), sdkInfo: sdkInfoInput.nullish() };

const env = envInfoInput.shape;
const sdk = sdkInfoInput.shape;

/** Members of a body that may be a form too. */
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

/** What was said, or undefined when nothing was. Empty texts say nothing. */
export function clientInfoOf({ envInfo, sdkInfo }: z.output<typeof membersSchema>): ClientInfo | undefined {
  const info = { envInfo: said(envInfo ?? {}), sdkInfo: said(sdkInfo ?? {}) };
  return Object.keys({ ...info.envInfo, ...info.sdkInfo }).length === 0 ? undefined : info;
}

/** As `clientInfoOf`; the fields of a form count where the members of JSON do not say it. */
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
