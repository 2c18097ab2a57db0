import { DAY } from '../../platform/clock.ts';
import { CliError } from '../cli-error.ts';
import { type ApiClient, withApi } from '../client/api-client.ts';
import { connectionTo } from '../client/connection.ts';
import { credentialsStore } from '../client/credentials-store.ts';
import { asList, asObject, type JsonObject } from '../client/json-shape.ts';
import { discover } from '../client/provider.ts';
import { issuersOf } from '../entities/service.ts';
import { printResult, type Report } from '../terminal/output.ts';
import { renderFields, renderTable } from '../terminal/table.ts';

interface ServerStatus {
  readonly server: string;
  readonly issuer: string;
  /** Null: this listener does not serve the health checks. */
  readonly isHealthy: boolean | null;
  readonly checks: readonly JsonObject[];
  /** Of the certificate that the server presents; RFC 3339. */
  readonly certificateEnd: string | null;
  readonly certificateDaysLeft: number | null;
  /** The nodes. */
  readonly controllers: readonly JsonObject[];
}

/** `status`: the state of the server of the login, and its nodes. @throws CliError exit 1 when a check fails */
export async function serverStatus(report: Report, named: string | undefined): Promise<void> {
  const status = await withApi(report, named, (api) => statusOf(report, api));
  printResult(report, status, () => statusText(status));
  if (status.isHealthy === false) {
    throw new CliError(`${status.server} is not ready: ${failing(status)}.`, {
      code: 'unhealthy',
      next: 'look into the log of the server',
    });
  }
}

async function statusOf({ ports }: Report, api: ApiClient): Promise<ServerStatus> {
  const nodes = await api.call({
    api: 'client',
    method: 'GET',
    path: '/controllers',
    query: { limit: 'none' },
  });
  const { url } = api.login;
  const { trust } = await credentialsStore(ports).read();
  const http = await connectionTo(ports, trust[url], undefined);
  try {
    const { issuer } = await discover(http, ports.clock, url);
    const answer = await http.send({
      method: 'GET',
      url: new URL('/health-checks', url),
    });
    const health = asObject(asObject(answer.body).data);
    const end = http.certificateEnd();
    return {
      server: url,
      issuer,
      isHealthy: typeof health.healthy === 'boolean' ? health.healthy : null,
      checks: asList(health.checks).map(asObject),
      certificateEnd: end === undefined ? null : new Date(end).toISOString(),
      certificateDaysLeft: end === undefined ? null : Math.floor((end - ports.clock.now()) / DAY),
      controllers: asList(nodes.data).map(asObject),
    };
  } finally {
    http.close();
  }
}

function failing({ checks }: ServerStatus): string {
  return checks
    .filter(({ healthy }) => healthy === false)
    .map(({ id }) => String(id))
    .join(', ');
}

function statusText(status: ServerStatus): string {
  const { isHealthy, certificateEnd, certificateDaysLeft, controllers } = status;
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
      { heading: 'controller', cell: (row: JsonObject) => row.name },
      { heading: 'online', cell: (row) => row.isOnline },
      { heading: 'version', cell: (row) => row.version },
      { heading: 'started', cell: (row) => row.lastJoinedAt },
      { heading: 'issuers', cell: issuersOf },
    ],
    controllers,
  );
  return `${fields}\n\n${nodes}`;
}
