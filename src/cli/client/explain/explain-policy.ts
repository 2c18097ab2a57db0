import { asList, asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { printResult } from '../../terminal/output.ts';
import type { ApiClient } from '../connection/api-client.ts';
import { readDocument } from '../entities/document-file.ts';
import { onEntity } from '../entities/on-entity.ts';
import { checkLine, shownCheck } from './check-lines.ts';

interface ExplainPolicyOptions {
  /** One primary method; absent: all. */
  readonly method?: string;
  /** A file with an auth policy, to preview saving it. */
  readonly policy?: string;
}

/**
 * `explain policy IDENTITY`: prints what the server says this identity must prove, and what would refuse it; with
 * `--policy FILE`, if it had that policy.
 */
export const explainPolicy = onEntity(
  'identity',
  async ({ report, api, id, name, path }, { method }: ExplainPolicyOptions, sent: JsonObject | undefined) => {
    const asked = method === undefined ? {} : { method };
    const { data } = await api.call({
      path: `${path}/login-explanation`,
      ...(sent === undefined
        ? { method: 'GET', query: asked }
        : { method: 'POST', json: { ...asked, policy: sent } }),
    });
    const logins = (Array.isArray(data) ? asList(data) : [data]).map(asObject);
    const canLogIn = logins.some(({ outcome }) => outcome === 'allowed');
    const preview = sent === undefined ? undefined : await previewOf(api, sent);
    const value = { identity: { id, name }, canLogIn, logins, ...(preview === undefined ? {} : { preview }) };
    printResult(report, value, () =>
      [
        ...logins.map(loginText),
        `${name} ${sent === undefined ? (canLogIn ? 'can' : 'cannot') : canLogIn ? 'could' : 'could not'} log in${method === undefined ? '' : ` with ${method}`}.`,
        ...(preview === undefined ? [] : [previewText(preview)]),
      ].join('\n\n'),
    );
  },
  async ({ ports }, { policy }) => (policy === undefined ? undefined : readDocument(ports, policy)),
);

async function previewOf(api: ApiClient, sent: JsonObject): Promise<JsonObject> {
  return asObject((await api.call({ method: 'POST', path: '/auth-policies/preview', json: sent })).data);
}

function loginText({ method, outcome, asks, checks }: JsonObject): string {
  const besides = asList(asks);
  return [
    `${method}: ${outcome}${besides.length === 0 ? '' : `, and asks for ${besides.join(' and ')} besides`}`,
    ...asList(checks).map((check) => checkLine(shownCheck(asObject(check)))),
  ].join('\n');
}

function previewText(preview: JsonObject): string {
  const [touched, asksMore, lockedOut] = ['touched', 'asksMore', 'lockedOut'].map((name) =>
    asObject(preview[name]),
  );
  const names = asList(lockedOut?.first).map((one) => String(asObject(one).name));
  return [
    'If the policy were saved like this:',
    `  identities that have it:            ${touched?.count}`,
    `  that would have to prove more:      ${asksMore?.count}`,
    `  that could no longer log in:        ${lockedOut?.count}${names.length === 0 ? '' : ` (${names.join(', ')}${Number(lockedOut?.count) > names.length ? ', …' : ''})`}`,
  ].join('\n');
}
