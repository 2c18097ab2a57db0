import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notice, printResult, type Report, reportFailure } from './output.ts';
import type { CliPorts } from './ports.ts';

/** A report, and what it has written. */
function reportTo(json: boolean): { readonly report: Report; readonly written: () => string } {
  let text = '';
  const output = {
    write(some: string) {
      text += some;
    },
  };
  const ports = { stdout: output, stderr: output, env: {} } as unknown as CliPorts;
  return { report: { ports, json, command: 'whoami' }, written: () => text };
}

// U+009B alone begins a terminal sequence, and U+202E turns the reading direction.
const foreign = 'a\u001b[2J\u009b31m\u0007\r\u007f\u202e\u2066z';

test('foreign text can neither control the terminal nor reorder what it shows', () => {
  for (const print of [
    (report: Report) => printResult(report, null, () => `one\n\t${foreign}`),
    (report: Report) => notice(report, `one\n\t${foreign}`),
  ]) {
    const { report, written } = reportTo(false);
    print(report);
    assert.equal(written(), 'one\n\ta\ufffd[2J\ufffd31m\ufffd\ufffd\ufffd\ufffd\ufffdz\n');
  }
});

test('under -j the same text is escaped, and parses to what it was', () => {
  const { report, written } = reportTo(true);
  printResult(report, { name: foreign }, () => '');
  assert.doesNotMatch(written(), /[^\P{Cc}\n]|\p{Bidi_Control}/u);
  assert.deepEqual(JSON.parse(written()), { name: foreign });
});

test('a file that the system refuses is named with the reason and the next step', () => {
  const refused = (properties: object) => {
    const { report, written } = reportTo(false);
    reportFailure({ ...report, helpCommand: '' }, Object.assign(new Error(), properties));
    return written();
  };
  assert.equal(
    refused({ code: 'EACCES', path: '/h/x' }),
    'error: /h/x cannot be used: this user may not access it.\nnext: check the path and the permissions\n',
  );
  // Of an open file the system names no path.
  assert.equal(
    refused({ code: 'ENOSPC', syscall: 'write' }),
    'error: A file cannot be used: the disk is full.\nnext: free space on the disk, then run the command again\n',
  );
  assert.match(
    refused({ code: 'EFBIG' }),
    /larger than this process may make a file\.\nnext: raise the limit/,
  );
  assert.match(refused({ code: 'ECONNRESET' }), /^error: Something unexpected/);
});
