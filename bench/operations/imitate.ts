import { type Answer, expectStatus, openConnection } from '../load/connection.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import { bearerHead } from './operation.ts';

const writtenByNode = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** The header lines of an answer, without those that every server here has. */
function ownHeaders({ head }: Answer): Record<string, string> {
  const lines = head.split('\r\n').slice(1);
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs.filter(([name]) => !writtenByNode.has(name)));
}

/** Lets the bare server answer as the controller does, at the same path if no other is given. @returns that answer */
export async function imitate(
  overlay: MeasuredProcess,
  bare: MeasuredProcess,
  path: string,
  token: string,
  barePath = path,
): Promise<Answer> {
  const connection = await openConnection(overlay.port);
  const answer = expectStatus(await connection.request('GET', path, bearerHead(token)), 200);
  connection.close();
  await bare.call('answerLike', { path: barePath, headers: ownHeaders(answer), body: answer.body });
  return answer;
}
