// Everything in the source that is imported, as it is there, and how many other entities there are.

import type { BoltBucket } from '../bolt/bolt-bucket.ts';
import type { BoltFile } from '../bolt/bolt-file.ts';
import { type Entity, entitiesIn } from './entity.ts';
import { UnreadableSource } from './unreadable-source.ts';

/** The kinds that are imported, by their names in the source. */
const takenKinds = [
  'authPolicies',
  'externalJwtSigners',
  'cas',
  'configTypes',
  'identities',
  'authenticators',
  'mfas',
  'enrollments',
] as const;
export type TakenKind = (typeof takenKinds)[number];

export interface Source {
  readonly entities: Readonly<Record<TakenKind, readonly Entity[]>>;
  /** How many entities of each other kind there are. */
  readonly others: Readonly<Record<string, number>>;
  /** Version of the source's own schema; null if it does not say. */
  readonly version: number | null;
}

/** @throws UnreadableSource, BoltError */
export function readSource(file: BoltFile): Source {
  const entities = Object.fromEntries(takenKinds.map((kind) => [kind, [] as Entity[]])) as Record<
    TakenKind,
    Entity[]
  >;
  const others: Record<string, number> = Object.create(null);
  let version: number | null = null;
  for (const { name, bucket } of bucketsIn(modelOf(file))) {
    if (isTaken(name)) for (const entity of entitiesIn(bucket, name)) entities[name].push(entity);
    else if (name === 'versions') version = versionIn(bucket);
    else others[name] = count(bucket);
  }
  file.requireUnchanged();
  return { entities, others, version };
}

const modelBucket = 'ziti';

function modelOf(file: BoltFile): BoltBucket {
  for (const { name, bucket } of bucketsIn(file.root)) if (name === modelBucket) return bucket;
  throw new UnreadableSource(
    modelBucket,
    'this bolt database is not that of a controller: it has no such bucket',
  );
}

function* bucketsIn(bucket: BoltBucket): Generator<{ readonly name: string; readonly bucket: BoltBucket }> {
  for (const entry of bucket.entries()) {
    if (entry.kind === 'bucket') yield { name: entry.key.toString('utf8'), bucket: entry.bucket };
  }
}

function isTaken(name: string): name is TakenKind {
  return takenKinds.some((kind) => kind === name);
}

function count(bucket: BoltBucket): number {
  let entries = 0;
  for (const _ of bucket.entries()) entries += 1;
  return entries;
}

/** It is a value in the bucket itself. */
function versionIn(bucket: BoltBucket): number | null {
  for (const entry of bucket.entries()) {
    if (entry.kind !== 'value' || entry.key.toString('latin1') !== 'edge' || entry.value.length !== 9)
      continue;
    return Number(entry.value.readBigInt64LE(1));
  }
  return null;
}
