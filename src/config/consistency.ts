import { formatDuration } from '../platform/formats/durations.ts';
import { formatHostAndPort } from './addresses.ts';
import { adjustDurations } from './adjustments.ts';
import type { ConfigPath } from './config-error.ts';
import type { Finding } from './describe-issues.ts';
import type { EdgeContent } from './edge-settings.ts';
import type { ListenerContent } from './settings.ts';

/** The readable parts of the file: rules between them are checked even if other parts are wrong. */
export interface ReadableParts {
  /** One entry for each listener of the file, in its order; undefined if the listener itself is wrong. */
  readonly listeners: readonly (ListenerContent | undefined)[];
  readonly edge: EdgeContent | 'absent' | 'unreadable';
  /** Whether the file sets the duration of a refresh family; a default is adjusted instead of refused. */
  readonly familyDurationGiven: boolean;
}

/** A finding about a value. */
export function value(path: ConfigPath, message: string, hint: string | null = null): Finding {
  return { path, at: 'value', message, hint };
}

/** Every readable bind point, with its place and that of its listener. */
export function bindPointsOf({ listeners }: ReadableParts) {
  return listeners.flatMap((listener, index) =>
    (listener?.bindPoints ?? []).map((bindPoint, position) => ({
      bindPoint,
      listener: index,
      path: ['web', index, 'bindPoints', position] as const,
    })),
  );
}

/** The APIs of every readable listener, with their place. */
export function apisOf({ listeners }: ReadableParts) {
  return listeners.flatMap((listener, index) =>
    (listener?.apis ?? []).map((api, at) => ({ api, listener, path: ['web', index, 'apis', at] as const })),
  );
}

/**
 * Checks the rules between values: unique listener names, interfaces and bindings, edge APIs only with an
 * `edge` section, and `edge.api.address` among the bind points of a listener with `edge-client`.
 */
export function checkConsistency(parts: ReadableParts): readonly Finding[] {
  return [
    ...repeatedNames(parts),
    ...repeatedInterfaces(parts),
    ...wrongBindings(parts),
    ...apiAddressNotBound(parts),
    ...familyShorterThanToken(parts),
  ];
}

function* repeatedNames({ listeners }: ReadableParts): Generator<Finding> {
  for (const [index, listener] of listeners.entries()) {
    if (listener === undefined || listeners.findIndex((other) => other?.name === listener.name) === index)
      continue;
    yield value(
      ['web', index, 'name'],
      `two listeners are named ${listener.name}`,
      'Give each listener its own name.',
    );
  }
}

/**
 * One listener may give an interface several addresses, each with its issuer. Two listeners cannot share an interface,
 * and a repeated pair is a mistake.
 */
function* repeatedInterfaces(parts: ReadableParts): Generator<Finding> {
  const owners = new Map<string, number>();
  const pairs = new Set<string>();
  for (const { bindPoint, listener, path } of bindPointsOf(parts)) {
    if (bindPoint.interface.port === 0) continue;
    const text = formatHostAndPort(bindPoint.interface);
    const owner = owners.get(text) ?? listener;
    owners.set(text, owner);
    const pair = `${text} ${bindPoint.address}`;
    if (owner !== listener) {
      yield value(
        [...path, 'interface'],
        `two listeners listen on ${text}`,
        'Only one can: host several APIs on one listener, or use another port.',
      );
    } else if (pairs.has(pair)) yield value([...path, 'interface'], 'the same bind point is listed twice');
    pairs.add(pair);
  }
}

function* wrongBindings(parts: ReadableParts): Generator<Finding> {
  for (const { api, listener, path } of apisOf(parts)) {
    const { binding } = api;
    const at = [...path, 'binding'];
    if (listener?.apis.find((other) => other.binding === binding) !== api)
      yield value(at, `the listener lists ${binding} twice`);
    if (parts.edge === 'absent' && binding.startsWith('edge-'))
      yield value(
        at,
        `${binding} needs the section edge, which the file does not have`,
        'Add the section; with nothing special to say, write: edge: {}',
      );
  }
}

function* apiAddressNotBound({ listeners, edge }: ReadableParts): Generator<Finding> {
  // A listener that cannot be read may well have the address.
  if (typeof edge === 'string' || edge.api.address === null || listeners.includes(undefined)) return;
  const bound = listeners
    .filter((listener) => listener?.apis.some(({ binding }) => binding === 'edge-client'))
    .flatMap((listener) => listener?.bindPoints.map((bindPoint) => bindPoint.address) ?? []);
  if (bound.includes(edge.api.address)) return;
  yield value(
    ['edge', 'api', 'address'],
    `${edge.api.address} is not the address of a bind point of a listener with edge-client`,
    bound.length > 0
      ? `Such addresses in this file: ${[...new Set(bound)].join(', ')}.`
      : 'No listener in this file has edge-client.',
  );
}

function* familyShorterThanToken({ edge, familyDurationGiven }: ReadableParts): Generator<Finding> {
  if (typeof edge === 'string' || !familyDurationGiven) return;
  // Compared with the effective refresh lifetime, which may have been raised.
  const { refreshFamilyDuration } = adjustDurations(edge.oidc).durations;
  if (edge.oidc.refreshFamilyDuration >= refreshFamilyDuration) return;
  yield value(
    ['edge', 'oidc', 'refreshFamilyDuration'],
    `refreshFamilyDuration is shorter than refreshTokenDuration (${formatDuration(refreshFamilyDuration)})`,
    'A refresh token cannot outlive its family: shorten refreshTokenDuration (default 24h) or lengthen this.',
  );
}
