// A link with which a person chooses a password: shown, drawn as a QR code, or written to a file.

import { textField } from '../../../platform/formats/json-shape.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import { writeOwnerFile } from '../../terminal/owner-file.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import { terminalQrCode } from '../login/terminal-qr-code.ts';
import { onEntity } from './on-entity.ts';

type InviteOptions = Texts<'expires' | 'output'> & Flags<'endSessions' | 'send' | 'qr' | 'withdraw'>;

/** `invite NAME [--expires 24h] [--end-sessions] [--qr] [-o FILE]`, with `--send` instead of the last two, `invite NAME --withdraw` */
export const invite = onEntity(
  'identity',
  async ({ report, api, id, name, path: ofIdentity }, options: InviteOptions) => {
    const { expires, endSessions = false, send = false, qr = false, output, withdraw = false } = options;
    const path = `${ofIdentity}/invitation`;
    if (withdraw) {
      await api.call({ method: 'DELETE', path });
      printResult(report, { id, name }, () => `The link of ${name} no longer works.`);
      return;
    }
    const json = { ...(expires === undefined ? {} : { expiresIn: expires }), endSessions };
    if (send) {
      const { document } = await api.call({ method: 'POST', path, json: { ...json, send } });
      const sentTo = textField(document, 'sentTo') ?? '';
      const expiresAt = textField(document, 'expiresAt') ?? '';
      printResult(
        report,
        { id, name, sentTo, expiresAt },
        () =>
          `A mail with the link is on its way to ${sentTo}. The link works once, until ${withoutMilliseconds(expiresAt)}.`,
      );
      return;
    }
    let url = '';
    let expiresAt = '';
    const make = async () => {
      const { document } = await api.call({ method: 'POST', path, json });
      url = textField(document, 'url') ?? '';
      expiresAt = textField(document, 'expiresAt') ?? '';
      return `${url}\n`;
    };
    await (output === undefined ? make() : writeOwnerFile(report.ports, output, make));
    const until = `works once, until ${withoutMilliseconds(expiresAt)}. Opening it is enough to choose the password of ${name}`;
    // A link written to a file is not shown as well.
    const result = { id, name, ...(output === undefined ? { url } : { file: output }), expiresAt };
    if (qr) draw(report, url);
    printResult(report, result, () =>
      [output === undefined ? url : `Wrote ${output}`, `The link ${until}.`].join('\n'),
    );
  },
);

const usualColumns = 80;

/** Draws the link above its text; not under `-j`. */
function draw({ json, ports }: Report, url: string): void {
  if (json) return;
  const code = terminalQrCode(url, ports.stdout.columns ?? usualColumns);
  if (code === undefined) ports.stderr.write('The window is too narrow for the QR code.\n');
  else ports.stdout.write(`${code}\n`);
}
