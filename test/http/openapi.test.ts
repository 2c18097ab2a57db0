import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const roots = ['/edge/client/v1', '/edge/management/v1', '/oidc'] as const;

const documents = new Map<string, OpenApiDocument>();
const server = await serverOfFile();
for (const root of roots) documents.set(root, (await server.get(`${root}/openapi.json`)).json);

/** Every `$ref` in a document. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' ? [String(member)] : refsIn(member),
  );
}

/** Where a document has a schema that says nothing: `any` in a generated client. */
function openIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const isSchema = name === 'schema' || name === 'items' || /\/(?:properties|schemas)$/.test(at);
    const isEmpty = typeof member === 'object' && member !== null && Object.keys(member).length === 0;
    return isSchema && isEmpty ? [`${at}/${name}`] : openIn(member, `${at}/${name}`);
  });
}

/** Where a schema has an example of another type than its own. */
function misfitsIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, examples } = value as { readonly type?: unknown; readonly examples?: unknown };
  const typesOf = (example: unknown) =>
    Array.isArray(example) ? ['array'] : Number.isInteger(example) ? ['integer', 'number'] : [typeof example];
  const isMisfit =
    typeof type === 'string' &&
    Array.isArray(examples) &&
    examples.some((example) => !typesOf(example).includes(type));
  const within = Object.entries(value).flatMap(([name, member]) => misfitsIn(member, `${at}/${name}`));
  return isMisfit ? [at, ...within] : within;
}

describe('the API descriptions', () => {
  for (const root of roots) {
    test(`${root}/openapi.json is an OpenAPI 3.1 document`, async () => {
      const document = documents.get(root) as OpenApiDocument;
      const result = await new Validator().validate({ ...document });
      assert.equal(result.valid, true, JSON.stringify(result));
      assert.deepEqual(document.servers, [{ url: server.url }]);
      assert.deepEqual(document.info.contact, { name: 'Overlay' });
      const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
      assert.deepEqual(
        refsIn(document).filter((ref) => !known.includes(ref)),
        [],
      );
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const ids = operations.map(({ operationId }) => operationId);
      assert.equal(new Set(ids).size, ids.length, 'operation ids are unique');
      for (const { operationId, summary } of operations) {
        assert.match(summary, /^[A-Z].*[^.]$/, operationId);
      }
    });
  }

  test('they name every endpoint, each once, and none that does not exist', () => {
    const described = [...documents.values()].flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    const routes = server.controller.services.routes.filter(({ aliasOf }) => aliasOf === undefined);
    const existing = routes.flatMap(({ methods, path }) =>
      methods
        // Like GET, and said so in the description.
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
    );
    assert.deepEqual(described.sort(), existing.sort());
  });

  test('every GET of a document that uses nothing up supports HEAD, as they say', async () => {
    const refused: string[] = [];
    let asked = 0;
    for (const [root, { paths, info }] of documents) {
      assert.match(info.description, /Every read-only GET also supports HEAD\./, root);
      for (const [path, { get }] of Object.entries(paths)) {
        const types = Object.keys(get?.responses[200]?.content ?? {});
        // A step of a login belongs to one browser or program, and reading recovery codes takes a code.
        const isStep = path.startsWith('/oidc/login/') || path.endsWith('/mfa/recovery-codes');
        if (types.join() !== 'application/json' || isStep) continue;
        asked += 1;
        const { status } = await server.request('HEAD', path.replace(/\{\w+\}/g, 'x'));
        if (status === 405) refused.push(path);
      }
    }
    assert.ok(asked > 50);
    assert.deepEqual(refused, []);
  });

  test('they describe every group of operations', () => {
    for (const { tags, paths } of documents.values()) {
      const used = Object.values(paths).flatMap((methods) =>
        Object.values(methods).flatMap((one) => one.tags),
      );
      assert.deepEqual(tags.map(({ name }) => name).sort(), [...new Set(used)].sort());
      for (const { name, description } of tags) assert.match(description, /^[A-Z].{10,}\.$/, name);
    }
  });

  test('they name the headers that continue a login, and those that take a code', () => {
    const headersOf = (root: (typeof roots)[number], path: string, method = 'post') =>
      Object.keys(documents.get(root)?.paths[root + path]?.[method]?.responses[200]?.headers ?? {});
    for (const root of ['/edge/client/v1', '/edge/management/v1'] as const) {
      const names = headersOf(root, '/authenticate');
      for (const name of [
        'zt-session',
        'totp-required',
        'expires-at',
        'expiration-seconds',
        'www-authenticate',
      ])
        assert.ok(names.includes(name), name);
      const mfa = `${root}/current-identity/mfa`;
      for (const [path, method] of [
        [mfa, 'delete'],
        [`${mfa}/recovery-codes`, 'get'],
        [`${mfa}/recovery-codes`, 'post'],
      ] as const) {
        const parameters = documents.get(root)?.paths[path]?.[method]?.parameters ?? [];
        const named = parameters.filter((parameter) => parameter.in === 'header');
        assert.deepEqual(
          named.map(({ name, required }) => [name, required]),
          [['mfa-validation-code', false]],
        );
      }
    }
    for (const method of ['username', 'password', 'cert', 'ext-jwt', 'totp']) {
      assert.ok(headersOf('/oidc', `/login/${method}`).includes('totp-required'), method);
    }
    assert.ok(headersOf('/oidc', '/login/username', 'get').includes('auth-request-id'));
  });

  test('they say that the pages of lists are counted in integers', () => {
    for (const root of ['/edge/client/v1', '/edge/management/v1'] as const) {
      const operations = Object.values(documents.get(root)?.paths ?? {})
        .flatMap((one) => Object.values(one))
        .filter(({ parameters }) => parameters.some(({ name }) => name === 'offset'));
      const schemasOf = (name: string) =>
        operations.flatMap(({ parameters }) =>
          parameters.filter((parameter) => parameter.name === name).map(({ schema }) => schema),
        );
      assert.ok(schemasOf('limit').length > 3);
      for (const { type, anyOf } of schemasOf('limit')) {
        assert.equal(type, undefined);
        assert.deepEqual(anyOf, [{ type: 'integer', minimum: 0, maximum: 500 }, { const: 'none' }]);
      }
      for (const { type, minimum } of schemasOf('offset')) {
        assert.deepEqual([type, minimum], ['integer', 0]);
      }
    }
  });

  test('each example of a parameter of a list is accepted by each list', async () => {
    const admin = await rootOf(server);
    const refused: string[] = [];
    for (const root of ['/edge/client/v1', '/edge/management/v1'] as const) {
      for (const [path, { get }] of Object.entries(documents.get(root)?.paths ?? {})) {
        if (path.includes('{') || !get?.parameters.some(({ name }) => name === 'offset')) continue;
        for (const { name, schema } of get.parameters) {
          for (const example of schema.examples ?? []) {
            const query = new URLSearchParams({ [name]: String(example) });
            const { status, text } = await admin.get(`${path}?${query}`);
            if (status !== 200) refused.push(`${path}?${query}: ${text}`);
          }
        }
      }
    }
    assert.deepEqual(refused, []);
  });

  test('each example is of the type that its schema names', () => {
    const wrong = [...documents].flatMap(([root, document]) =>
      misfitsIn(document).map((at) => `${root}${at}`),
    );
    assert.deepEqual(wrong, []);
  });

  // Generators for Go make of each schema X a constructor NewX.
  test('no schema has the name of a constructor of another one', () => {
    for (const { components } of documents.values()) {
      const names = Object.keys(components.schemas);
      assert.deepEqual(
        names.filter((name) => names.includes(`New${name}`)),
        [],
      );
    }
  });

  test('they leave no known shape open', () => {
    const open = [...documents].flatMap(([root, document]) => openIn(document).map((at) => `${root}${at}`));
    assert.deepEqual(open, []);
  });

  test('they name one type in each schema, besides null, which is all that generators of Go understand', () => {
    for (const document of documents.values()) {
      const lists = JSON.stringify(document).match(/"type":\[[^\]]*\]/g) ?? [];
      assert.deepEqual(
        lists.filter((types) => types.split(',').length > 2 || !types.includes('"null"')),
        [],
      );
    }
  });

  test('generated clients call operations what they do', () => {
    const { paths } = documents.get('/edge/management/v1') as OpenApiDocument;
    const idsOf = (path: string) =>
      Object.values(paths[`/edge/management/v1/${path}`] ?? {}).map(({ operationId }) => operationId);
    assert.deepEqual(idsOf('identities'), ['listIdentities', 'createIdentity']);
    assert.deepEqual(idsOf('identities/{id}').sort(), [
      'deleteIdentity',
      'getIdentity',
      'replaceIdentity',
      'updateIdentity',
    ]);
    assert.deepEqual(idsOf('identities/{id}/disable'), ['disableIdentity']);
    assert.deepEqual(idsOf('identities/{id}/mfa'), ['removeIdentityMfa']);
    assert.deepEqual(idsOf('identities/{id}/api-sessions').sort(), [
      'endIdentityApiSessions',
      'listIdentityApiSessions',
    ]);
    assert.deepEqual(idsOf('external-jwt-signers')[1], 'createExternalJwtSigner');
    assert.equal(paths['/edge/management/v1/authenticate']?.post?.deprecated, true);
  });

  test('they say who may call and what a refusal looks like', () => {
    const { paths, components } = documents.get('/edge/management/v1') as OpenApiDocument;
    const list = paths['/edge/management/v1/identities']?.get;
    assert.deepEqual(list?.security, [{ accessToken: [] }, { ztSession: [] }]);
    assert.equal(list?.['x-guard'], 'admin');
    assert.deepEqual(
      list?.parameters.map(({ name }) => name),
      ['filter', 'limit', 'offset', 'sort', 'roleFilter'],
    );
    assert.deepEqual(list?.responses['403']?.content, {
      'application/json': { schema: { $ref: '#/components/schemas/EdgeError' } },
    });
    assert.deepEqual(components.schemas.EdgeError?.required, ['error', 'meta']);
    assert.deepEqual(paths['/edge/management/v1/version']?.get?.security, []);
  });

  test('the shape of a body is the schema that validates it', () => {
    const { paths } = documents.get('/edge/management/v1') as OpenApiDocument;
    const body = paths['/edge/management/v1/identities']?.post?.requestBody;
    const schema = body?.content['application/json']?.schema;
    assert.equal(body?.required, true);
    assert.deepEqual(schema?.required, ['name']);
    assert.deepEqual(schema?.properties?.type, {
      default: 'Default',
      type: 'string',
      enum: ['Default', 'User', 'Device', 'Service', 'Router'],
    });
  });

  test('pages show each description without a script and without another host', async () => {
    for (const root of roots) {
      const { paths, components } = documents.get(root) as OpenApiDocument;
      const contents = await pageAt(`${root}/docs`);
      const schemas = new Set<string>();
      for (const [path, methods] of Object.entries(paths)) {
        for (const [method, { operationId, responses }] of Object.entries(methods)) {
          if (method === 'head') continue;
          const address = `${root}/docs/${operationId}`;
          const shown = `<code>${method.toUpperCase()} ${path}</code>`;
          assert.ok(contents.includes(`<li id="${operationId}"><a href="${address}">${shown}</a>`), address);
          const text = await pageAt(address);
          assert.ok(text.includes(shown), address);
          for (const status of Object.keys(responses)) {
            assert.ok(text.includes(`<strong>${status}</strong>`), `${status} of ${address}`);
          }
          for (const [, name = ''] of text.matchAll(/<section id="schema-([^"]+)">/g)) schemas.add(name);
          // Every link inside leads somewhere.
          for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) {
            assert.ok(text.includes(`id="${target}"`), `#${target} of ${address}`);
          }
        }
      }
      assert.deepEqual([...schemas].sort(), Object.keys(components.schemas).sort());
    }
  });

  test('no page is made for an operation that does not exist', async () => {
    for (const id of ['x', 'listidentities', 'toString', '__proto__', '-1', '%00', 'x'.repeat(500)]) {
      const answer = await server.get(`/edge/management/v1/docs/${id}`);
      assert.equal(answer.status, 404, id);
    }
  });
});

async function pageAt(path: string): Promise<string> {
  const answer = await server.get(path, { headers: { accept: 'text/html' } });
  assert.equal(answer.status, 200, path);
  assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; /);
  // The search alone needs a script: one of ours, in a file. Examples name other hosts; nothing leads there.
  assert.doesNotMatch(
    answer.text,
    /<script(?! src="\/assets\/pages\.[\w-]+\.js" type="module"><\/script>)|="\s*(?:https?:)?\/\//,
  );
  return answer.text;
}
