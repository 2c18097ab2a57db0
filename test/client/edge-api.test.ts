import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { rootCertificates } from 'node:tls';
import { createClientApi, createManagementApi } from '../../packages/client/src/api/edge-api.ts';
import { ProtocolError, Refusal, Unreachable } from '../../packages/client/src/errors.ts';
import { httpsTransport } from '../../packages/client/src/node/https-transport.ts';
import { guarded } from '../../packages/client/src/transport.ts';
import { login } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { testPki } from '../support/test-pki.ts';
import { serverOfFile } from '../support/test-server.ts';
import { transportTo } from './support.ts';

const server = await serverOfFile();
await server.createUser({ name: 'root', password, isAdmin: true });
const token = (await login(server, 'root', password)).access_token;
const transport = transportTo(server);

const management = (more: object = {}) =>
  createManagementApi({ baseUrl: server.url, token, transport, ...more });

test('a server of another authority gets nothing, even where the environment says that none is needed', async () => {
  const { send, close } = httpsTransport({ ca: rootCertificates[0] ?? '' });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const refused = send(new Request(`${server.url}/edge/client/v1/version`));
    // Which of the two depends on whether the server sends its root along.
    await assert.rejects(refused, {
      code: /^(?:UNABLE_TO_GET_ISSUER_CERT_LOCALLY|SELF_SIGNED_CERT_IN_CHAIN)$/,
    });
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    close();
  }
});

test('an answer with a status that means nothing is an outage, and ends no program', async (t) => {
  const { server: identity, ca } = await testPki();
  const odd = createServer({ cert: identity.certPem, key: identity.keyPem }, (request, response) => {
    response.writeHead(Number(new URL(request.url ?? '', server.url).searchParams.get('status')));
    response.end('{}');
  });
  odd.listen(0, '127.0.0.1');
  await once(odd, 'listening');
  t.after(() => odd.close());
  const transport = transportTo({ caPem: ca.certPem });
  const baseUrl = `https://localhost:${(odd.address() as AddressInfo).port}`;
  const statusOf = (status: number) => guarded(transport)(new Request(`${baseUrl}/?status=${status}`));
  assert.equal((await statusOf(205)).status, 205);
  for (const status of [600, 999]) {
    await assert.rejects(statusOf(status), { kind: 'unreachable', origin: baseUrl });
  }
});

describe('typed calls', () => {
  test('an answer is typed down to its members', async () => {
    const { data, response } = await management().GET('/identities', { params: { query: { limit: 5 } } });
    const names: string[] = data.data.map(({ name }) => name);
    assert.deepEqual(names, ['root']);
    assert.equal(data.meta.pagination.totalCount satisfies number, 1);
    assert.equal(response.status, 200);
    const own = await createClientApi({ baseUrl: server.url, token, transport }).GET('/current-identity');
    assert.equal(own.data.data.name satisfies string, 'root');
  });

  test('a call that is not in the documents does not compile', () => {
    const api = management();
    const never = (): unknown => [
      // @ts-expect-error no such path
      api.GET('/identites'),
      // @ts-expect-error no such method of the path
      api.PATCH('/version'),
      // @ts-expect-error the id is missing
      api.GET('/identities/{id}'),
      // @ts-expect-error no such parameter
      api.GET('/identities', { params: { query: { limitt: '5' } } }),
      // @ts-expect-error a name is a text
      api.POST('/identities', { body: { name: 5 } }),
    ];
    assert.equal(typeof never, 'function');
  });

  test('a created entity can be read, changed and deleted', async () => {
    const api = management();
    const created = await api.POST('/identities', { body: { name: 'ada', type: 'User', isAdmin: false } });
    const params = { path: { id: created.data.data.id } };
    await api.PATCH('/identities/{id}', { params, body: { name: 'ada/lovelace' } });
    const { data } = await api.GET('/identities/{id}', { params });
    assert.equal(data.data.name, 'ada/lovelace');
    await api.DELETE('/identities/{id}', { params });
    await assert.rejects(api.GET('/identities/{id}', { params }), { status: 404, code: 'NOT_FOUND' });
  });
});

describe('a refusal', () => {
  test('names status, code, field, reason and the reference id', async () => {
    const refused = management().POST('/identities', { body: { name: ' x', type: 'User', isAdmin: false } });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.kind, 'refused');
      assert.deepEqual([error.status, error.code, error.field], [400, 'COULD_NOT_VALIDATE', 'name']);
      assert.match(error.message, /name/);
      assert.notEqual(error.reason, undefined);
      assert.match(error.requestId ?? '', /^\S{6,}$/);
      return true;
    });
  });

  test('for a missing token says which would be accepted', async () => {
    const refused = createManagementApi({ baseUrl: server.url, transport }).GET('/identities');
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof Refusal);
      assert.deepEqual(error.challenges, [
        { realm: 'zt-session', error: 'missing' },
        { realm: 'overlay-oidc', error: 'missing' },
      ]);
      return error.status === 401;
    });
  });
});

describe('a token that was refused', () => {
  const sourceOf = (first: string, next: string) => {
    const renewed: string[] = [];
    return {
      renewed,
      accessToken: async () => first,
      renewedToken: async (refused: string) => {
        renewed.push(refused);
        return next;
      },
    };
  };

  test('is renewed once, and the same request sent again, with its body', async () => {
    const source = sourceOf('worn.out.token', token);
    const body = { name: 'grace', type: 'User', isAdmin: false } as const;
    const { response } = await management({ token: source }).POST('/identities', { body });
    assert.equal(response.status, 201);
    assert.deepEqual(source.renewed, ['worn.out.token']);
  });

  test('twice is a refusal', async () => {
    const source = sourceOf('worn.out.token', 'another.bad.token');
    await assert.rejects(management({ token: source }).GET('/identities'), { status: 401 });
    assert.deepEqual(source.renewed, ['worn.out.token']);
  });
});

describe('a server that breaks the protocol', () => {
  const answering = (answer: () => Response) => management({ transport: async () => answer() });

  test('an answer without end is given up', async () => {
    let sent = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 1;
            controller.enqueue(new Uint8Array(1024 * 1024));
          },
        }),
      );
    await assert.rejects(
      answering(endless).GET('/identities'),
      (error) => error instanceof ProtocolError && error.code === 'answer_too_large',
    );
    assert.ok(sent < 24, `${sent} MiB were read`);
  });

  test('a redirect is not followed: the token would go along', async () => {
    const moved = () => new Response(null, { status: 302, headers: { location: 'https://evil.example/' } });
    await assert.rejects(answering(moved).GET('/identities'), { kind: 'refused', status: 302 });
  });

  test('an answer that is not JSON is an error, not data', async () => {
    const page = () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } });
    await assert.rejects(
      answering(page).GET('/identities'),
      (error) => error instanceof ProtocolError && error.code === 'answer_invalid',
    );
  });

  test('a refusal in any form is a Refusal', async () => {
    for (const body of ['', '{', 'null', '[]', '{"error":7}', '{"error":{"code":[]}}', '<html>']) {
      await assert.rejects(answering(() => new Response(body, { status: 400 })).GET('/identities'), {
        kind: 'refused',
        status: 400,
        code: '',
      });
    }
  });

  test('no token is sent without TLS', async () => {
    let sent = 0;
    const api = management({
      baseUrl: 'http://localhost:1280',
      transport: async () => {
        sent += 1;
        return new Response('{}');
      },
    });
    await assert.rejects(api.GET('/identities'), { kind: 'protocol', code: 'not_https' });
    assert.equal(sent, 0);
  });

  test('a call that its caller has aborted throws the reason, and no outage', async () => {
    const reason = new Error('the page is gone');
    const isReason = (error: unknown) => error === reason;
    for (const send of [transport, undefined]) {
      const call = management({ transport: send }).GET('/identities', { signal: AbortSignal.abort(reason) });
      await assert.rejects(call, isReason);
    }
    const leaving = new AbortController();
    const broken = async () => {
      leaving.abort(reason);
      return new Response(new ReadableStream({ start: (answer) => answer.error(new Error('aborted')) }));
    };
    const call = management({ transport: broken }).GET('/identities', { signal: leaving.signal });
    await assert.rejects(call, isReason);
  });

  test('an unreachable server is Unreachable, with the cause', async () => {
    const api = management({ baseUrl: 'https://localhost:1' });
    await assert.rejects(api.GET('/identities'), (error) => {
      assert.ok(error instanceof Unreachable);
      return (error.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    });
  });
});
