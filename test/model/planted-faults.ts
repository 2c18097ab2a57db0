// Plants faults in a copy of the source and lets the model look for them: what it does not find, it is no proof of. Run
// it with `npm run planted-faults`; it writes docs/planted-faults.md. With words of names: only these, and the
// table is printed.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isoTime, systemClock } from '../../src/platform/clock.ts';

interface Edit {
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
}

interface Fault {
  readonly name: string;
  readonly edits: readonly Edit[];
}

const sql = 'src/store/sql/auth-requests.ts';
const flow = 'src/oidc/flow/login-flow.ts';
const totp = 'src/store/sql/totp.ts';
const bound =
  'AND (auth_requests.browser_binding IS NULL OR auth_requests.browser_binding = excluded.browser_binding)';

const faults: readonly Fault[] = [
  {
    name: 'a primary login leaves the stored request, and with it the binding, of the login before',
    edits: [
      { file: sql, from: 'request = excluded.request, client_id', to: 'client_id' },
      { file: sql, from: 'browser_binding = excluded.browser_binding, identity_id', to: 'identity_id' },
    ],
  },
  {
    name: 'pages of other sites may send what changes something',
    edits: [
      {
        file: 'src/http/request/foreign-pages.ts',
        from: "if (origin === undefined && (site === undefined || site === 'none')) return;",
        to: 'if (origin !== null) return;',
      },
    ],
  },
  {
    name: 'another browser takes over a login that is bound',
    edits: [
      { file: sql, from: bound, to: '' },
      {
        file: flow,
        from: 'if (login !== null) requireSameBrowser(login.authRequest.browserBinding, authRequest.browserBinding);',
        to: '',
      },
    ],
  },
  {
    name: 'steps after the primary one are accepted from any browser',
    edits: [
      {
        file: flow,
        from: '  requireSameBrowser(login.authRequest.browserBinding, authRequest.browserBinding);\n  return login;',
        to: '  return login;',
      },
    ],
  },
  {
    name: 'the code of a login by certificate is redeemed without the certificate',
    edits: [
      {
        file: sql,
        from: 'AND (cert_thumbprint IS NULL OR cert_thumbprint = ?)',
        to: "AND (? <> '' OR 1 = 1)",
      },
    ],
  },
  {
    name: 'a repeated primary login keeps the factors that were passed before',
    edits: [
      {
        file: flow,
        from: 'const progress = { ...secondary.progress, ...certified, ...said };',
        to: `const kept = await needs.store.authRequests.findLogin(authRequest.key, needs.clock.now());
    const passed = [...new Set([...(kept?.progress.passed ?? []), ...secondary.progress.passed])];
    const progress = { ...secondary.progress, ...certified, ...said, passed };`,
      },
    ],
  },
  {
    name: 'a factor counts for whichever login is there when it is recorded',
    edits: [
      {
        file: sql,
        from: "const isOpen = 'id = ? AND generation = ? AND code_hash IS NULL AND expires_at > ?';",
        to: "const isOpen = 'id = ? AND generation >= ? - 1000000 AND code_hash IS NULL AND expires_at > ?';",
      },
      {
        file: sql,
        from: '{isOpen} AND progress = ? RETURNING id',
        to: "{isOpen} AND ? <> '' RETURNING id",
      },
    ],
  },
  {
    name: 'one factor may be lacking when the code is given',
    edits: [
      {
        file: flow,
        from: 'const code = outstanding.length === 0 ? mintCode',
        to: 'const code = outstanding.length <= Math.min(1, progress.passed.length - 1) ? mintCode',
      },
    ],
  },
  {
    name: 'TOTP is not asked of somebody who enrolled it without being told to',
    edits: [
      {
        file: 'src/login/outstanding-factors.ts',
        from: '(policy.secondary.requireTotp || totp.isEnrolled)',
        to: 'policy.secondary.requireTotp',
      },
    ],
  },
  {
    name: 'a TOTP code works twice',
    edits: [{ file: totp, from: 'AND last_step < ? RETURNING', to: 'AND last_step <= ? RETURNING' }],
  },
  {
    name: 'a recovery code works twice',
    edits: [
      {
        file: totp,
        from: 'AND code_hash = ? AND used_at IS NULL\n',
        to: 'AND code_hash = ?\n',
      },
    ],
  },
  {
    name: 'an authorization code works twice',
    edits: [
      {
        file: sql,
        from: 'AND code_hash = ? AND code_used_at IS NULL AND code_expires_at > ?',
        to: 'AND code_hash = ? AND code_expires_at > ?',
      },
    ],
  },
  {
    name: 'an authorization code works after its end',
    edits: [
      { file: sql, from: 'AND code_expires_at > ? AND code_failures', to: 'AND ? > 0 AND code_failures' },
    ],
  },
  {
    name: 'the external JWT of another person counts as the second proof',
    edits: [
      {
        file: 'src/login/external-jwt/secondary-jwt.ts',
        from: 'namesIdentity(signer, verdict.claim, identity)) {',
        to: "namesIdentity(signer, verdict.claim, identity) || verdict.claim !== '') {",
      },
    ],
  },
  {
    name: 'the external JWT of the primary proof counts as the second one too',
    edits: [
      {
        file: 'src/login/external-jwt/secondary-jwt.ts',
        from: 'if (usedToken !== null && isSameProof(proofHashes(token), usedToken.proof)) {',
        to: "if (usedToken !== null && isSameProof(proofHashes(token), []) && token === '') {",
      },
      {
        file: 'src/oidc/flow/submit-external-jwt.ts',
        from: 'if (isSameProof(proofHashes(token), primaryProof)) return false;',
        to: 'if (isSameProof(proofHashes(token), primaryProof.slice(0, 0))) return false;',
      },
    ],
  },
  {
    name: 'the code of an enrollment that was shown to somebody else completes it',
    edits: [
      {
        file: 'src/login/totp/totp-enrollment.ts',
        from: "if (pending === null || pending.identityId !== identityId) {\n    attempt.failed('enrollment started'",
        to: "if (pending === null) {\n    attempt.failed('enrollment started'",
      },
      {
        file: sql,
        from: "if (integer(row, 'generation') > 1) yield* first('DELETE FROM pending_totp WHERE flow = ?', key);",
        to: '',
      },
    ],
  },
  {
    name: 'an enrollment that the login before began stays in the way of the next one',
    edits: [
      {
        file: sql,
        from: "if (integer(row, 'generation') > 1) yield* first('DELETE FROM pending_totp WHERE flow = ?', key);",
        to: '',
      },
      {
        file: totp,
        from: "'DELETE FROM pending_totp WHERE flow = ? RETURNING flow'",
        to: "'DELETE FROM pending_totp WHERE flow = ? AND 1 = 0 RETURNING flow'",
      },
    ],
  },
  {
    name: 'after a first step the primary endpoints take no other one',
    edits: [
      {
        file: flow,
        from: 'const isOpen = login === null ? now < authRequest.createdAt + authRequestLifetime : !login.hasCode;',
        to: 'const isOpen = login === null && now < authRequest.createdAt + authRequestLifetime;',
      },
    ],
  },
  {
    name: 'a session of the legacy mechanism is let through before its factors are given',
    edits: [
      {
        file: 'src/http/request/guard.ts',
        from: 'if (principal.outstanding.length > 0) {',
        to: "if (principal.outstanding.length > 0 && principal.mechanism !== 'legacy') {",
      },
    ],
  },
  {
    name: 'a refresh token that was used before does not end its session',
    edits: [
      {
        file: 'src/store/sql/api-sessions.ts',
        from: "if (yield* endSession(rotate.sessionId, 'refresh-reuse', rotate.now)) return { outcome: 'reused' };",
        to: "if (rotate.now < 0) return { outcome: 'reused' };",
      },
    ],
  },
];

const root = resolve(import.meta.dirname, '../..');
const copied = ['src', 'test', 'web', 'packages', 'bin', 'scripts', 'package.json', 'tsconfig.json'];

function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'overlay-auth-faults-'));
  for (const name of copied) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @returns how to take the fault back */
function plant(copy: string, { name, edits }: Fault): () => void {
  const before = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!before.has(path)) before.set(path, text);
    if (text.split(from).length !== 2) {
      throw new Error(`the fault "${name}" cannot be planted: ${file} does not have exactly once:\n${from}`);
    }
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}

interface Found {
  /** Null: the model found nothing. */
  readonly runs: number | null;
  readonly seconds: number;
  readonly broken: string;
}

async function search(copy: string): Promise<Found> {
  const began = systemClock.monotonic();
  const env = { OVERLAY_AUTH_MODEL_SHRINK: '0', OVERLAY_AUTH_MODEL_HOUSES: '4', ...process.env };
  const child = spawn(
    process.execPath,
    ['--test', '--test-force-exit', '--test-timeout=900000', 'test/model/login.test.ts'],
    { cwd: copy, env },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const status = await new Promise((done) => child.on('close', done));
  const seconds = (systemClock.monotonic() - began) / 1000;
  const after = /Property failed after (\d+) tests/.exec(output)?.[1];
  const broken = /Broken: ([^\n]+)/.exec(output)?.[1];
  if (status === 0) return { runs: null, seconds, broken: '' };
  if (after === undefined || broken === undefined) {
    throw new Error(`the model failed without having found anything:\n${output.slice(0, 3000)}`);
  }
  const earlier = [...output.matchAll(/(\d+) of \d+ runs, seed/g)].at(-1)?.[1] ?? 0;
  return { runs: Number(earlier) + Number(after), seconds, broken };
}

function table(rows: readonly (Found & { readonly name: string })[]): string {
  const lines = rows.map(({ name, runs, seconds, broken }) =>
    runs === null
      ? `| ${name} | **not found** | ${seconds.toFixed(0)} s | |`
      : `| ${name} | ${runs} | ${seconds.toFixed(0)} s | ${broken} |`,
  );
  return [
    '| Planted fault | Runs until it was found | Time | What the model says |',
    '|---|---|---|---|',
    ...lines,
  ].join('\n');
}

const filters = process.argv.slice(2);
const copy = copyOfTree();
const rows: (Found & { readonly name: string })[] = [];
try {
  for (const fault of faults) {
    if (filters.length > 0 && !filters.some((part) => fault.name.includes(part))) continue;
    const takeBack = plant(copy, fault);
    const found = await search(copy);
    takeBack();
    rows.push({ name: fault.name, ...found });
    const { runs, seconds, broken } = found;
    process.stdout.write(`${runs ?? 'NOT FOUND'} runs, ${seconds.toFixed(0)} s: ${fault.name} (${broken})\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (filters.length > 0) process.stdout.write(`${table(rows)}\n`);
else {
  const page = `# Planted faults

\`npm run planted-faults\` plants each of these faults in a copy of the source, and lets the model of the login
(\`test/model/\`) look for it, with the seeds of \`npm test\`; the first 2,000 runs are those of \`npm test\`. The time is
that on two busy cores and has the start of the server in it. Last run: ${isoTime(systemClock.now()).slice(0, 10)}.

${table(rows)}
`;
  writeFileSync(join(root, 'docs/planted-faults.md'), page);
}
process.exitCode = rows.every(({ runs }) => runs !== null) ? 0 : 1;
