import { endSession } from '../../../../packages/client/src/oidc/refresh.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { CliError, exitCodes, notice, printResult, type Report } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { failure } from '../connection/answer-failure.ts';
import { connectionOf, discover, savedLogin } from '../connection/connection.ts';
import { credentialsStore, type SavedLogin } from '../connection/credentials-store.ts';
import { currentLogin, withoutLogins } from '../connection/several-logins.ts';

type LogoutOptions = Texts<'server'> & Flags<'local'>;

/**
 * `logout`: ends the session at the server, then forgets it here. If it could not be ended it is not forgotten, because
 * then it could not be ended any more.
 */
export async function runLogout(report: Report, options: LogoutOptions): Promise<void> {
  const { ports } = report;
  const login = await savedLogin(ports, options.server);
  // Without a refresh token, the server has ended the session already.
  const endsAtServer = options.local !== true && login.refreshToken !== null;
  if (endsAtServer) await endAtServer(ports, login);
  const inUse = await credentialsStore(ports).update(async (credentials) => {
    const left = withoutLogins(credentials, [login]);
    return [left, credentials.current === left.current ? undefined : currentLogin(left)];
  });
  printResult(
    report,
    { url: login.url, name: login.name, endedAtServer: endsAtServer },
    () => `Logged out of ${login.url} (was ${login.name}).`,
  );
  if (inUse !== undefined) notice(report, `Now using ${inUse.url} as ${inUse.name}.`);
}

async function endAtServer(ports: CliPorts, login: SavedLogin): Promise<void> {
  using http = await connectionOf(ports, login);
  try {
    const provider = await discover(http, ports.clock, login.url);
    if (await endSession(provider, login)) return;
  } catch (thrown) {
    const error = failure(thrown);
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.unreachable) throw error;
    throw error.inOtherWords(
      `${error.message} The session was not ended.`,
      'try again later; `overlay-auth logout --local` only forgets it here',
    );
  }
  throw new CliError('The server did not confirm that the session is ended.', {
    code: 'logout_refused',
    next: 'overlay-auth logout --local   (only forgets it here)',
  });
}
