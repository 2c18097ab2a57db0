import { asObject, parseJson, textField } from '../../../platform/formats/json-shape.ts';
import { usageError } from '../../terminal/output.ts';
import { serverOrigin } from './server-url.ts';

/** The file that `enroll` writes and existing SDKs read: a certificate, its key, and the server they are for. */
export interface IdentityFile {
  readonly cert: string;
  readonly key: string;
  /** The authorities that identify the server, PEM; undefined when the file has none. */
  readonly caPem: string | undefined;
  /** Undefined when the file names no server. */
  readonly origin: string | undefined;
}

/**
 * Reads an identity file `{ztAPI, id: {cert, key, ca}}` whose values are `pem:` and the text.
 * @param file its name in messages
 * @returns undefined for anything that is not JSON, such as PEM
 * @throws CliError exit 2 for other JSON, and for a file that refers to other files or to hardware
 */
export function identityFileOf(text: string, file: string): IdentityFile | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const document = asObject(parseJson(text));
  const id = asObject(document.id);
  const [cert, key, caPem] = ['cert', 'key', 'ca'].map((name) => pemOf(textField(id, name)));
  if (cert === undefined || key === undefined)
    throw usageError(
      `${file} is not an identity file with certificate and key in it.`,
      'name the file that `overlay-auth enroll` wrote, or PEM files: --cert CERT --key KEY',
    );
  const api = textField(document, 'ztAPI');
  return { cert, key, caPem, origin: api === undefined ? undefined : serverOrigin(api) };
}

function pemOf(value: string | undefined): string | undefined {
  return value?.startsWith('pem:-----BEGIN ') === true ? value.slice('pem:'.length) : undefined;
}
