// The application that people log in to: a page at the redirect URI, and what arrived there.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Closable, closable, stopServing } from './closable.ts';

export interface Application extends Closable {
  readonly redirectUri: string;
  readonly postLogoutUri: string;
  /** Paths, with queries, that browsers came back to. */
  readonly arrivals: readonly string[];
  /** Forms that browsers posted there. */
  readonly posts: readonly URLSearchParams[];
}

export async function startApplication(): Promise<Application> {
  const arrivals: string[] = [];
  const posts: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/auth/')) arrivals.push(request.url);
    if (request.method === 'POST') {
      text(request).then(
        (body) => posts.push(new URLSearchParams(body)),
        () => undefined,
      );
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><html lang="en"><title>Application</title><h1>Back at the application</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return closable<Application>({
    redirectUri: `${origin}/auth/callback`,
    postLogoutUri: `${origin}/auth/logout`,
    arrivals,
    posts,
    close: () => stopServing(server),
  });
}
