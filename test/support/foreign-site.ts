// A site that is not ours, and the requests that its pages make a real browser send.

import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { type Closable, closable, stopServing } from './closable.ts';
import { testPki } from './test-pki.ts';

export interface ForeignSite extends Closable {
  /** A page of another site than `https://localhost`, from the browser's view. */
  readonly elsewhere: string;
  /** A page of another port of `https://localhost`: the browser adds cookies and the certificate of our pages. */
  readonly beside: string;
  /** The same without TLS. By default every port of `http://localhost` is an allowed origin. */
  readonly allowed: string;
}

/** @param answer how the pages look; without anything on them unless given */
export async function startForeignSite(answer: RequestListener = emptyPage): Promise<ForeignSite> {
  const pki = await testPki();
  const secure = createServer({ cert: pki.server.certPem, key: pki.server.keyPem }, answer);
  const plain = createPlainServer(answer);
  const [port, plainPort] = [await portOf(secure), await portOf(plain)];
  return closable<ForeignSite>({
    elsewhere: `https://127.0.0.1:${port}/`,
    beside: `https://localhost:${port}/`,
    allowed: `http://localhost:${plainPort}/`,
    async close() {
      for (const server of [secure, plain]) await stopServing(server);
    },
  });
}

const emptyPage: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end('<!doctype html><html lang="en"><title>Nothing to see</title><body></body></html>');
};

async function portOf(server: Pick<Server, 'listen' | 'address'> & NodeJS.EventEmitter): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** How a page makes the browser send a request. The first two need no permission; the last one asks first (CORS). */
export type Way =
  | {
      readonly kind: 'form';
      readonly encoding: 'application/x-www-form-urlencoded' | 'multipart/form-data' | 'text/plain';
    }
  | { readonly kind: 'fetch'; readonly mode: 'no-cors' | 'cors'; readonly contentType: string }
  | { readonly kind: 'fetch-preflighted' };

export const waysOfPost: readonly Way[] = [
  { kind: 'form', encoding: 'application/x-www-form-urlencoded' },
  { kind: 'form', encoding: 'multipart/form-data' },
  { kind: 'form', encoding: 'text/plain' },
  { kind: 'fetch', mode: 'no-cors', contentType: 'application/x-www-form-urlencoded' },
  { kind: 'fetch', mode: 'no-cors', contentType: 'text/plain' },
  { kind: 'fetch', mode: 'cors', contentType: 'application/x-www-form-urlencoded' },
  { kind: 'fetch-preflighted' },
];
export const waysOfOtherMethods: readonly Way[] = [{ kind: 'fetch-preflighted' }];

/** Whether it reaches the endpoint without the server's permission. */
export function needsNoLeave(way: Way): boolean {
  return way.kind !== 'fetch-preflighted';
}

export interface Attack {
  readonly url: string;
  readonly method: string;
  readonly way: Way;
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Sends everything from an open page, some at a time, with cookies and certificate wherever the browser adds them.
 * @param sandboxed from a frame without an origin of its own
 * @returns what the page learned about each: `failed`, `opaque 0`, `sent` for forms
 */
export function attackFrom(
  page: Page,
  attacks: readonly Attack[],
  sandboxed: boolean,
): Promise<readonly string[]> {
  const call = `(${script})(${JSON.stringify(attacks)})`;
  if (!sandboxed) return page.evaluate(call);
  const document = `<!doctype html><body><script>${call}.then((told) => parent.postMessage(told, '*'))</script>`;
  return page.evaluate(`new Promise((resolve) => {
    addEventListener('message', ({ data }) => resolve(data));
    const frame = window.document.createElement('iframe');
    frame.sandbox = 'allow-scripts allow-forms';
    frame.srcdoc = ${JSON.stringify(document).replaceAll('</', '<\\/')};
    window.document.body.append(frame);
  })`);
}

/** Runs in the page. */
const script = `async (attacks) => {
  const submit = ({ url, way, fields }, frame) => new Promise((resolve) => {
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: url, enctype: way.encoding, target: frame.name });
    for (const [name, value] of Object.entries(fields)) {
      const field = document.createElement('input');
      Object.assign(field, { type: 'hidden', name, value });
      form.append(field);
    }
    document.body.append(form);
    frame.onload = () => {
      form.remove();
      resolve('sent');
    };
    HTMLFormElement.prototype.submit.call(form);
  });
  const send = async ({ url, method, way, fields }) => {
    const isForm = way.contentType === 'application/x-www-form-urlencoded';
    const init = {
      method,
      mode: way.mode ?? 'cors',
      credentials: 'include',
      headers: { 'content-type': way.contentType ?? 'application/json' },
      body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
    };
    try {
      const answer = await fetch(url, init);
      return answer.type + ' ' + answer.status;
    } catch {
      return 'failed';
    }
  };
  const told = [];
  let next = 0;
  const worker = async (_, at) => {
    const frame = document.createElement('iframe');
    frame.name = 'answers ' + at;
    document.body.append(frame);
    for (let at = next++; at < attacks.length; at = next++) {
      const attack = attacks[at];
      told[at] = await (attack.way.kind === 'form' ? submit(attack, frame) : send(attack));
    }
    frame.remove();
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return told;
}`;
