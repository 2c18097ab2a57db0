import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { systemClock } from '../../src/platform/clock.ts';
import { trustingContext } from '../../src/platform/network/outbound-trust.ts';
import {
  MailNotSent,
  type OutgoingMail,
  type SmtpServer,
  type SmtpStage,
  sendBySmtp,
} from '../../src/platform/network/smtp.ts';
import { issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { smtpLogin, startSmtpReceiver } from '../support/smtp-receiver.ts';
import { testPki } from '../support/test-pki.ts';

const { ca, server } = await testPki();

function serverAt(port: number, changed: Partial<SmtpServer> = {}): SmtpServer {
  const secureContext = trustingContext([ca.certPem]);
  return {
    host: 'localhost',
    port,
    tls: 'required',
    login: smtpLogin,
    timeout: 5000,
    secureContext,
    ...changed,
  };
}

const mail: OutgoingMail = {
  from: { name: 'Example', address: 'no-reply@example.com' },
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'In words.\n',
  html: '<p>In words.</p>',
  messageId: 'one@example.com',
  date: new Date(0),
};

async function assertNotSent(
  sending: Promise<unknown>,
  stage: SmtpStage,
  about: string,
  isPermanent = false,
) {
  await assert.rejects(sending, (error) => {
    assert.ok(error instanceof MailNotSent, `${about}: ${error}`);
    assert.equal(error.stage, stage, `${about}: ${error.message}`);
    assert.equal(error.isPermanent, isPermanent, about);
    assert.doesNotMatch(error.message, new RegExp(smtpLogin.password), about);
    assert.ok(error.message.length < 400 && !/[\r\n]/.test(error.message), about);
    return true;
  });
}

describe('a mail server', () => {
  test('takes a mail by STARTTLS and by implicit TLS, after a login', async (t) => {
    for (const tls of ['required', 'implicit'] as const) {
      const receiver = await startSmtpReceiver({ secure: tls === 'implicit', authOptional: false });
      t.after(receiver.close);
      assert.match(await sendBySmtp(serverAt(receiver.port, { tls }), mail), /^250 /);
      const taken = await receiver.at(0);
      assert.equal(taken.isEncrypted, true);
      assert.equal(taken.user, smtpLogin.user);
      assert.equal(taken.from, 'no-reply@example.com');
      assert.deepEqual(taken.to, ['ada@example.com']);
      assert.equal(taken.subject, 'Hello');
      assert.equal(taken.text.trim(), 'In words.');
      assert.match(taken.html, /<p>In words\.<\/p>/);
      assert.match(taken.raw, /^Auto-Submitted: auto-generated\r$/m);
      assert.match(taken.raw, /^Message-ID: <one@example\.com>\r$/m);
    }
  });

  test('gets names with line breaks, quotes and other scripts as one header, and hosts in ASCII', async (t) => {
    const receiver = await startSmtpReceiver();
    t.after(receiver.close);
    const hostile = 'Ada\r\nBcc: eve@example.com\r\n\r\n"<x>, eve@example.com';
    const from = { name: hostile, address: 'no-reply@example.com' };
    await sendBySmtp(serverAt(receiver.port), { ...mail, from, subject: hostile, to: 'ada@bücher.example' });
    const { raw, to } = await receiver.at(0);
    // The server shows it in its script again.
    assert.deepEqual(to, ['ada@bücher.example']);
    assert.match(raw, /^To: ada@xn--bcher-kva\.example\r$/m);
    const [headers = ''] = raw.split('\r\n\r\n');
    assert.doesNotMatch(headers, /^Bcc:/m);
    assert.equal(headers.match(/^(From|To|Subject):/gm)?.length, 3);
    assert.match(headers, /<no-reply@example\.com>\r$/m);
  });

  test('that strips STARTTLS, or has no certificate for its name, gets neither password nor mail', async (t) => {
    const heard: string[] = [];
    const stripping = await startSmtpReceiver({ disabledCommands: ['STARTTLS'] });
    t.after(stripping.close);
    await assertNotSent(sendBySmtp(serverAt(stripping.port), mail), 'tls', 'stripped');
    const untrusted = trustingContext([]);
    const receiver = await startSmtpReceiver();
    t.after(receiver.close);
    await assertNotSent(
      sendBySmtp(serverAt(receiver.port, { secureContext: untrusted }), mail),
      'tls',
      'unknown authority',
    );
    const implicit = await startSmtpReceiver({ secure: true });
    t.after(implicit.close);
    const other = { tls: 'implicit', secureContext: untrusted } as const;
    await assertNotSent(sendBySmtp(serverAt(implicit.port, other), mail), 'tls', 'implicit');
    // Says that it begins TLS, and goes on in the clear.
    const liar = await startScript(t, (socket) => {
      socket.write('220 x\r\n');
      socket.on('data', (chunk) => {
        heard.push(chunk.toString('latin1'));
        if (/^EHLO/.test(chunk.toString())) socket.write('250-x\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n');
        else socket.write('220 go\r\n250 AUTH PLAIN\r\n235 fine\r\n250 ok\r\n');
      });
    });
    await assertNotSent(sendBySmtp(serverAt(liar), mail), 'tls', 'no handshake');
    assert.doesNotMatch(heard.join(''), /AUTH|MAIL FROM|DATA|In words/);
    assert.deepEqual([...stripping.received, ...receiver.received, ...implicit.received], []);
  });

  test('that has a certificate of another name gets neither password nor mail', async (t) => {
    const { certPem: cert, keyPem: key } = await issueServerCertificate(
      { clock: systemClock },
      { dnsNames: ['mail.example.com'], ips: [], days: 10, ca },
    );
    for (const tls of ['required', 'implicit'] as const) {
      const receiver = await startSmtpReceiver({ cert, key, secure: tls === 'implicit' });
      t.after(receiver.close);
      await assertNotSent(sendBySmtp(serverAt(receiver.port, { tls }), mail), 'tls', tls);
      assert.deepEqual(receiver.received, []);
    }
  });

  test('is not believed what came in the clear before TLS began', async (t) => {
    const context = createSecureContext({ cert: server.certPem, key: server.keyPem });
    for (const injected of ['250-x\r\n250 AUTH PLAIN\r\n235 fine\r\n250 ok\r\n250 ok\r\n', '550 ']) {
      const heard: string[] = [];
      const port = await startScript(t, (socket) => {
        socket.write('220 x\r\n');
        socket.on('data', function clear(chunk) {
          heard.push(chunk.toString('latin1'));
          if (/^EHLO/.test(chunk.toString())) return void socket.write('250-x\r\n250 STARTTLS\r\n');
          socket.removeListener('data', clear);
          socket.write(`220 go\r\n${injected}`);
          const secured = new TLSSocket(socket, { isServer: true, secureContext: context });
          secured.on('error', () => {});
          secured.on('data', (line) => {
            heard.push(line.toString('latin1'));
            if (/^RCPT/.test(line.toString())) secured.write('550 unknown\r\n');
            else secured.write('250 ok\r\n');
          });
        });
      });
      // Each answer of the server belongs to its own command: the refusal is that of the recipient.
      await assertNotSent(sendBySmtp(serverAt(port, { login: null }), mail), 'recipient', injected, true);
      assert.match(heard.join(''), /^EHLO .*\r\nSTARTTLS\r\nEHLO .*\r\nMAIL FROM:.*\r\nRCPT TO:.*\r\n$/);
    }
  });

  test('that refuses is understood: where, and whether another attempt helps', async (t) => {
    const receiver = await startSmtpReceiver();
    t.after(receiver.close);
    const cases = [
      [{ at: 'login', code: 535 }, 'login', false],
      [{ at: 'sender', code: 550 }, 'sender', false],
      [{ at: 'sender', code: 451 }, 'sender', false],
      [{ at: 'recipient', code: 550 }, 'recipient', true],
      [{ at: 'recipient', code: 450 }, 'recipient', false],
      [{ at: 'message', code: 554 }, 'message', true],
      [{ at: 'message', code: 452 }, 'message', false],
    ] as const;
    for (const [how, stage, isPermanent] of cases) {
      receiver.refuse(how);
      await assertNotSent(sendBySmtp(serverAt(receiver.port), mail), stage, JSON.stringify(how), isPermanent);
    }
    assert.deepEqual(receiver.received, []);
    const wrong = { user: smtpLogin.user, password: 'another' };
    await assertNotSent(
      sendBySmtp(serverAt(receiver.port, { login: wrong }), mail),
      'login',
      'wrong password',
    );
    await assertNotSent(sendBySmtp(serverAt(1), mail), 'connect', 'nothing listens');
    const host = 'nowhere.invalid';
    await assertNotSent(sendBySmtp(serverAt(25, { host }), mail), 'name', 'no such name');
  });

  test('that never answers, answers without end, closes or repeats secrets costs a bounded time', async (t) => {
    const line = `250-${'x'.repeat(1000)}\r\n`;
    const answering = (answers: (command: string, socket: Socket) => string | null) => (socket: Socket) => {
      socket.write('220 x\r\n');
      socket.on('data', (chunk) => {
        const answer = answers(chunk.toString('latin1'), socket);
        if (answer !== null) socket.write(answer);
      });
    };
    const hello = '250-x\r\n250 AUTH PLAIN\r\n';
    const scripts: readonly (readonly [string, (socket: Socket) => void, SmtpStage])[] = [
      ['says nothing', () => {}, 'greeting'],
      ['closes at once', (socket) => socket.destroy(), 'greeting'],
      ['greets for ever', (socket) => flood(socket, line.replace('250', '220')), 'greeting'],
      ['sends one line without an end', (socket) => flood(socket, 'x'.repeat(1000)), 'greeting'],
      [
        'answers EHLO for ever',
        answering((_command, socket) => {
          flood(socket, line);
          return null;
        }),
        'greeting',
      ],
      ['talks HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'), 'greeting'],
      ['drips', (socket) => drip(socket), 'greeting'],
      [
        'repeats the password',
        answering((command) =>
          command.startsWith('AUTH') ? `535 ${smtpLogin.password} ${command}\r\n` : hello,
        ),
        'login',
      ],
      [
        'closes in DATA',
        answering((command, socket) => {
          if (command.startsWith('EHLO')) return hello;
          if (command.startsWith('AUTH')) return '235 ok\r\n';
          if (command.startsWith('DATA')) return '354 go\r\n';
          if (/^(MAIL|RCPT)/.test(command)) return '250 ok\r\n';
          socket.destroy();
          return null;
        }),
        'greeting',
      ],
    ];
    for (const [about, script, stage] of scripts) {
      const port = await startScript(t, script);
      const before = process.memoryUsage().rss;
      await assertNotSent(sendBySmtp(serverAt(port, { tls: 'none', timeout: 400 }), mail), stage, about);
      assert.ok(process.memoryUsage().rss - before < 200e6, about);
    }
  });
});

test('a mail server that sends blank lines without end is left long before the time is up', async (t) => {
  const greetings = ['', '220 x\r\n'];
  for (const greeting of greetings) {
    const port = await startScript(t, (socket) => {
      socket.write(greeting);
      flood(socket, '\r\n'.repeat(1000));
    });
    const sent = sendBySmtp(serverAt(port, { tls: 'none', timeout: 120_000 }), mail);
    await assert.rejects(sent, /did not answer as a mail server does/);
  }
});

/** Writes for as long as the other end reads. */
function flood(socket: Socket, text: string): void {
  const go = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', go);
  go();
}

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('220-x\r\n'), 20);
  socket.once('close', () => clearInterval(timer));
}

async function startScript(
  t: { after(work: () => void): void },
  script: (socket: Socket) => void,
): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    script(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
