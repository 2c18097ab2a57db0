import { z } from 'zod';
import { type ControllerNode, isOnline } from '../../model/node.ts';
import type { Millis } from '../../platform/clock.ts';
import { schemaNamed } from '../request/route.ts';
import { documentsBy, entityHead, entityMembers, timeSchema } from './wire.ts';

export const controllerSchema = schemaNamed('Controller', {
  ...entityMembers,
  name: z.string(),
  ctrlAddress: z.string(),
  version: z.string(),
  isOnline: z.boolean(),
  lastJoinedAt: timeSchema,
  apiAddresses: z.record(z.string(), z.array(z.strictObject({ url: z.string(), version: z.string() }))),
});

const shown = documentsBy(controllerSchema);

/** A node as both Edge APIs show it, so that clients learn which other nodes they can use. */
export function controllerDocument(node: ControllerNode, now: Millis) {
  const apiAddresses: Record<string, { readonly url: string; readonly version: string }[]> = {};
  for (const { binding, url, version } of node.apiAddresses)
    apiAddresses[binding] = [...(apiAddresses[binding] ?? []), { url, version }];
  const { address: ctrlAddress, startedAt: lastJoinedAt, lastSeenAt: updatedAt } = node;
  const head = entityHead('controllers', { ...node, updatedAt });
  return shown({ ...node, ...head, ctrlAddress, isOnline: isOnline(node, now), lastJoinedAt, apiAddresses });
}
