import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Flags, Texts, Work } from '../../terminal/command.ts';
import { notice, printResult, usageError } from '../../terminal/output.ts';
import { readJwt } from '../../terminal/secret-input.ts';
import { connectionOf, freshLogin, savedLogin, sessionIsOver } from '../connection/connection.ts';

type TokenOptions = Texts<'server'> & Flags<'decode'>;

/** `token`: prints a token for use elsewhere. Renews an access or ID token first if necessary. */
export const runToken: Work<TokenOptions, readonly ['access' | 'id' | 'refresh']> = async (
  report,
  options,
  [kind],
) => {
  if (kind === 'refresh' && options.decode === true)
    throw usageError('A refresh token is opaque: it says nothing.', 'overlay-auth token access --decode');
  const { ports } = report;
  const login = await savedLogin(ports, options.server);
  if (kind === 'refresh') {
    if (login.refreshToken === null) throw sessionIsOver(login);
    const { refreshToken } = login;
    printResult(report, { refreshToken }, () => refreshToken);
    notice(report, 'note: using this token uses it up; after that, this login no longer works.');
    return;
  }
  const fresh = await freshLogin(ports, login, { http: () => connectionOf(ports, login) });
  const token = kind === 'access' ? fresh.accessToken : fresh.idToken;
  const isBound = kind === 'access' && fresh.key !== undefined;
  if (options.decode !== true) {
    const expiresAt = new Date(fresh.accessTokenExpiresAt).toISOString();
    printResult(
      report,
      kind === 'access' ? { accessToken: token, expiresAt } : { idToken: token },
      () => token,
    );
    if (isBound) {
      const again = [
        'overlay-auth login',
        fresh.url,
        '--bearer',
        ...fresh.loginArguments.map(shellWord),
      ].join(' ');
      notice(report, `note: this token works only with the key of this login; for other programs: ${again}`);
    }
    return;
  }
  const decoded = readJwt(token) ?? {};
  printResult(report, decoded, () => JSON.stringify(decoded, null, 2));
};
