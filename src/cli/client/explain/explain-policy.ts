import { basename } from 'node:path';
import { asList, asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import type { Texts } from '../../terminal/command.ts';
import { CliError, printResult, usageError } from '../../terminal/output.ts';
import { inFile, type PlacedDocument, readPlacedDocument } from '../entities/document-file.ts';
import { onEntity } from '../entities/on-entity.ts';
import { policyPreviewText, previewOfPolicy } from '../entities/preview-change.ts';
import { checkLine, shownCheck } from './check-lines.ts';

/** One primary method instead of all, and a file with an auth policy to preview saving it. */
type ExplainPolicyOptions = Texts<'method' | 'policy'>;

/**
 * `explain policy IDENTITY`: prints the factors that this identity needs, and what would refuse it; with
 * `--policy FILE`, if it had that policy.
 */
export const explainPolicy = onEntity(
  'identity',
  async ({ report, api, id, name, path }, { method }: ExplainPolicyOptions, from: PolicyFile | undefined) => {
    const asked = method === undefined ? {} : { method };
    const sent = from?.policy;
    const { data } = await api
      .call({
        path: `${path}/login-explanation`,
        ...(sent === undefined
          ? { method: 'GET', query: asked }
          : { method: 'POST', json: { ...asked, policy: sent } }),
      })
      .catch((error) => {
        throw from !== undefined && error instanceof CliError ? inItsFile(error, from) : error;
      });
    const logins = (Array.isArray(data) ? asList(data) : [data]).map(asObject);
    const canLogIn = logins.some(({ outcome }) => outcome === 'allowed');
    const isVouched = canLogIn && !logins.some(({ standing }) => standing === 'ready');
    const can = sent === undefined ? (canLogIn ? 'can' : 'cannot') : canLogIn ? 'could' : 'could not';
    const preview = sent === undefined ? undefined : await previewOfPolicy(api, sent);
    const value = { identity: { id, name }, canLogIn, logins, ...(preview === undefined ? {} : { preview }) };
    printResult(report, value, () =>
      [
        ...logins.map(loginText),
        `${name} ${can} log in${method === undefined ? '' : ` with ${method}`}${isVouched ? vouched : ''}.`,
        ...(preview === undefined ? [] : [policyPreviewText(preview)]),
      ].join('\n\n'),
    );
  },
  async ({ ports }, { policy }) =>
    policy === undefined ? undefined : policyIn(await readPlacedDocument(ports, policy), policy),
);

interface PolicyFile extends Pick<PlacedDocument, 'lineOf'> {
  readonly file: string;
  readonly policy: JsonObject;
}

/** The policy of a file: the document itself, or the only one of a file for `apply`. It needs no name to be explained. */
function policyIn({ members, lineOf }: PlacedDocument, file: string): PolicyFile {
  const among = members['auth-policy'];
  if (among === undefined) return { file, policy: { name: basename(file), ...members }, lineOf };
  const [policy, ...others] = asList(among);
  if (policy !== undefined && others.length === 0)
    return {
      file,
      policy: { name: basename(file), ...asObject(policy) },
      lineOf: (place) => lineOf(['auth-policy', 0, ...place]),
    };
  throw usageError(
    `${file} has ${others.length === 0 ? 'no auth policy' : `${others.length + 1} auth policies`}; one is explained at a time.`,
    'copy one of them into a separate file',
  );
}

const vouched = ', if another party vouches for it';

function inItsFile(error: CliError, { file, lineOf }: PolicyFile): CliError {
  const { field = '' } = error;
  const [root, ...place] = field.split('.');
  if (root !== 'policy' || place.length === 0) return error;
  return inFile(error, { file, line: lineOf(place), what: place.join('.'), field });
}

function loginText({ method, outcome, standing, asks, checks }: JsonObject): string {
  const besides = asList(asks);
  return [
    `${method}: ${outcome}${standing === 'vouched' ? vouched : ''}${besides.length === 0 ? '' : `, and asks for ${besides.join(' and ')} besides`}`,
    ...asList(checks).map((check) => checkLine(shownCheck(asObject(check)))),
  ].join('\n');
}
