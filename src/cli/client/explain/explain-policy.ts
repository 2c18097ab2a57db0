import { asList, asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import { type ApiClient, withApi } from '../connection/api-client.ts';
import { readDocument } from '../entities/document-file.ts';
import { entityNamed } from '../entities/entities.ts';
import { findEntity } from '../entities/lookup.ts';
import { checkLine, shownCheck } from './check-lines.ts';

export interface ExplainPolicyOptions {
  readonly server?: string | undefined;
  /** One primary method; absent: all. */
  readonly method?: string | undefined;
  /** A file with an auth policy, to preview saving it. */
  readonly policy?: string | undefined;
}

/** `explain policy IDENTITY`: prints what the server says this identity must prove, and what would refuse it. */
export async function explainPolicy(
  report: Report,
  nameOrId: string,
  { server, method, policy }: ExplainPolicyOptions,
): Promise<void> {
  const sent = policy === undefined ? undefined : await readDocument(report.ports, policy);
  await withApi(report, server, async (api) => {
    const { id, name } = await findEntity(api, entityNamed('identity'), nameOrId);
    const path = `/identities/${encodeURIComponent(id)}/login-explanation`;
    const query = method === undefined ? {} : { method };
    const { data } = await api.call({ method: 'GET', path, query });
    const logins = (Array.isArray(data) ? asList(data) : [data]).map(asObject);
    const canLogIn = logins.some(({ outcome }) => outcome === 'allowed');
    const preview = sent === undefined ? undefined : await previewOf(api, sent);
    const value = { identity: { id, name }, canLogIn, logins, ...(preview === undefined ? {} : { preview }) };
    printResult(report, value, () =>
      [
        ...logins.map(loginText),
        `${name} ${canLogIn ? 'can' : 'cannot'} log in${method === undefined ? '' : ` with ${method}`}.`,
        ...(preview === undefined ? [] : [previewText(preview)]),
      ].join('\n\n'),
    );
  });
}

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
