// The declared endpoints of a path, for every method. The framework's router knows only pairs of both, and
// registering every refused pair took a tenth of a start.

import type { Route } from '../request/route.ts';

/** The endpoints of one path: at least one. */
export type RoutesOfPath = readonly [Route, ...Route[]];

interface Place {
  readonly below: Map<string, Place>;
  /** Below a segment that matches anything, as in `/things/:id`. All parameter names share one place. */
  any: Place | undefined;
  routes: [Route, ...Route[]] | undefined;
}

/** The longest segment that a parameter matches, as the router counts. */
export const longestParameter = 256;

/**
 * @returns finds the endpoints for the path of a request target; a literal segment takes precedence over a parameter
 */
export function routesByPath(routes: readonly Route[]): (target: string) => RoutesOfPath | undefined {
  const root = newPlace();
  for (const route of routes) {
    let place = root;
    for (const segment of route.path.split('/')) place = placeBelow(place, segment);
    if (place.routes === undefined) place.routes = [route];
    else place.routes.push(route);
  }
  return (target) => {
    // An absolute target (RFC 9112 section 3.2.2) means its path.
    const path = decoded(target.replace(/^https?:\/\/[^/?]*(?=\/)/, '').split('?', 1)[0] as string);
    return path === undefined ? undefined : find(root, path.split('/'), 0);
  };
}

function newPlace(): Place {
  return { below: new Map(), any: undefined, routes: undefined };
}

function placeBelow(place: Place, segment: string): Place {
  if (segment.startsWith(':')) {
    place.any ??= newPlace();
    return place.any;
  }
  const known = place.below.get(segment) ?? newPlace();
  place.below.set(segment, known);
  return known;
}

function find(place: Place, segments: readonly string[], at: number): RoutesOfPath | undefined {
  const segment = segments[at];
  if (segment === undefined) return place.routes;
  const literal = place.below.get(segment);
  const found = literal && find(literal, segments, at + 1);
  if (found !== undefined || place.any === undefined) return found;
  const isParameter = segment !== '' && segment.length <= longestParameter;
  return isParameter ? find(place.any, segments, at + 1) : undefined;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
