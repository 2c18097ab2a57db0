import { DAY } from '../../platform/clock.ts';
import { asList, asObject } from '../../platform/formats/json-shape.ts';
import { namersText } from '../terminal/namers-text.ts';
import { CliError, printResult, type Report } from '../terminal/output.ts';
import { renderFields, renderTable } from '../terminal/table.ts';
import { type ApiClient, withApi } from './connection/api-client.ts';
import { connectionTo, discover } from './connection/connection.ts';
import { credentialsStore } from './connection/credentials-store.ts';
import { issuersOf } from './entities/entities.ts';

type ServerStatus = Awaited<ReturnType<typeof statusOf>>;

/** `status`: the state of the server of the login, and its nodes. @throws CliError exit 1 when a check fails */
export async function serverStatus(report: Report, { server }: { server?: string }): Promise<void> {
  const status = await withApi(report, server, (api) => statusOf(report, api));
  printResult(report, status, () => statusText(status));
  if (status.isHealthy === false)
    throw new CliError(`${status.server} is not ready: ${failing(status)}.`, {
      code: 'unhealthy',
      next: 'look into the log of the server',
    });
}

async function statusOf({ ports }: Report, api: ApiClient) {
  const query = { limit: 'none' };
  const nodes = await api.call({ api: 'client', method: 'GET', path: '/controllers', query });
  const seen = await forReaders(api);
  const { url } = api.login;
  const { trust } = await credentialsStore(ports).read();
  using http = await connectionTo(ports, trust[url], undefined);
  const { issuer } = await discover(http, ports.clock, url);
  const answer = await http.send({ method: 'GET', url: new URL('/health-checks', url) });
  const health = asObject(asObject(answer.body).data);
  const end = http.certificateEnd();
  return {
    server: url,
    issuer,
    // Null: this listener does not serve the health checks.
    isHealthy: typeof health.healthy === 'boolean' ? health.healthy : null,
    checks: asList(health.checks).map(asObject),
    // Of the certificate that the server presents.
    certificateEnd: end === undefined ? null : new Date(end).toISOString(),
    certificateDaysLeft: end === undefined ? null : Math.floor((end - ports.clock.now()) / DAY),
    controllers: nodes.rows,
    ...seen,
  };
}

/** Everybody may ask for the status, and this is for those who may read everything; null for others. */
async function forReaders(api: ApiClient) {
  const none = { administratorsNamedBy: null, eventsNotTakenBy: null, mailsGivenUp: null };
  const { document: me } = await api.call({ api: 'client', method: 'GET', path: '/current-identity' });
  if (me.isAdmin !== true && asList(me.permissions).length === 0) return none;
  // Not every address serves the management API.
  const found = await api.find({ method: 'GET', path: '/administrators/named-by' });
  if (found === undefined) return none;
  const query = { limit: 'none' };
  const subscriptions = await api.call({ method: 'GET', path: '/event-subscriptions', query });
  const mails = await api.call({ method: 'GET', path: '/mails', query: { state: 'failed' } });
  return {
    mailsGivenUp: mails.rows,
    administratorsNamedBy: asList(found.document.namedBy).map(asObject),
    eventsNotTakenBy: subscriptions.rows.filter(({ failures }) => Number(failures) > 0),
  };
}

function failing({ checks }: ServerStatus): string {
  return checks
    .filter(({ healthy }) => healthy === false)
    .map(({ id }) => String(id))
    .join(', ');
}

function statusText(status: ServerStatus): string {
  const { isHealthy, certificateEnd, certificateDaysLeft, controllers, administratorsNamedBy } = status;
  const fields = renderFields([
    ['server', status.server],
    ['health', isHealthy === null ? 'not served here' : isHealthy ? 'ok' : `fails: ${failing(status)}`],
    ['issuer', status.issuer],
    [
      'certificate',
      certificateEnd === null ? null : `until ${certificateEnd.slice(0, 10)} (${certificateDaysLeft} days)`,
    ],
  ]);
  const nodes = renderTable(
    [
      ['controller', 'name'],
      ['online', 'isOnline'],
      'version',
      ['started', 'lastJoinedAt'],
      ['issuers', issuersOf],
    ],
    controllers,
  );
  const notTakenBy = status.eventsNotTakenBy ?? [];
  const mails = status.mailsGivenUp ?? [];
  return [
    fields,
    nodes,
    ...(notTakenBy.length === 0
      ? []
      : [renderTable([['events not taken by', 'name'], 'url', 'failures', 'waiting'], notTakenBy)]),
    ...(mails.length === 0
      ? []
      : [renderTable([['mail given up', 'createdAt'], 'to', 'about', 'result'], mails)]),
    ...(administratorsNamedBy === null ? [] : [namersText(administratorsNamedBy)]),
  ].join('\n\n');
}
