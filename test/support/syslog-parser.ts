// A strict reader of syslog: frames with their length (RFC 5425 section 4.3), each a message of RFC 5424 section 6.

import assert from 'node:assert/strict';

export interface SyslogMessage {
  readonly priority: number;
  readonly timestamp: string;
  readonly host: string;
  readonly app: string;
  readonly process: string;
  readonly messageId: string;
  readonly element: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly text: string;
}

/** syslog-ng takes no other host than a name or an address: neither brackets nor a port. */
const header =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z) ([\w.-]{1,255}|[\da-f:.]{2,45}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) \[([!-~]{1,32})((?: [^= \]"]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] ([\x20-\x7e]*)$/;

/** @throws when something is not as the standards say */
export function parseSyslog(stream: Buffer): readonly SyslogMessage[] {
  const messages: SyslogMessage[] = [];
  for (let rest = stream; rest.length > 0; ) {
    const space = rest.indexOf(' ');
    const length = rest.subarray(0, space).toString();
    assert.match(length, /^[1-9]\d*$/);
    const end = space + 1 + Number(length);
    assert.ok(end <= rest.length, 'a message is whole');
    const text = rest.subarray(space + 1, end).toString();
    const match = header.exec(text);
    assert.ok(match, text);
    const [, priority, timestamp = '', host = '', app = '', process = '', messageId = '', element = ''] =
      match;
    const parameters = Object.fromEntries(
      [...(match[8] ?? '').matchAll(/ ([^=]+)="((?:[^"\\\]]|\\.)*)"/g)].map(([, name = '', value = '']) => [
        name,
        value.replace(/\\(.)/g, '$1'),
      ]),
    );
    assert.ok(Number(priority) <= 191);
    const fields = { timestamp, host, app, process, messageId, element, parameters };
    messages.push({ priority: Number(priority), ...fields, text: match[9] ?? '' });
    rest = rest.subarray(end);
  }
  return messages;
}
