// The fields of one entity of the source. Absent means the same as null.

import type { Millis } from '../../../../src/platform/clock.ts';
import type { BoltBucket } from '../bolt/bolt-bucket.ts';
import type { BoltPlace } from '../bolt/bolt-error.ts';
import { readScalar, type Scalar } from './typed-value.ts';
import { UnreadableSource } from './unreadable-source.ts';

/** A bucket as read, with copies of its bytes. */
interface Tree {
  readonly place: BoltPlace;
  readonly members: ReadonlyMap<string, Leaf | Tree>;
}

interface Leaf {
  readonly place: BoltPlace;
  readonly value: Buffer;
}

/** A value in a map, as in JSON. */
export type Json = Scalar['value'] | readonly Json[] | { readonly [name: string]: Json };

export interface Entity {
  readonly id: string;
  readonly path: string;
  text(name: string): string | null;
  requiredText(name: string): string;
  flag(name: string): boolean;
  number(name: string): number | null;
  /** Also null for the time that means "never". */
  time(name: string): Millis | null;
  /** A list of texts, which is a set in the source. */
  set(name: string): readonly string[];
  /** The members of a map. */
  map(name: string): { readonly [name: string]: Json };
  /** Whether there is a non-empty list or map. */
  has(name: string): boolean;
  /** An entity inside this one; null when it is absent. */
  inner(name: string): Entity | null;
}

/** Every entity of a kind, one at a time. @throws UnreadableSource, BoltError */
export function* entitiesIn(bucket: BoltBucket, kind: string): Generator<Entity> {
  for (const entry of bucket.entries()) {
    const id = keyText(entry.key, kind, entry.place);
    const path = `${kind} / ${id}`;
    if (entry.kind === 'value')
      throw new UnreadableSource(path, 'a value where an entity is expected', entry.place);
    yield entityOf(id, path, readTree(entry.bucket, path));
  }
}

function readTree(bucket: BoltBucket, path: string): Tree {
  const members = new Map<string, Leaf | Tree>();
  for (const entry of bucket.entries()) {
    // One character per byte, so that different keys stay different.
    const key = entry.key.toString('latin1');
    members.set(
      key,
      entry.kind === 'bucket'
        ? readTree(entry.bucket, path)
        : { place: entry.place, value: Buffer.from(entry.value) },
    );
  }
  return { place: bucket.place, members };
}

function entityOf(id: string, path: string, tree: Tree): Entity {
  const at = (name: string) => `${path} / ${name}`;
  /** @param type of values of this field: a number is no time, and a time no number */
  function typed<Type extends Scalar['type']>(name: string, type: Type): Scalar<Type>['value'] | null {
    const member = tree.members.get(name);
    if (member === undefined) return null;
    if (!('value' in member))
      throw new UnreadableSource(at(name), 'a map where a value is expected', member.place);
    if (member.value.length === 0) return null;
    const scalar = readScalar(member.value, at(name), member.place);
    if (scalar.type === 'null') return null;
    if (scalar.type === type) return (scalar as Scalar<Type>).value;
    throw new UnreadableSource(at(name), `no ${type}`, member.place);
  }
  function subtree(name: string): Tree | null {
    const member = tree.members.get(name);
    if (member === undefined || ('value' in member && isNull(member))) return null;
    if ('value' in member)
      throw new UnreadableSource(at(name), 'a value where a list or map is expected', member.place);
    return member;
  }
  const text = (name: string) => typed(name, 'text');
  return {
    id,
    path,
    text,
    requiredText(name) {
      const value = text(name);
      if (value === null) throw new UnreadableSource(at(name), 'it is missing', tree.place);
      return value;
    },
    flag: (name) => typed(name, 'boolean') ?? false,
    number: (name) => typed(name, 'number'),
    time(name) {
      const value = typed(name, 'time');
      return value === null || value <= year1 ? null : value;
    },
    set: (name) => textsOf(subtree(name), at(name)),
    map: (name) => mapOf(subtree(name), at(name)),
    has: (name) => (subtree(name)?.members.size ?? 0) > 0,
    inner(name) {
      const inner = subtree(name);
      return inner === null ? null : entityOf(id, at(name), inner);
    },
  };
}

/** What the source writes for a time that was never set. */
const year1 = -62_135_596_800_000;
const textType = '\x05';
const nullType = 0x07;
/** Marks a list, and says how many members it has, which is not believed. */
const listMark = '__list__size__36484231-110c-4767-afe2-01b6e3db107a';

function isNull({ value }: Leaf): boolean {
  return value.length === 0 || (value.length === 1 && value[0] === nullType);
}

function textsOf(tree: Tree | null, path: string): readonly string[] {
  return [...(tree?.members ?? [])].map(([key, member]) => {
    if (!key.startsWith(textType))
      throw new UnreadableSource(path, 'a member of the list is no text', member.place);
    return keyText(Buffer.from(key.slice(1), 'latin1'), path, member.place);
  });
}

function mapOf(tree: Tree | null, path: string): { readonly [name: string]: Json } {
  const members: Record<string, Json> = Object.create(null);
  for (const [key, member] of tree?.members ?? []) {
    members[keyText(Buffer.from(key, 'latin1'), path, member.place)] = jsonOf(member, path);
  }
  return members;
}

function jsonOf(member: Leaf | Tree, path: string): Json {
  if ('value' in member) return readScalar(member.value, path, member.place).value;
  return member.members.has(listMark) ? listOf(member, path) : mapOf(member, path);
}

function listOf(tree: Tree, path: string): readonly Json[] {
  const list: Json[] = Array(tree.members.size - 1);
  for (const [key, member] of tree.members) {
    if (key === listMark) continue;
    const index = readScalar(Buffer.from(key, 'latin1'), path, member.place).value;
    // Below the number of members: a high one would cost more memory than the file has bytes.
    if (
      typeof index !== 'number' ||
      !Number.isInteger(index) ||
      index < 0 ||
      index >= list.length ||
      index in list
    )
      throw new UnreadableSource(path, 'a list has a member without a place', member.place);
    list[index] = jsonOf(member, path);
  }
  return list;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function keyText(key: Buffer, path: string, place: BoltPlace): string {
  try {
    return utf8.decode(key);
  } catch {
    throw new UnreadableSource(path, 'a key that is not UTF-8', place);
  }
}
