import { formatDuration } from '../platform/formats/durations.ts';
import { formatHostAndPort } from './addresses.ts';
import { adjustDurations } from './adjustments.ts';
import type { Binding } from './config.ts';
import type { ConfigPath } from './config-error.ts';
import type { Finding } from './describe-issues.ts';
import type { EdgeContent, ListenerContent } from './schema.ts';

/** The readable parts of the file: rules between them are checked even if other parts are wrong. */
export interface ReadableParts {
  /** One entry for each listener of the file, in its order; undefined if the listener itself is wrong. */
  readonly listeners: readonly (ListenerContent | undefined)[];
  readonly edge: EdgeContent | 'absent' | 'unreadable';
  /** Whether the file sets the duration of a refresh family; a default is adjusted instead of refused. */
  readonly familyDurationGiven: boolean;
}

const needEdge: readonly Binding[] = ['edge-client', 'edge-management', 'edge-oidc'];

/**
 * Checks the rules between values: unique listener names, interfaces and bindings, edge APIs only with an
 * `edge` section, and `edge.api.address` among the bind points of a listener with `edge-client`.
 */
export function checkConsistency(parts: ReadableParts): readonly Finding[] {
  return [
    ...repeatedNames(parts),
    ...repeatedInterfaces(parts),
    ...repeatedBindings(parts),
    ...edgeApisWithoutEdge(parts),
    ...apiAddressNotBound(parts),
    ...familyShorterThanToken(parts),
  ];
}

/** A finding about a value. */
export function value(path: ConfigPath, message: string, hint: string | null = null): Finding {
  return { path, at: 'value', message, hint };
}

/** Reports each item whose key occurred before. */
function repeated(
  items: readonly { readonly key: string; readonly path: ConfigPath }[],
  message: (key: string) => string,
  hint: string | null,
): readonly Finding[] {
  const seen = new Set<string>();
  return items.flatMap(({ key, path }) => {
    if (seen.has(key)) return [value(path, message(key), hint)];
    seen.add(key);
    return [];
  });
}

/** Every readable bind point, with its place. */
export function bindPointsOf({ listeners }: ReadableParts) {
  return listeners.flatMap((listener, index) =>
    (listener?.bindPoints ?? []).map((bindPoint, position) => ({
      bindPoint,
      listener: index,
      path: ['web', index, 'bindPoints', position] as const,
    })),
  );
}

function repeatedNames({ listeners }: ReadableParts): readonly Finding[] {
  const names = listeners.flatMap((listener, index) =>
    listener === undefined ? [] : [{ key: listener.name, path: ['web', index, 'name'] }],
  );
  return repeated(names, (name) => `two listeners are named ${name}`, 'Give each listener its own name.');
}

/**
 * One listener may give an interface several addresses, each with its issuer. Two listeners cannot share an interface,
 * and a repeated pair is a mistake.
 */
function repeatedInterfaces(parts: ReadableParts): readonly Finding[] {
  const owners = new Map<string, number>();
  const pairs = new Set<string>();
  return bindPointsOf(parts).flatMap(({ bindPoint, listener, path }) => {
    if (bindPoint.interface.port === 0) return [];
    const text = formatHostAndPort(bindPoint.interface);
    const owner = owners.get(text) ?? listener;
    owners.set(text, owner);
    if (owner !== listener) {
      return [
        value(
          [...path, 'interface'],
          `two listeners listen on ${text}`,
          'Only one can: host several APIs on one listener, or use another port.',
        ),
      ];
    }
    const pair = `${text} ${bindPoint.address.text}`;
    if (pairs.has(pair)) return [value([...path, 'interface'], 'the same bind point is listed twice')];
    pairs.add(pair);
    return [];
  });
}

function repeatedBindings({ listeners }: ReadableParts): readonly Finding[] {
  return listeners.flatMap((listener, index) =>
    repeated(
      (listener?.apis ?? []).map(({ binding }, api) => ({
        key: binding,
        path: ['web', index, 'apis', api, 'binding'],
      })),
      (binding) => `the listener lists ${binding} twice`,
      null,
    ),
  );
}

function edgeApisWithoutEdge({ listeners, edge }: ReadableParts): readonly Finding[] {
  if (edge !== 'absent') return [];
  return listeners.flatMap((listener, index) =>
    (listener?.apis ?? []).flatMap(({ binding }, api) =>
      needEdge.includes(binding)
        ? [
            value(
              ['web', index, 'apis', api, 'binding'],
              `${binding} needs the section edge, which the file does not have`,
              'Add the section; with nothing special to say, write: edge: {}',
            ),
          ]
        : [],
    ),
  );
}

function apiAddressNotBound(parts: ReadableParts): readonly Finding[] {
  const { listeners, edge } = parts;
  // A listener that cannot be read may well have the address.
  if (typeof edge === 'string' || listeners.includes(undefined)) return [];
  const { address } = edge.api;
  if (address === undefined) return [];
  const bound = listeners
    .filter((listener) => listener?.apis.some(({ binding }) => binding === 'edge-client'))
    .flatMap((listener) => listener?.bindPoints.map((bindPoint) => bindPoint.address.text) ?? []);
  if (bound.includes(address)) return [];
  const hint =
    bound.length > 0
      ? `Such addresses in this file: ${[...new Set(bound)].join(', ')}.`
      : 'No listener in this file has edge-client.';
  const message = `${address} is not the address of a bind point of a listener with edge-client`;
  return [value(['edge', 'api', 'address'], message, hint)];
}

function familyShorterThanToken({ edge, familyDurationGiven }: ReadableParts): readonly Finding[] {
  if (typeof edge === 'string' || !familyDurationGiven) return [];
  // Compared with the effective refresh lifetime, which may have been raised.
  const { refreshFamilyDuration } = adjustDurations(edge.oidc).durations;
  if (edge.oidc.refreshFamilyDuration >= refreshFamilyDuration) return [];
  return [
    value(
      ['edge', 'oidc', 'refreshFamilyDuration'],
      `refreshFamilyDuration is shorter than refreshTokenDuration (${formatDuration(refreshFamilyDuration)})`,
      'A refresh token cannot outlive its family: shorten refreshTokenDuration (default 24h) or lengthen this.',
    ),
  ];
}
