// Faults that the model of the login cannot see, because they are about the cost, sender or time of requests. Each names
// the file of tests that has to find it.

import type { Fault } from './faults.ts';

export const faultsOfRequests: readonly Fault[] = [
  {
    name: 'every request of a pipelined burst is answered at once',
    soughtBy: 'test/http/pipelining.test.ts',
    file: 'src/http/server/one-at-a-time.ts',
    from: "  server.on('secureConnection', (socket) => readInstead(socket, letGoOn));",
    to: '  void readInstead;',
  },
  {
    name: 'bytes that wait for clients have no limit',
    soughtBy: 'test/http/pipelining.test.ts',
    file: 'src/http/server/waiting-bytes.ts',
    from: '      if (excess > 0) tooMuch -= endLongest(sockets, { source, excess });',
    to: '      if (excess < 0) tooMuch -= endLongest(sockets, { source, excess });',
  },
  {
    name: 'an answer that everybody gets is made for each request',
    soughtBy: 'test/http/fixed-answers.test.ts',
    file: 'src/http/request/fixed-route.ts',
    from: '      if (isFresh) return answerFrom(found, context);',
    to: "      if (isFresh && key === '') return answerFrom(found, context);",
  },
  {
    name: 'one caller may have any number of lists at once',
    soughtBy: 'src/platform/fair-turns.test.ts',
    file: 'src/platform/fair-turns.ts',
    from: 'line.waiting.length > 0 && line.running < ofOne',
    to: 'line.waiting.length > 0 && (line.running < ofOne || ofOne > 0)',
  },
  {
    name: 'a refused login gives way to one that passed',
    soughtBy: 'test/store/sqlite.test.ts',
    file: 'src/store/sql/login-attempts.ts',
    from: 'const mostRefused = 3 / 4;',
    to: 'const mostRefused = 0;',
  },
  {
    name: 'an answer of another provider may be brought twice',
    soughtBy: 'test/oidc/provider-visits.test.ts',
    file: 'src/login/throttle.ts',
    from: "  return (await needs.store.attempts.count([once], 1, needs.clock.now())).outcome === 'counted';",
    to: "  return (await needs.store.attempts.count([once], 1, needs.clock.now())).outcome !== 'counting';",
  },
  {
    name: 'one source may take all places of a shared limit',
    soughtBy: 'src/platform/network/sources.test.ts',
    file: 'src/platform/network/sources.ts',
    from: 'if (inAll >= most || (inAll >= free && !hasShare())) return null;',
    to: 'if (inAll >= most || (inAll > most && !hasShare())) return null;',
  },
  {
    name: 'a node goes on reading the feed of another history',
    soughtBy: 'test/postgres/lost-entries.test.ts',
    file: 'src/store/sql/changes.ts',
    from: 'if (reading.position.history !== position.history || !isThere)',
    to: 'if (last !== null && found === undefined)',
  },
  {
    name: 'a page of another origin uses the certificate of the visitor',
    soughtBy: 'test/http/attacking-browser.test.ts',
    file: 'src/http/request/sender.ts',
    from: "    return this.kind === 'foreign-page' ? null : peerCertificates(this.#raw.socket as TLSSocket);",
    to: '    return peerCertificates(this.#raw.socket as TLSSocket);',
  },
  {
    name: 'a program hands a finished login over to its device',
    soughtBy: 'test/oidc/device.test.ts',
    file: 'src/http/oidc/device.ts',
    from: "      if (context.sender.kind !== 'own-page') throw new AuthError('forbidden');",
    to: "      if (context.startedAt < 0) throw new AuthError('forbidden');",
  },
  {
    name: 'a link of another site leads on to a provider',
    soughtBy: 'test/http/neighbour.test.ts',
    file: 'src/http/oidc/provider-visit.ts',
    from: "      if (context.sender.kind !== 'own-page') return buttonPage(",
    to: "      if (context.sender.kind === 'foreign-page') return buttonPage(",
  },
  {
    name: 'a program on this device gets a code without a question',
    soughtBy: 'test/oidc/browser-session.test.ts',
    file: 'src/oidc/flow/browser-session.ts',
    from: "  return redirectUri.startsWith('https:') && !isOnOwnDevice(redirectUri);",
    to: "  return redirectUri.startsWith('http') || !isOnOwnDevice(redirectUri);",
  },
  {
    name: 'a person takes a name that passes for the name of another identity',
    soughtBy: 'test/management/names.test.ts',
    file: 'src/store/sql/names.ts',
    from: '  const holder = sharesName ? null : yield* holderOf(name, identityId);',
    to: '  const holder = sharesName || !sharesName ? null : yield* holderOf(name, identityId);',
  },
  {
    name: 'a filter may cost any number of comparisons',
    soughtBy: 'test/management/costly-reads.test.ts',
    file: 'src/store/sql/read-list.ts',
    from: '  if (each * rows <= query.budget.comparisons) return;',
    to: '  if (each * rows <= Number.MAX_SAFE_INTEGER) return;',
  },
  {
    name: 'a list of everything is collected before its first byte is sent',
    soughtBy: 'test/management/costly-reads.test.ts',
    edits: [
      {
        file: 'src/http/documents/lists.ts',
        from: '  let first: IteratorResult<string> | null = await next();',
        to: `  const collected: string[] = [];
  for (let part = await next(); part.done !== true; part = await next()) collected.push(part.value);
  let first: IteratorResult<string> | null = { done: false, value: collected.join('') };`,
      },
    ],
  },
  {
    name: 'a list of everything is read by one statement',
    soughtBy: 'test/management/costly-reads.test.ts',
    file: 'src/admin/list-parameters.ts',
    from: '    limit: limit === undefined ? defaultLimit : (limit ?? largestLimit),',
    to: '    limit: limit === undefined ? defaultLimit : (limit ?? (reader.isAdmin ? largestOffset : largestLimit)),',
  },
  {
    name: 'a browser session of an alias client needs no fresh proof for factors',
    soughtBy: 'test/edge/fresh-proof.test.ts',
    file: 'src/login/fresh-proof.ts',
    from: '  if (session?.openedByProgram) return;',
    to: '  if (session !== null) return;',
  },
  {
    name: 'a neighbour leads a visitor through a provider to a code without a click',
    soughtBy: 'test/http/neighbour.test.ts',
    file: 'src/http/oidc/provider-visit.ts',
    from: "  if (context.method !== 'POST' && code !== null && isOfNeighbour(authRequest)) {",
    to: "  if (context.method !== 'POST' && code === null && isOfNeighbour(authRequest)) {",
  },
  {
    name: 'an answer of a passkey counts in another login',
    soughtBy: 'test/model/passkeys.test.ts',
    edits: [
      {
        file: 'src/login/passkey/question.ts',
        from: 'JSON.stringify([purpose, identityId, flow, browser,',
        to: 'JSON.stringify([purpose, identityId, browser,',
      },
      {
        file: 'src/login/passkey/question.ts',
        from: 'function contentOf({ purpose, identityId, flow, browser, site }',
        to: 'function contentOf({ purpose, identityId, browser, site }',
      },
    ],
  },
  {
    name: 'a copy of a passkey counts',
    soughtBy: 'test/model/passkeys.test.ts',
    file: 'src/store/sql/passkeys.ts',
    from: "? '=' : '<')}",
    to: "? '=' : '<=')}",
  },
  {
    name: 'a first proof need not say whose passkey it is',
    soughtBy: 'test/model/passkeys.test.ts',
    file: 'src/login/passkey/passkey.ts',
    from: 'said === null ? identityId !== null : said',
    to: 'said === null || said',
  },
];
