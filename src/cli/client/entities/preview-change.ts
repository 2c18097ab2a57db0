// `update identity|auth-policy NAME … --dry-run`: the server's preview of a change.

import { authPolicyEntity } from '../../../model/entities/auth-policy.ts';
import { patched } from '../../../model/entities/entity.ts';
import { asList, asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import type { ApiClient } from '../connection/api-client.ts';
import type { EntityDescriptor } from './descriptor.ts';
import { changeMany, type ManyOptions, objectionLines, requirePossible } from './many-identities.ts';

/** @param asked.entity identity or auth-policy @param asked.options with `dryRun` */
export async function previewChange(
  report: Report,
  api: ApiClient,
  {
    entity,
    id,
    change,
    options,
  }: { entity: EntityDescriptor; id: string; change: JsonObject; options: ManyOptions },
): Promise<void> {
  if (entity.name === 'identity') {
    await changeMany(report, api, { selection: { ids: [id] }, work: { change }, options });
    return;
  }
  const found = await api.call({ method: 'GET', path: `${entity.path}/${encodeURIComponent(id)}` });
  const policy = patched(authPolicyEntity.fields, found.document, change);
  const preview = await previewOfPolicy(api, policy, options.force);
  printResult(report, preview, () => policyPreviewText(preview));
  requirePossible(preview, 'correct the problem above');
}

/** @param policy as it would be saved, with its id if it exists */
export async function previewOfPolicy(
  api: ApiClient,
  policy: JsonObject,
  force = false,
): Promise<JsonObject> {
  const query = { force: String(force) };
  return (await api.call({ method: 'POST', path: '/auth-policies/preview', query, json: policy })).document;
}

export function policyPreviewText(preview: JsonObject): string {
  const [touched, joins, leaves, asksMore, lockedOut] = (
    ['touched', 'joins', 'leaves', 'asksMore', 'lockedOut'] as const
  ).map((name) => asObject(preview[name]));
  const names = asList(lockedOut?.first).map((one) => String(asObject(one).name));
  return [
    'If the policy were saved like this:',
    `  identities that have it:            ${touched?.count} (${joins?.count} would get it, ${leaves?.count} would lose it)`,
    `  that would have to prove more:      ${asksMore?.count}`,
    `  that could no longer log in:        ${lockedOut?.count}${names.length === 0 ? '' : ` (${names.join(', ')}${Number(lockedOut?.count) > names.length ? ', …' : ''})`}`,
    ...objectionLines(preview),
  ].join('\n');
}
