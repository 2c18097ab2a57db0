import type { ConnectionOptions } from 'node:tls';
import { expectStatus, openConnection } from '../load/connection.ts';
import { type Contestant, compare, type Step } from '../load/rounds.ts';
import type { MeasuredProcess } from '../measured-process.ts';
import { type Findings, ratioVerdict, type Verdict } from '../report.ts';
import type { Stage } from '../stage.ts';
import { imitate } from './imitate.ts';
import { loadOf, type Operation, resultAt } from './operation.ts';

export const version = '/edge/client/v1/version';

/** A new connection, one request, and its end. */
export function visit(port: number, target: string, tls: () => ConnectionOptions): Step {
  return async () => {
    const connection = await openConnection(port, tls());
    expectStatus(await connection.request('GET', target), 200);
    connection.close();
  };
}

/** Every visit resumes the session that one connection before all of them has left. */
function resumed(port: number, target: string, certificate: ConnectionOptions): Step {
  let session: Buffer | undefined;
  return async () => {
    const connection = await openConnection(
      port,
      session === undefined ? certificate : { ...certificate, session },
    );
    if (session !== undefined && !connection.socket.isSessionReused())
      throw new Error('the session was not resumed');
    connection.socket.once('session', (fresh: Buffer) => {
      session = fresh;
    });
    expectStatus(await connection.request('GET', target), 200);
    connection.close();
  };
}

export const handshakes: Operation = {
  name: 'handshakes',
  async run(stage: Stage): Promise<Findings> {
    const overlay = (await stage.overlay()).process;
    const bare = await stage.bare();
    const { clientCertificate } = stage;
    await imitate(overlay, bare, version, '');
    const kinds: readonly [string, (port: number, target: string) => Step][] = [
      ['full', (port, target) => visit(port, target, () => ({}))],
      ['resumed', (port, target) => resumed(port, target, {})],
      ['full, client certificate', (port, target) => visit(port, target, () => clientCertificate)],
      ['resumed, client certificate', (port, target) => resumed(port, target, clientCertificate)],
    ];
    const contestants: Contestant[] = kinds.flatMap(([kind, make]) => {
      const contestant = (name: string, subject: MeasuredProcess): Contestant => ({
        name: `${name}: ${kind}`,
        subject,
        drive: () => make(subject.port, version),
      });
      return [contestant('overlay-auth', overlay), contestant('bare', bare)];
    });
    const results = await compare(contestants, loadOf(stage, 300, 4));
    return {
      title: 'TLS handshakes',
      about: 'A new connection (TLS 1.3, P-256), one GET and the end of the connection.',
      results,
      verdicts: kinds.map(
        ([kind], index): Verdict =>
          ratioVerdict(
            `connection: ${kind}`,
            resultAt(results, 2 * index),
            resultAt(results, 2 * index + 1),
            1.5,
          ),
      ),
    };
  },
};
