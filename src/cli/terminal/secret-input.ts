import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileErrorReason } from '../../platform/file-error-reason.ts';
import { parseJson } from '../../platform/formats/json-shape.ts';
import { MalformedInput, textOfFile } from '../../platform/formats/strict-input.ts';
import type { Flags, Texts } from './command.ts';
import { CliError, exitCodes, usageError } from './output.ts';
import type { CliPorts } from './ports.ts';
import { askHidden, canPrompt } from './prompt.ts';

/** The options for passing a password to a command. None takes it as an argument. */
export type SecretOptions = Texts<'passwordFile'> & Flags<'passwordStdin'>;

const longestSecret = 64 * 1024;

/**
 * A password from standard input, a file, the environment (OVERLAY_AUTH_PASSWORD) or a hidden prompt, in this order.
 * One line break at the end belongs to the file, not to the password.
 * @throws CliError when none is given and there is no terminal to ask
 */
export async function readPassword(ports: CliPorts, options: SecretOptions, prompt: string): Promise<string> {
  const secret = await givenSecret(ports, options);
  if (secret !== undefined) return notEmpty(secret);
  if (!canPrompt(ports))
    throw usageError(
      'A password is needed, and there is no terminal to ask for it.',
      'add --password-stdin, or set OVERLAY_AUTH_PASSWORD',
    );
  return notEmpty(await askHidden(ports, prompt));
}

/** How often the command asks for a new password before it gives up. */
const mostTries = 3;

/**
 * The same for setting a password: a terminal asks twice, and again if the two differ.
 * @throws CliError after the third time
 */
export async function readNewPassword(ports: CliPorts, given: SecretOptions, whose: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const first = await readPassword(ports, given, `New password for ${whose}: `);
    if (!isPrompted(ports, given)) return first;
    if (first === (await askHidden(ports, 'The same again: '))) return first;
    if (tries === mostTries)
      throw new CliError('The passwords do not match; nothing was changed.', { code: 'password_mismatch' });
    ports.stderr.write('The passwords do not match. Try again.\n');
  }
}

/**
 * Reads a file named by the person.
 * @throws CliError exit 2 when it cannot be read, or is empty: the command that was to fill it has failed, and an empty
 *   value would remove what is set
 */
export async function readNamedFile(ports: CliPorts, path: string, what: string): Promise<string> {
  const text = await readAs(textOfFile, ports, path, what);
  if (withoutLineEnd(text) !== '') return text;
  throw usageError(`The ${what} ${path} is empty.`, 'check the file, then run the command again');
}

/** A PNG file as a data URI. @throws CliError as `readNamedFile` */
export function readPicture(ports: CliPorts, path: string): Promise<string> {
  return readAs((file) => `data:image/png;base64,${file.toString('base64')}`, ports, path, 'picture');
}

async function readAs(
  read: (file: Buffer) => string,
  ...[ports, path, what]: Parameters<typeof readNamedFile>
): Promise<string> {
  try {
    return read(await readFile(resolve(ports.cwd, path)));
  } catch (error) {
    throw unreadable(error, path, what);
  }
}

/** The failure of a command that cannot read a file named by the person: exit 2. */
export function unreadable(cause: unknown, path: string, what: string): CliError {
  const isOtherEncoding = cause instanceof MalformedInput;
  const reason = isOtherEncoding ? cause.reason : fileErrorReason(cause);
  return new CliError(`The ${what} ${path} cannot be read: ${reason}.`, {
    exitCode: exitCodes.usage,
    code: 'usage',
    cause,
    next: isOtherEncoding
      ? 'convert the file, then run the command again'
      : 'check the path and the permissions of the file',
  });
}

/** A secret in a file, without the line break at its end. @throws CliError exit 2 when it cannot be read */
export async function readSecretFile(ports: CliPorts, path: string, what: string): Promise<string> {
  return withoutLineEnd(await readNamedFile(ports, path, what));
}

/** The external JWT in a file, or on standard input for `-`. @throws CliError exit 2 when there is none */
export async function externalJwt(ports: CliPorts, file: string): Promise<string> {
  const text = file === '-' ? await readStdin(ports) : await readNamedFile(ports, file, 'JWT file');
  const token = text.trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  throw usageError(
    `${file === '-' ? 'Standard input' : file} contains no JWT.`,
    'name the file with nothing but the JWT in it',
  );
}

/** Everything on standard input. @param most in bytes; by default 64 KiB */
export async function readStdin(ports: CliPorts, most = longestSecret): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ports.stdin) {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk as Uint8Array));
    length += chunks.at(-1)?.length ?? 0;
    if (length > most)
      throw usageError(
        'Standard input contains more than 64 KiB.',
        'check the input that is piped into the command',
      );
  }
  try {
    return textOfFile(Buffer.concat(chunks));
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw usageError(`Standard input cannot be read: ${error.reason}.`, 'pipe UTF-8 into the command');
  }
}

/** Whether a person types the password, and so can be asked again. */
export function isPrompted(ports: CliPorts, options: SecretOptions): boolean {
  const given = options.passwordStdin === true || options.passwordFile !== undefined;
  return !given && ports.env.OVERLAY_AUTH_PASSWORD === undefined;
}

/** For choosing a new password in place of one's own: what the environment contains is the present one. */
export function withoutPresentPassword(ports: CliPorts): CliPorts {
  const { OVERLAY_AUTH_PASSWORD: _present, ...env } = ports.env;
  return { ...ports, env };
}

async function givenSecret(ports: CliPorts, options: SecretOptions): Promise<string | undefined> {
  if (options.passwordStdin === true) return withoutLineEnd(await readStdin(ports));
  if (options.passwordFile !== undefined) return readSecretFile(ports, options.passwordFile, 'password file');
  return ports.env.OVERLAY_AUTH_PASSWORD;
}

function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, '');
}

function notEmpty(secret: string): string {
  if (secret === '') throw usageError('The password is empty.', 'give the password again');
  // The runtime reads this character from a variable or a terminal in another encoding.
  if (secret.includes('\ufffd'))
    throw usageError('The password is not in UTF-8.', 'set the locale of the terminal or script to UTF-8');
  return secret;
}

/** Header and payload of a JWT, to show and compare; nothing is verified. Undefined for other text. */
export function readJwt(token: string): { readonly header: unknown; readonly payload: unknown } | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const [header, payload] = parts.map((part) => parseJson(Buffer.from(part, 'base64url').toString('utf8')));
  return header === undefined || payload === undefined ? undefined : { header, payload };
}
