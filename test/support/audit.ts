// What a request left behind for administrators.

import type { Answer } from './https-client.ts';
import type { TestServer } from './test-server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The audit events of a request, without those of other requests. */
export function auditedBy(server: Pick<TestServer, 'log'>, answer: Answer): readonly Fields[] {
  return linesOf(server, answer, 'audit');
}

/** What the log says about a refused request, which its sender never sees; undefined if there is no such line. */
export function loggedDetail(server: Pick<TestServer, 'log'>, answer: Answer): unknown {
  return linesOf(server, answer, 'request refused')[0]?.detail;
}

function linesOf({ log }: Pick<TestServer, 'log'>, answer: Answer, text: string): readonly Fields[] {
  const requestId = answer.headers['x-request-id'];
  const lines = log.entries.filter(
    ({ message, fields }) => message === text && fields.requestId === requestId,
  );
  return lines.map(({ fields }) => fields);
}
