// `enroll FILE`: uses the JWT that an administrator handed out to a device or person.

import type { X509Certificate } from 'node:crypto';
import { compactVerify } from 'jose';
import { SECOND } from '../../../platform/clock.ts';
import { asObject, numberField, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Texts, Work } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report, usageError } from '../../terminal/output.ts';
import { writeOwnerFile } from '../../terminal/owner-file.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import {
  externalJwt,
  readJwt,
  readNamedFile,
  readNewPassword,
  type SecretOptions,
} from '../../terminal/secret-input.ts';
import { answerError, type HttpsAnswer } from '../connection/answer-failure.ts';
import { createHttpsClient } from '../connection/https-client.ts';
import { presentedCertificate } from '../connection/server-trust.ts';
import { isPlainHost } from '../connection/server-url.ts';

type EnrollOptions = SecretOptions & Texts<'output' | 'cert' | 'key'>;

interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Enrolls by the method in the JWT, with the server that signed it. */
export const enroll: Work<EnrollOptions, readonly [string]> = async (report, options, [file]) => {
  const jwt = await externalJwt(report.ports, file);
  const invitation = readInvitation(report.ports, jwt);
  if (invitation.method === 'updb') return enrollPassword(report, invitation, options);
  const output = options.output ?? `${file === '-' ? 'identity' : file.replace(/\.jwt$/, '')}.json`;
  if (invitation.method === 'ottca') return enrollOwnCertificate(report, invitation, { output, options });
  if (invitation.method === 'ott') return enrollWithNewKey(report, invitation, output);
  throw usageError(
    `This command does not know how to enroll by "${invitation.method}".`,
    'ask the operator for a JWT of the method ott',
  );
};

async function enrollWithNewKey(report: Report, invitation: Invitation, output: string): Promise<void> {
  const { newCertificateRequest } = await import('../../../platform/x509/new-certificate-request.ts');
  const { csrPem, keyPem } = await newCertificateRequest();
  await writeIdentity(report, invitation, {
    output,
    key: keyPem,
    enroll: async () => {
      const answer = await send(invitation, { clientCsr: csrPem });
      return { answer, cert: textField(asObject(asObject(answer.body).data), 'cert') ?? '' };
    },
  });
}

async function enrollOwnCertificate(
  report: Report,
  invitation: Invitation,
  { output, options }: { output: string; options: EnrollOptions },
): Promise<void> {
  if (options.cert === undefined || options.key === undefined)
    throw usageError(
      'This JWT is for a certificate of a third-party CA, which is not given.',
      'overlay-auth enroll FILE --cert CERT --key KEY',
    );
  const cert = await readNamedFile(report.ports, options.cert, 'certificate');
  const key = await readNamedFile(report.ports, options.key, 'key');
  const enroll = async () => ({ answer: await send(invitation, {}, { cert, key }), cert });
  await writeIdentity(report, invitation, { output, key, enroll });
}

async function enrollPassword(report: Report, invitation: Invitation, options: EnrollOptions): Promise<void> {
  const password = await readNewPassword(report.ports, options, 'this account');
  await send(invitation, { password });
  printResult(report, { identityId: invitation.identityId }, () => 'The password is set.');
  notice(report, `next: overlay-auth login ${invitation.origin} -u USER`);
}

/** @throws CliError with the reference id of the server */
async function send(
  invitation: Invitation,
  json: object,
  clientCertificate?: KeyAndCertificate,
): Promise<HttpsAnswer> {
  const leaf = await certificateOfSigner(invitation);
  // Also checks the certificate's name and dates. It need not lead to an authority that is known here.
  using http = createHttpsClient({
    ca: [leaf.toString()],
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
  });
  const url = new URL('/edge/client/v1/enroll', invitation.origin);
  url.searchParams.set('method', invitation.method);
  url.searchParams.set('token', invitation.token);
  const answer = await http.send({ method: 'POST', url, json });
  if (answer.status === 200) return answer;
  throw answerError(answer, {
    what: 'Not enrolled',
    ...(answer.status >= 500 ? {} : { next: nextAfter(asObject(asObject(answer.body).error)) }),
  });
}

function nextAfter(error: Readonly<Record<string, unknown>>): string {
  if (error.code === 'INVALID_FIELD') return 'run the command again with a better password';
  if (error.code === 'INVALID_CERT_PEM') return 'overlay-auth enroll FILE --cert CERT --key KEY';
  const reference = typeof error.requestId === 'string' ? error.requestId : 'REF';
  return `ask the operator, who can see why with: overlay-auth explain ${shellWord(reference)}`;
}

/** Enrolls, and writes the file that existing SDKs read. */
async function writeIdentity(
  report: Report,
  { origin, identityId }: Invitation,
  {
    output,
    key,
    enroll,
  }: {
    output: string;
    key: string;
    enroll: () => Promise<{ readonly answer: HttpsAnswer; readonly cert: string }>;
  },
): Promise<void> {
  await writeOwnerFile(report.ports, output, async () => {
    const { answer, cert } = await enroll();
    const ca = textField(asObject(asObject(answer.body).data), 'ca') ?? '';
    const ztAPI = `${origin}/edge/client/v1`;
    const id = { key: `pem:${key}`, cert: `pem:${cert}`, ca: `pem:${ca}` };
    return `${JSON.stringify({ ztAPI, ztAPIs: [ztAPI], id }, null, 2)}\n`;
  });
  printResult(
    report,
    { identityId, file: output },
    () =>
      `Enrolled. The identity is in ${output}; it holds a private key, so keep it where only you can read it.`,
  );
  notice(report, `next: overlay-auth login -c ${shellWord(output)}`);
}

// Reads an enrollment JWT, and checks that the server it names has signed it.

interface Invitation {
  /** The JWT itself. */
  readonly jwt: string;
  /** `https://host:port` */
  readonly origin: string;
  readonly method: string;
  readonly token: string;
  readonly identityId: string;
}

const askForAnother =
  'ask the operator for a new one   (overlay-auth enrollment refresh NAME -o FILE on their side)';

/** Reads a JWT. Nothing is verified yet. @throws CliError */
function readInvitation(ports: CliPorts, jwt: string): Invitation {
  const claims = asObject(readJwt(jwt)?.payload);
  const origin = originOf(textField(claims, 'iss') ?? '');
  const method = textField(claims, 'em');
  if (origin === undefined || method === undefined)
    throw new CliError('This is not an enrollment JWT.', { code: 'not_an_enrollment', next: askForAnother });
  if (method === 'network')
    throw new CliError('This JWT names a network; it does not enroll an identity.', {
      code: 'not_an_enrollment',
      next: `overlay-auth login ${origin}`,
    });
  const expiry = numberField(claims, 'exp');
  if (expiry !== undefined && expiry * SECOND <= ports.clock.now()) {
    const since = new Date(expiry * SECOND).toISOString();
    throw new CliError(`The enrollment has expired at ${since}.`, {
      code: 'ENROLLMENT_EXPIRED',
      next: askForAnother,
    });
  }
  const token = textField(claims, 'jti') ?? '';
  return { jwt, origin, method, token, identityId: textField(claims, 'sub') ?? '' };
}

function originOf(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  return url?.protocol === 'https:' && isPlainHost(url) ? url.origin : undefined;
}

const algorithms = ['ES256', 'ES384', 'ES512', 'RS256', 'EdDSA'];

/**
 * The server's certificate, if its key signed the JWT: so the issuer of the JWT vouches for the server before any
 * authority is known here. The token is sent to no other server.
 * @throws CliError a different server answers there, or none
 */
async function certificateOfSigner({ origin, jwt }: Invitation): Promise<X509Certificate> {
  const leaf = await presentedCertificate(origin);
  try {
    await compactVerify(jwt, leaf.publicKey, { algorithms });
    return leaf;
  } catch (error) {
    throw new CliError(
      `The server at ${origin} did not sign this JWT: it is another server, or its key was changed since.`,
      { code: 'server_untrusted', next: askForAnother, cause: error },
    );
  }
}
