import { CliError, usageError } from '../cli-error.ts';
import { credentialsStore } from '../client/credentials-store.ts';
import { serverOrigin } from '../client/server-url.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable, printResult, type Report } from '../terminal/output.ts';
import { printTable } from '../terminal/print-table.ts';
import { withoutLogin } from './run-logout.ts';

/** `login list` */
export async function listLogins(report: Report): Promise<void> {
  const { logins, current } = await credentialsStore(report.ports).read();
  const rows = Object.values(logins).map(({ url, name, identityId, amr, refreshToken }) => ({
    url,
    name,
    identityId,
    amr,
    isCurrent: url === current,
    isOver: refreshToken === null,
  }));
  printTable(
    report,
    rows,
    [
      { heading: 'url', cell: (row) => row.url },
      { heading: 'name', cell: (row) => row.name },
      { heading: 'factors', cell: (row) => row.amr },
      { heading: 'state', cell: (row) => (row.isOver ? 'over' : row.isCurrent ? 'current' : 'saved') },
    ],
    rows,
  );
}

/** `login use URL` */
export async function useLogin(report: Report, url: string): Promise<void> {
  const origin = serverOrigin(url);
  const name = await credentialsStore(report.ports).update(async (credentials) => {
    const login = credentials.logins[origin];
    if (login === undefined) {
      throw new CliError(`You are not logged in to ${origin}.`, {
        exitCode: exitCodes.notAuthenticated,
        code: 'not_logged_in',
        next: `overlay-auth login ${origin}`,
      });
    }
    return [{ ...credentials, current: origin }, login.name];
  });
  printResult(report, { url: origin, name }, () => printable(`Now using ${origin} as ${name}.`));
}

/** `login forget URL` */
export async function forgetLogin(report: Report, url: string): Promise<void> {
  const origin = serverOrigin(url);
  await credentialsStore(report.ports).update(async (credentials) => {
    const { [origin]: trust, ...others } = credentials.trust;
    if (credentials.logins[origin] === undefined && trust === undefined) {
      throw usageError(`Nothing is saved about ${origin}.`, 'overlay-auth login list');
    }
    return [{ ...withoutLogin(credentials, origin), trust: others }, undefined];
  });
  printResult(
    report,
    { url: origin },
    () => `Forgot ${origin}. A session there stays alive until it ends by itself.`,
  );
}
