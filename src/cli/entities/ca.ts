import type { EntityDescriptor } from './descriptor.ts';

/** Third-party authorities. The rule for external ids is given by single options, or as a document. */
export const ca: EntityDescriptor = {
  name: 'ca',
  aliases: ['cas'],
  path: '/cas',
  help: 'third-party authorities whose certificates log in',
  lookupFields: ['name'],
  columns: [
    { heading: 'name', cell: (row) => row.name },
    { heading: 'id', cell: (row) => row.id },
    { heading: 'logs in', cell: (row) => row.isAuthEnabled },
    { heading: 'verified', cell: (row) => row.isVerified },
    { heading: 'fingerprint', cell: (row) => row.fingerprint },
  ],
  createArguments: [
    { argument: '<name>', path: 'name', kind: 'text', help: 'its name' },
    { argument: '<cert>', path: 'certPem', kind: 'file', help: 'file with its certificate' },
  ],
  options: [
    { flags: '--name <name>', path: 'name', kind: 'text', only: 'update', help: 'a new name' },
    { flags: '--auth', path: 'isAuthEnabled', kind: 'flag', help: 'its certificates log in' },
    {
      flags: '--claim-location <where>',
      path: 'externalIdClaim.location',
      kind: 'text',
      choices: ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'],
      help: 'which part of its certificates contains the external id of the identity',
    },
    {
      flags: '--claim-matcher <matcher>',
      path: 'externalIdClaim.matcher',
      kind: 'text',
      choices: ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'],
      help: 'which of the names there is meant (default: ALL)',
    },
    {
      flags: '--claim-matches <text>',
      path: 'externalIdClaim.matcherCriteria',
      kind: 'text',
      help: 'prefix, suffix or scheme of that name',
    },
    {
      flags: '--claim-parser <parser>',
      path: 'externalIdClaim.parser',
      kind: 'text',
      choices: ['NONE', 'SPLIT'],
      help: 'whether the value is the external id or has to be split (default: NONE)',
    },
    {
      flags: '--claim-split-at <text>',
      path: 'externalIdClaim.parserCriteria',
      kind: 'text',
      help: 'with SPLIT: where to cut',
    },
    {
      flags: '--claim-index <n>',
      path: 'externalIdClaim.index',
      kind: 'integer',
      help: 'with SPLIT: which part, from 0',
    },
    {
      flags: '--tag <key=value>',
      path: 'tags',
      kind: 'tags',
      help: 'may be repeated; an update replaces all',
    },
  ],
  isUpdatable: true,
  hasFile: true,
};
