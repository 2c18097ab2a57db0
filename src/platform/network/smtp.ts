// Sends one mail to the operator's mail server (RFC 5321), with nodemailer, which is loaded when first needed.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import { promisify } from 'node:util';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Millis } from '../clock.ts';
import { formatDuration } from '../formats/durations.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `required`: STARTTLS, without which nothing is sent; `implicit`: from the first byte; `none`: in the clear. */
  readonly tls: 'required' | 'implicit' | 'none';
  readonly secureContext: SecureContext;
  /** Null: no login. */
  readonly login: { readonly user: string; readonly password: string } | null;
  /** For everything, from connecting to the last answer. */
  readonly timeout: Millis;
}

/**
 * A mail in the making: nodemailer encodes characters outside of ASCII, and folds or drops those that do not belong
 * into a header.
 */
export interface OutgoingMail {
  readonly from: { readonly name: string | null; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Without brackets; the same at each attempt, so that a mail that arrives twice can be told. */
  readonly messageId: string;
  readonly date: Date;
}

/** Where it went wrong. */
export type SmtpStage =
  | 'name'
  | 'connect'
  | 'greeting'
  | 'tls'
  | 'login'
  | 'sender'
  | 'recipient'
  | 'message';

/** The mail was not taken. The message is a sentence for the operator, without secrets. */
export class MailNotSent extends Error {
  override readonly name = 'MailNotSent';
  readonly stage: SmtpStage;
  /** The server's answer will not be another one next time (RFC 5321 4.2.1). */
  readonly isPermanent: boolean;

  constructor(message: string, stage: SmtpStage, isPermanent = false) {
    super(message);
    this.stage = stage;
    this.isPermanent = isPermanent;
  }
}

const longestAnswer = 64 * 1024;
const longestQuoted = 200;

/**
 * Hands a mail over.
 * @returns the server's answer, in a form that can be shown
 * @throws MailNotSent
 */
export async function sendBySmtp(server: SmtpServer, mail: OutgoingMail): Promise<string> {
  const [{ default: Connection }, message] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    composed(mail),
  ]);
  const socket = connect({ host: server.host, port: server.port });
  // Replaced by handlers below; an error in between must not end the process.
  socket.on('error', () => {});
  let connection: SMTPConnection | undefined;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    connection?.close();
    socket.destroy();
  }, server.timeout);
  let stage: SmtpStage = 'connect';
  try {
    await connected(socket);
    stage = 'greeting';
    const opened = new Connection({
      connection: socket,
      host: server.host,
      port: server.port,
      secure: server.tls === 'implicit',
      requireTLS: server.tls === 'required',
      ignoreTLS: server.tls === 'none',
      // Stated, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
      tls: { secureContext: server.secureContext, rejectUnauthorized: true, minVersion: 'TLSv1.2' },
      maxResponseSize: longestAnswer,
      connectionTimeout: server.timeout,
      greetingTimeout: server.timeout,
      socketTimeout: server.timeout,
      socketCloseTimeout: 0,
      logger: false,
    });
    connection = opened;
    limitAnswers(opened);
    const orBroken = whileUnbroken(opened);
    await orBroken(promisify<void>((done) => opened.connect(done))());
    if (server.tls !== 'none' && !opened.secure)
      throw new MailNotSent(`${nameOf(server)} offers no TLS, so nothing was sent`, 'tls');
    if (server.login !== null) {
      stage = 'login';
      const { user, password: pass } = server.login;
      const credentials = { user, pass, credentials: { user, pass } };
      await orBroken(promisify<void>((done) => opened.login(credentials, (error) => done(error ?? null)))());
    }
    stage = 'message';
    const envelope = { from: inAscii(mail.from.address), to: [inAscii(mail.to)], size: message.length };
    const { response } = await orBroken(
      promisify<{ response: string }>((done) =>
        opened.send(envelope, message, (error, info) => done(error ?? null, info as { response: string })),
      )(),
    );
    return quoted(response);
  } catch (error) {
    throw isLate
      ? new MailNotSent(`${nameOf(server)} took longer than ${formatDuration(server.timeout)}`, stage)
      : failureOf(error, server, stage);
  } finally {
    clearTimeout(timer);
    connection?.close();
    socket.destroy();
  }
}

/**
 * Closes the connection of a server that sends more than one answer may have: blank lines belong to none. nodemailer puts
 * them into a queue without a limit, goes through it even after the connection has ended, and has no public access to
 * what arrives.
 */
function limitAnswers(connection: SMTPConnection): void {
  const receiving = connection as unknown as { _onData(chunk: Buffer): void };
  const receive = receiving._onData.bind(connection);
  let received = 0;
  receiving._onData = (chunk) => {
    received += chunk.length;
    if (received <= longestAnswer) receive(chunk);
    else connection.close();
  };
}

async function composed({ from, messageId, ...mail }: OutgoingMail): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    ...mail,
    from: { name: from.name ?? '', address: from.address },
    // As an object: a text would be read as a list of addresses.
    to: { name: '', address: mail.to },
    messageId: `<${messageId}>`,
    // It prevents automatic answers, such as holiday notices (RFC 3834 5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

async function connected(socket: Socket): Promise<void> {
  // Rejects at `error`; a socket that the deadline destroys only closes.
  await Promise.race([once(socket, 'connect'), once(socket, 'close').then(() => Promise.reject(ended()))]);
}

function ended(): Error {
  return new Error('the connection was closed');
}

/** Waits for work with a connection that may break: without a callback under way, failures arrive as events only. */
function whileUnbroken(connection: SMTPConnection): <T>(work: Promise<T>) => Promise<T> {
  const broken = new Promise<never>((_resolve, reject) => {
    connection.on('error', reject);
    connection.on('end', () => reject(ended()));
  });
  broken.catch(() => {});
  return (work) => Promise.race([work, broken]);
}

/** The host as every server understands it. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at));
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

function failureOf(error: unknown, server: SmtpServer, reached: SmtpStage): MailNotSent {
  if (error instanceof MailNotSent) return error;
  const { message, code, originalCode, command, response, responseCode = 0 } = error as SmtpError;
  const name = nameOf(server);
  const system = originalCode ?? code ?? '';
  if (reached === 'connect') {
    if (/^(ENOTFOUND|EAI_)/.test(system))
      return new MailNotSent(`the name ${server.host} was not found`, 'name');
    const why = system === 'ECONNREFUSED' ? 'nothing listens there' : system || message;
    return new MailNotSent(`${name} cannot be reached: ${why}`, 'connect');
  }
  if (code === 'ETLS' || /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|EPROTO$)/.test(system)) {
    // Node's words tell how to start Node.
    const isUntrusted = /^(DEPTH_|SELF_SIGNED|UNABLE_TO|CERT_UNTRUSTED)/.test(system);
    const why = isUntrusted ? 'its certificate is from no trusted authority' : quoted(message);
    return new MailNotSent(`no TLS with ${name}, so nothing was sent: ${why}`, 'tls');
  }
  if (code === 'EAUTH') {
    // A server might repeat the password.
    const status = responseCode === 0 ? '' : ` (${responseCode})`;
    // Not implemented (RFC 5321 4.2.2), as by servers that know their clients by address.
    const isUnknown = [500, 502, 503, 504].includes(responseCode);
    const what = isUnknown ? 'takes no user and password' : 'refused user or password of mail.smtp';
    return new MailNotSent(`${name} ${what}${status}`, 'login');
  }
  const said = response === undefined ? quoted(message) : quoted(response);
  const isPermanent = responseCode >= 500 && responseCode < 600;
  if (command === 'MAIL FROM') return new MailNotSent(`${name} refused the sender: ${said}`, 'sender');
  if (command === 'RCPT TO')
    return new MailNotSent(`${name} refused the recipient: ${said}`, 'recipient', isPermanent);
  if (responseCode > 0 && responseCode !== 421 && reached === 'message')
    return new MailNotSent(`${name} refused the mail: ${said}`, 'message', isPermanent);
  return new MailNotSent(`${name} did not answer as a mail server does: ${said}`, 'greeting');
}

function nameOf({ host, port }: SmtpServer): string {
  return `${host}:${port}`;
}

/** The words of a server that may say anything. */
function quoted(text: string): string {
  return text
    .replace(/[^\x20-\x7e\u00a1-\uffff]+/g, ' ')
    .trim()
    .slice(0, longestQuoted);
}
