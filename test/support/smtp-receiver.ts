// A real mail server of another party, with TLS and a login, that keeps what it takes.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type Closable, closable } from './closable.ts';
import { testPki } from './test-pki.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly raw: string;
  /** Decoded. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The links in the text. */
  readonly links: readonly string[];
}

export interface SmtpReceiver extends Closable {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** The mail with that number, from 0, as soon as it is there. */
  at(index: number): Promise<ReceivedMail>;
  /** How many connections there were. */
  connections(): number;
  /** Refuses with this answer at that command from now on; null: takes everything again. */
  refuse(
    how: {
      readonly at: 'connect' | 'login' | 'sender' | 'recipient' | 'message';
      readonly code: number;
    } | null,
  ): void;
}

export const smtpLogin = { user: 'overlay', password: 'mail password 7!' };

/** On `localhost`, with the certificate of the test PKI. @param options of smtp-server */
export async function startSmtpReceiver(
  options: SMTPServerOptions & { readonly listenOn?: number } = {},
): Promise<SmtpReceiver> {
  const { server: identity } = await testPki();
  const received: ReceivedMail[] = [];
  let refusal: Parameters<SmtpReceiver['refuse']>[0] = null;
  let connections = 0;
  const answer = (
    at: NonNullable<typeof refusal>['at'],
    done: (error?: Error | null, more?: never) => void,
  ) => {
    if (refusal?.at !== at) return done();
    done(Object.assign(new Error(`refused here for ada`), { responseCode: refusal.code }));
  };
  const server = new SMTPServer({
    cert: identity.certPem,
    key: identity.keyPem,
    authOptional: true,
    logger: false,
    disableReverseLookup: true,
    onConnect(_session, done) {
      connections += 1;
      answer('connect', done);
    },
    onAuth({ username, password }, _session, done) {
      const isRight = username === smtpLogin.user && password === smtpLogin.password;
      if (isRight && refusal?.at !== 'login') done(null, { user: username });
      else done(Object.assign(new Error('not you'), { responseCode: 535 }));
    },
    onMailFrom: (_address, _session, done) => answer('sender', done),
    onRcptTo: (_address, _session, done) => answer('recipient', done),
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      if (refusal?.at === 'message') return answer('message', done);
      const { envelope, secure, user } = session;
      const raw = Buffer.concat(chunks).toString();
      received.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        isEncrypted: secure,
        user: user as string | undefined,
        raw,
        ...decoded(raw),
      });
      done();
      server.emit('taken');
    },
    ...options,
  });
  server.on('error', () => {});
  server.listen(options.listenOn ?? 0, '127.0.0.1');
  await once(server.server, 'listening');
  return closable<SmtpReceiver>({
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    async at(index) {
      for (;;) {
        const found = received[index];
        if (found !== undefined) return found;
        await once(server, 'taken');
      }
    },
    refuse(how) {
      refusal = how;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  });
}

function decoded(raw: string): Pick<ReceivedMail, 'subject' | 'text' | 'html' | 'links'> {
  const unfolded = raw.replace(/\r\n[ \t]/g, ' ');
  const subject = wordsOf(/^Subject: (.*)$/m.exec(unfolded)?.[1] ?? '');
  const text = part(raw, 'text/plain');
  return { subject, text, html: part(raw, 'text/html'), links: text.match(/https:\/\/\S+/g) ?? [] };
}

/** RFC 2047. */
function wordsOf(header: string): string {
  return header
    .trim()
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_all, form: string, coded: string) =>
      form.toUpperCase() === 'B'
        ? Buffer.from(coded, 'base64').toString()
        : quotedPrintable(coded.replace(/_/g, ' ')),
    );
}

function part(raw: string, type: string): string {
  const at = raw.indexOf(`Content-Type: ${type}`);
  if (at < 0) return '';
  const from = raw.indexOf('\r\n\r\n', at);
  const head = raw.slice(at, from);
  // A line of the text may begin with dashes too, which a link contains by chance.
  const [, boundary] = [...raw.slice(0, at).matchAll(/boundary="([^"]+)"/g)].at(-1) ?? [];
  const end = boundary === undefined ? -1 : raw.indexOf(`\r\n--${boundary}`, from);
  const body = raw.slice(from + 4, end < 0 ? undefined : end);
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  return /quoted-printable/i.test(head) ? quotedPrintable(body.replace(/=\r\n/g, '')) : body;
}

function quotedPrintable(text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(plain, 'latin1').toString();
}

/** The section `mail` of a configuration file that sends to the receiver. */
export function mailSection({ port }: { readonly port: number }, further = ''): string {
  return `mail:
  from: "Example <no-reply@example.com>"
  smtp: { host: localhost, port: ${port}, user: ${smtpLogin.user}, passwordFile: mail.password, trustedRoots: [ca.pem], timeout: 5s }
${further}`;
}

/** Writes the file that the section names. */
export function addMailPassword(home: string): void {
  writeFileSync(join(home, 'mail.password'), `${smtpLogin.password}\n`, { mode: 0o600 });
}

/** Options of a test server that sends to the receiver. @param further lines of the section */
export function withMail(receiver: { readonly port: number }, further = '') {
  return {
    configure: (yaml: string) => yaml.replace(/^# mail:.*(\n#.*)*$/m, mailSection(receiver, further)),
    addFiles: addMailPassword,
  };
}
