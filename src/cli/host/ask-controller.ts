// Lets commands on the host ask the running controller of a configuration file, through its control socket.

import { connect } from 'node:net';
import type { Millis } from '../../platform/clock.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { CliError, exitCodes } from '../terminal/output.ts';
import type { CliPorts } from '../terminal/ports.ts';
import { shownPath } from './load-config.ts';
import { type ControlAnswers, type ControlWord, socketPlace } from './run/control-socket.ts';

/** Which controller to ask, and for what. */
export interface Question<Word extends ControlWord> {
  readonly ports: Pick<CliPorts, 'cwd' | 'platform'>;
  /** The configuration file of the controller, absolute. */
  readonly file: string;
  readonly word: Word;
  /** How long to wait for the answer. Absent: without limit. */
  readonly limit?: Millis;
}

/**
 * Returns the answer of the running controller.
 * @throws CliError exit 5: none is running, it belongs to another user, or it does not answer
 */
export async function askController<Word extends ControlWord>(
  question: Question<Word>,
): Promise<ControlAnswers[Word]> {
  const { ports, file } = question;
  try {
    return JSON.parse(await answerTo(question)) as ControlAnswers[Word];
  } catch (error) {
    throw notReached(error, shownPath(ports.cwd, file));
  }
}

async function answerTo(question: Question<ControlWord>): Promise<string> {
  const place = socketPlace(question.file, question.ports.platform);
  try {
    if (place.path === null) throw Object.assign(new Error('no socket'), { code: 'NO_SOCKET' });
    return await answerAt(place.path, question);
  } finally {
    place.release();
  }
}

function answerAt(path: string, { word, limit = 0 }: Question<ControlWord>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = '';
  const socket = connect(path, () => socket.write(`${word}\n`));
  socket.setTimeout(limit, () => socket.destroy());
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.once('error', reject);
  socket.once('close', () => {
    // A controller that stops meanwhile does not answer.
    if (text.endsWith('\n')) resolve(text);
    else reject(new Error('no answer'));
  });
  return promise;
}

function notReached(error: unknown, file: string): CliError {
  const foreign = [`The controller of ${file} runs as another user.`, 'run the command as that user'];
  const none = [`No controller is running with ${file}.`, `overlay-auth run controller ${shellWord(file)}`];
  const reasons: Readonly<Record<string, readonly string[]>> = {
    EACCES: foreign,
    EPERM: foreign,
    NO_SOCKET: [
      `The controller of ${file} cannot be reached by a command.`,
      'send SIGHUP to it where the system has signals; the result is in its log',
    ],
    ENOENT: none,
    ECONNREFUSED: none,
  };
  const reason = error instanceof Error && 'code' in error ? reasons[String(error.code)] : undefined;
  const [message = `The controller of ${file} has given no answer.`, next = 'read its log'] = reason ?? [];
  const exitCode = exitCodes.unreachable;
  return new CliError(message, { exitCode, code: 'not_running', next, cause: error });
}
