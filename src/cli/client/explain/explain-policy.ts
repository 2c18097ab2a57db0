import { asList, asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { printResult } from '../../terminal/output.ts';
import { readDocument } from '../entities/document-file.ts';
import { onEntity } from '../entities/on-entity.ts';
import { policyPreviewText, previewOfPolicy } from '../entities/preview-change.ts';
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
    const preview = sent === undefined ? undefined : await previewOfPolicy(api, sent);
    const value = { identity: { id, name }, canLogIn, logins, ...(preview === undefined ? {} : { preview }) };
    printResult(report, value, () =>
      [
        ...logins.map(loginText),
        `${name} ${sent === undefined ? (canLogIn ? 'can' : 'cannot') : canLogIn ? 'could' : 'could not'} log in${method === undefined ? '' : ` with ${method}`}.`,
        ...(preview === undefined ? [] : [policyPreviewText(preview)]),
      ].join('\n\n'),
    );
  },
  async ({ ports }, { policy }) => (policy === undefined ? undefined : readDocument(ports, policy)),
);

function loginText({ method, outcome, asks, checks }: JsonObject): string {
  const besides = asList(asks);
  return [
    `${method}: ${outcome}${besides.length === 0 ? '' : `, and asks for ${besides.join(' and ')} besides`}`,
    ...asList(checks).map((check) => checkLine(shownCheck(asObject(check)))),
  ].join('\n');
}
