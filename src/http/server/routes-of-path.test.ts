import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../request/route.ts';
import { longestParameter, routesByPath } from './routes-of-path.ts';

const declared = (path: string, ...methods: string[]) => ({ path, methods }) as unknown as Route;

const routesOf = routesByPath([
  declared('/', 'GET'),
  declared('/things', 'GET'),
  declared('/things', 'POST'),
  declared('/things/:id', 'GET'),
  declared('/things/:name', 'DELETE'),
  declared('/things/heartbeats', 'POST'),
  declared('/things/:id/parts', 'GET'),
]);

test('an address means all endpoints of its path, with any names of parameters', () => {
  const table: readonly [string, readonly string[]][] = [
    ['/', ['GET']],
    ['/?a=b', ['GET']],
    ['/things', ['GET', 'POST']],
    ['/things?x=/', ['GET', 'POST']],
    ['https://localhost:1280/things', ['GET', 'POST']],
    ['/things/1', ['GET', 'DELETE']],
    ['/things/a%20b', ['GET', 'DELETE']],
    ['/th%69ngs/1', ['GET', 'DELETE']],
    ['/things/heartbeats', ['POST']],
    ['/things/heartbeats/parts', ['GET']],
    [`/things/${'a'.repeat(longestParameter)}`, ['GET', 'DELETE']],
  ];
  for (const [target, methods] of table) {
    const found = routesOf(target)?.flatMap((route) => route.methods);
    assert.deepEqual(found, methods, target);
  }
});

test('an address without a path means nothing', () => {
  const targets = [
    '',
    '*',
    'https://localhost',
    'ftp://localhost/things',
    '//',
    '/things/',
    '//things',
    '/Things',
    '/things//parts',
    '/things/1/parts/2',
    '/things/%',
    '/__proto__',
    `/things/${'a'.repeat(longestParameter + 1)}`,
    '/'.repeat(16_000),
  ];
  for (const target of targets) assert.equal(routesOf(target), undefined, target.slice(0, 30));
});
