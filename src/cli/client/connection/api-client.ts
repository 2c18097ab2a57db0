// Calls the Edge APIs with the saved login: renews the access token, and turns failures into sentences.

import { parseChallenges } from '../../../../packages/client/src/api/challenge.ts';
import { asList, asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import type { Texts, Work } from '../../terminal/command.ts';
import { type CliError, type Report, showingProgress } from '../../terminal/output.ts';
import { externalJwt } from '../../terminal/secret-input.ts';
import { answerError, type HttpsAnswer } from './answer-failure.ts';
import { connectionOf, freshLogin, savedLogin, sessionIsOver } from './connection.ts';
import type { SavedLogin } from './credentials-store.ts';
import type { HttpsClient, HttpsRequest } from './https-client.ts';

const mebibyte = 1024 * 1024;
const roots = { client: '/edge/client/v1', management: '/edge/management/v1' } as const;

interface ApiCall {
  readonly method: HttpsRequest['method'];
  /** Below the root of the API, with a leading slash. */
  readonly path: string;
  /** Default: the management API. */
  readonly api?: keyof typeof roots;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly json?: unknown;
  /** A table, instead of JSON. */
  readonly csv?: string;
}

/** The envelope of a successful answer. */
export interface ApiAnswer {
  readonly data: unknown;
  /** The data as an object; empty if it is a list. */
  readonly document: JsonObject;
  /** The data as a list; empty if it is an object. */
  readonly rows: readonly JsonObject[];
  /** How many there are, if these are some of them. */
  readonly total: number;
  /** The list is too long to be counted: a multiple of 1000 says about how many there are, another number that there are more. */
  readonly isEstimate: boolean;
  readonly headers: HttpsAnswer['headers'];
}

export interface ApiClient {
  readonly login: SavedLogin;
  /** @throws CliError with the reference id and an exit code for every failed answer */
  call(call: ApiCall): Promise<ApiAnswer>;
  /** The same, but undefined for 404. */
  find(call: ApiCall): Promise<ApiAnswer | undefined>;
}

/**
 * Runs `action` with a client for the login that `--server` names, or the current one.
 * @throws CliError exit 3 when there is no login
 */
export async function withApi<T>(
  report: Report,
  server: string | undefined,
  action: (api: ApiClient) => Promise<T>,
): Promise<T> {
  const { ports } = report;
  let login = await savedLogin(ports, server);
  using http = await connectionOf(ports, login);
  const opened = async () => http;

  async function answerTo(call: ApiCall): Promise<HttpsAnswer> {
    login = await freshLogin(ports, login, { http: opened });
    const answer = await sendAs(report, { http, login }, call);
    if (answer.status !== 401) return answer;
    // It may have been revoked, or our clock may be wrong. One renewal decides.
    login = await freshLogin(ports, login, { http: opened, refused: login.accessToken });
    return sendAs(report, { http, login }, call);
  }
  async function find(call: ApiCall): Promise<ApiAnswer | undefined> {
    const answer = await answerTo(call);
    if (answer.status === 404) return undefined;
    return envelopeOf(answer, login);
  }
  return await action({
    get login() {
      return login;
    },
    find,
    call: async (call) => envelopeOf(await answerTo(call), login),
  });
}

interface OnServer {
  readonly report: Report;
  readonly api: ApiClient;
}

/** A command that asks the server of the login which `--server` names, or of the current one. */
export function onServer<Options, Args extends readonly unknown[] = readonly []>(
  work: (server: OnServer, options: Options, args: Args) => Promise<void>,
): Work<Options & Texts<'server'>, Args> {
  return (report, options, args) =>
    withApi(report, options.server, (api) => work({ report, api }, options, args));
}

async function sendAs(
  report: Report,
  { http, login }: { http: HttpsClient; login: SavedLogin },
  call: ApiCall,
): Promise<HttpsAnswer> {
  const { secondaryJwtFile } = login;
  const secondToken =
    secondaryJwtFile === undefined ? undefined : await externalJwt(report.ports, secondaryJwtFile);
  const url = new URL(roots[call.api ?? 'management'] + call.path, login.apiUrl);
  for (const [name, value] of Object.entries(call.query ?? {}))
    if (value !== undefined) url.searchParams.set(name, value);
  const { method, json, csv } = call;
  return showingProgress(report, (show) => {
    let shown = 0;
    const onReceived = (bytes: number) => {
      const size = Math.floor(bytes / mebibyte);
      if (size > shown) show(`${size} MiB received`);
      shown = size;
    };
    return http.send({ method, url, login, secondToken, json, csv, onReceived });
  });
}

function envelopeOf(answer: HttpsAnswer, login: SavedLogin): ApiAnswer {
  if (answer.status >= 200 && answer.status < 300) {
    const { data, meta } = asObject(answer.body);
    const rows = asList(data).map(asObject);
    const { totalCount = rows.length, totalCountIsEstimate } = asObject(asObject(meta).pagination);
    const isEstimate = totalCountIsEstimate === true;
    const { headers } = answer;
    return { data, document: asObject(data), rows, total: Number(totalCount), isEstimate, headers };
  }
  if (answer.status === 401) throw notAuthenticated(answer, login);
  throw answerError(answer);
}

/** Distinguishes a missing second factor from an ended session (spec 7.2). */
function notAuthenticated(answer: HttpsAnswer, login: SavedLogin): CliError {
  const secondary = secondaryChallenge(answer);
  if (secondary === undefined) return answerError(answer, { next: sessionIsOver(login).next });
  const { secondaryJwtFile } = login;
  return answerError(answer, {
    what: `Every call needs a valid token of ${secondary.issuer}`,
    next:
      secondaryJwtFile === undefined
        ? `overlay-auth login ${login.url} --ext-jwt FILE   (the token is then read from FILE at every command)`
        : `put a new token into ${secondaryJwtFile} and run the command again`,
  });
}

function secondaryChallenge(answer: HttpsAnswer): { readonly issuer: string } | undefined {
  for (const challenge of parseChallenges(answer.headers['www-authenticate'] ?? null)) {
    if (challenge.realm !== 'overlay-secondary-ext-jwt') continue;
    const [signer] = challenge.signers;
    return { issuer: signer === undefined || signer.issuer === '' ? 'the second signer' : signer.issuer };
  }
  return undefined;
}
