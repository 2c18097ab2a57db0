import assert from 'node:assert/strict';
import { test } from 'node:test';
import nodemailer from 'nodemailer';
import { startSmtpReceiver } from './smtp-receiver.ts';

test('a received mail has its links whole, wherever their lines are folded', async () => {
  await using receiver = await startSmtpReceiver();
  const { port } = receiver;
  const transport = nodemailer.createTransport({
    host: 'localhost',
    port,
    tls: { rejectUnauthorized: false },
  });
  const link = `https://localhost/invite?t=${'-'.repeat(300)}`;
  await transport.sendMail({
    from: 'a@example.com',
    to: 'b@example.com',
    subject: 'link',
    text: `Öffnen: ${link}\n`,
    html: `<a href="${link}">Öffnen</a>`,
  });
  transport.close();
  assert.deepEqual((await receiver.at(0)).links, [link]);
});
