import * as z from 'zod';
import { withHostsTogether } from '../platform/network/postgres-hosts.ts';
import type { Config } from './config.ts';
import type { ConfigPath } from './config-error.ts';
import { type FileContent, fileSchema } from './settings.ts';
import type { DbConfig } from './value-kinds.ts';

export type FileValue =
  | string
  | number
  | boolean
  | readonly FileValue[]
  | { readonly [key: string]: FileValue };

/** The effective configuration in the shape and order of the file, with every default written out. */
export type FileShape = { readonly [key: string]: FileValue };

/** Passwords in it are not masked: only to be read as a file again. */
export function toFile({ listeners, edge: { present, ...edge }, ...config }: Config): FileShape {
  const isDefault = (identity: unknown) => JSON.stringify(identity) === JSON.stringify(config.identity);
  const content = {
    ...config,
    web: listeners.map((listener) => ({
      ...listener,
      identity: isDefault(listener.identity) ? null : listener.identity,
    })),
    ...(present ? { edge } : {}),
  };
  return withoutEmptyMaps(z.encode(fileSchema, content as FileContent) as FileShape) as FileShape;
}

/**
 * The same to be shown: `config show` prints it, and its paths look up the origin of each value. Reading it as a file
 * gives the same configuration, except for the passwords of the database and the proxy, which are masked.
 */
export function toFileShape(config: Config): FileShape {
  const { edge } = config;
  const { proxy } = edge.externalJwtSigners.jwksFetch;
  const jwksFetch = { ...edge.externalJwtSigners.jwksFetch, proxy: proxy && masked(new URL(proxy)).href };
  const shown = {
    ...config,
    edge: { ...edge, externalJwtSigners: { ...edge.externalJwtSigners, jwksFetch } },
  };
  return { ...toFile(shown), db: dbText(config.db) };
}

function masked(url: URL): URL {
  if (url.password !== '') url.password = '***';
  return url;
}

function withoutEmptyMaps(value: FileValue): FileValue {
  if (Array.isArray(value)) return value.map(withoutEmptyMaps);
  if (typeof value !== 'object') return value;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [key, withoutEmptyMaps(member)] as const);
  return Object.fromEntries(
    members.filter(
      ([, member]) => typeof member !== 'object' || Object.keys(member).length > 0 || Array.isArray(member),
    ),
  );
}

/** A database URL that can be shown: a password in it becomes `***`. */
export function dbText(db: DbConfig): string {
  if (db.engine === 'sqlite') return `sqlite:${db.file}`;
  const url = masked(new URL(db.url));
  if (url.searchParams.has('password')) url.searchParams.set('password', '***');
  return withHostsTogether(url);
}

/** Whether a database URL contains a password. */
export function holdsPassword(db: DbConfig): boolean {
  if (db.engine === 'sqlite') return false;
  const { password, searchParams } = new URL(db.url);
  return password !== '' || searchParams.has('password');
}

/** The paths of all values that are not maps or lists with entries, in order. */
export function leafPaths(value: FileValue, path: ConfigPath = []): readonly ConfigPath[] {
  if (Array.isArray(value)) {
    const entries = value as readonly FileValue[];
    return entries.length === 0
      ? [path]
      : entries.flatMap((entry, index) => leafPaths(entry, [...path, index]));
  }
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, child]) => leafPaths(child, [...path, key]));
  return [path];
}
