import type { Work } from '../../terminal/command.ts';
import { printResult, type Report, usageError } from '../../terminal/output.ts';
import { printTable } from '../../terminal/table.ts';
import { credentialsStore, loginKey } from '../connection/credentials-store.ts';
import {
  loginMeantBy,
  loginsMeantBy,
  loginWord,
  originIn,
  withCurrentLogin,
  withoutLogins,
} from '../connection/several-logins.ts';

/** `login list` */
export async function listLogins(report: Report): Promise<void> {
  const { logins, current } = await credentialsStore(report.ports).read();
  const rows = Object.values(logins).map((login) => {
    const { url, name, identityId, amr, refreshToken } = login;
    return {
      url,
      name,
      identityId,
      amr,
      isCurrent: loginKey(login) === current,
      isOver: refreshToken === null,
    };
  });
  printTable(report, rows, {
    value: rows,
    columns: [
      'url',
      'name',
      ['factors', 'amr'],
      ['state', (row) => (row.isOver ? 'over' : row.isCurrent ? 'current' : 'saved')],
    ],
    nothing: 'You are not logged in anywhere.',
  });
}

/** `login use LOGIN` */
export async function useLogin(report: Report, _options: unknown, [word]: readonly [string]): Promise<void> {
  const { url, name } = await credentialsStore(report.ports).update(async (credentials) => {
    const login = loginMeantBy(credentials, word);
    return [withCurrentLogin(credentials, login), login];
  });
  printResult(report, { url, name }, () => `Now using ${url} as ${name}.`);
}

/** `login forget LOGIN`. With the address of a server: all logins there, and the trusted authority of it. */
export const forgetLogin: Work<unknown, readonly [string]> = async (report, _options, [word]) => {
  const forgotten = await credentialsStore(report.ports).update(async (credentials) => {
    const origin = originIn(word);
    const isServer =
      origin !== undefined && loginsMeantBy(credentials, word).every(({ url }) => url === origin);
    if (!isServer) {
      const login = loginMeantBy(credentials, word);
      return [withoutLogins(credentials, [login]), { url: login.url, logins: [login] }];
    }
    const logins = loginsMeantBy(credentials, word);
    const { [origin]: trust, ...others } = credentials.trust;
    if (logins.length === 0 && trust === undefined)
      throw usageError(`Nothing is saved about ${origin}.`, 'overlay-auth login list');
    return [
      { ...withoutLogins(credentials, logins), trust: others },
      { url: origin, logins },
    ];
  });
  const names = forgotten.logins.map(({ name }) => name);
  printResult(
    report,
    { url: forgotten.url, names },
    () =>
      `Forgot ${forgotten.logins.length === 1 ? forgotten.logins.map(loginWord)[0] : forgotten.url}. A session there continues until it expires.`,
  );
};
