import type { ClientSchemas } from '@overlay-auth/client';
import { useQueryClient } from '@tanstack/react-query';
import { announce } from '../parts/announce.tsx';
import { named, programText, timeText } from '../parts/language.ts';
import { Screen } from '../parts/screen.tsx';
import { ActionButton } from './form.tsx';
import { Loaded } from './loaded.tsx';
import { useApplications, usePasskeys, useReading } from './reading.ts';
import { api, session as own } from './session.ts';
import { texts } from './texts.ts';

type OwnSession = ClientSchemas['schemas']['OwnSession'];

const path = '/current-identity/api-sessions';

/** Where the person is signed in, with buttons to end each session. */
export function SessionsPart() {
  const queries = useQueryClient();
  const query = { limit: 100, sort: 'createdAt desc' };
  const sessions = useReading(['sessions'], (signal) => api.GET(path, { params: { query }, signal }));
  const whenEnded = async (text: string) => {
    await queries.invalidateQueries({ queryKey: ['sessions'] });
    announce(text);
  };
  const endOthers = async () => {
    const { data } = await api.DELETE(path);
    await whenEnded(texts.othersEnded(data.data.ended));
  };
  return (
    <Screen title={texts.sessions}>
      <Loaded query={sessions}>
        {(found) => {
          const others = found.filter(({ isCurrent }) => !isCurrent);
          return (
            <>
              <ul className="cards">
                {[...found.filter(({ isCurrent }) => isCurrent), ...others].map((session) => (
                  <SessionCard key={session.id} session={session} whenEnded={whenEnded} />
                ))}
              </ul>
              {others.length === 0 ? (
                <p>{texts.noOtherSessions}</p>
              ) : (
                <ActionButton id="end-others" label={texts.endOthers} kind="danger" action={endOthers} />
              )}
            </>
          );
        }}
      </Loaded>
      <Programs />
    </Screen>
  );
}

/** The programs with which the person signs in, also when the session has ended. */
function Programs() {
  const query = { limit: 50, sort: 'lastAt desc' };
  const logins = useReading(['sessions', 'programs'], (signal) =>
    api.GET('/current-identity/last-logins', { params: { query }, signal }),
  );
  const applicationText = useApplicationText();
  return (
    <section aria-labelledby="programs">
      <h2 id="programs">{texts.programs}</h2>
      <p className="hint">{texts.programsText}</p>
      <Loaded query={logins}>
        {(found) => (
          <ul className="cards">
            {found.map((login) => (
              <li key={login.id} className="card">
                <div>
                  <strong>
                    <bdi>{programText(login) ?? texts.unknownProgram}</bdi>
                  </strong>
                  <p>{applicationText({ ...login, mechanism: login.clientId === '' ? 'legacy' : 'oidc' })}</p>
                  <p className="hint">
                    {texts.programTimes(timeText(login.firstAt), timeText(login.lastAt), login.ipAddress)}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function SessionCard({
  session,
  whenEnded,
}: {
  session: OwnSession;
  whenEnded: (text: string) => Promise<void>;
}) {
  const { id, isCurrent, amr, authTime, ipAddress, loginIpAddress, lastActivityAt, expiresAt } = session;
  const program = programText(session) ?? texts.unknownProgram;
  const end = async () => {
    if (isCurrent) return own.signOut();
    await api.DELETE(`${path}/{id}`, { params: { path: { id } } });
    return whenEnded(texts.sessionIsEnded);
  };
  const { data: passkeys = [] } = usePasskeys();
  const applicationText = useApplicationText();
  /** With the name of the passkey, as its owner knows it. */
  const wayOf = (way: string) => {
    const used = way === 'passkey' ? session.authenticatorId : /^passkey:(.*)/.exec(way)?.[1];
    const name = passkeys.find((passkey) => passkey.id === used)?.name;
    return name === undefined ? wayText(way) : `${wayText(way)} “${name}”`;
  };
  const methods = amr.map(wayOf).join(', ');
  return (
    <li className="card">
      <div id={`session-${id}`}>
        {isCurrent && <p className="hint">{texts.thisSession}</p>}
        <strong>
          <bdi>{program}</bdi>
        </strong>
        <p>{texts.sessionLine(applicationText(session), methods, timeText(authTime), loginIpAddress)}</p>
        <p className="hint">{texts.sessionTimes(timeText(lastActivityAt), ipAddress, timeText(expiresAt))}</p>
      </div>
      <ActionButton
        label={isCurrent ? texts.signOut : texts.endSession}
        action={end}
        aria-describedby={`session-${id}`}
      />
    </li>
  );
}

/** A proof in words. The id after `ejs:` and `passkey:` means nothing to people. */
function wayText(way: string): string {
  if (way.startsWith('passkey:')) return texts.method['secondary-passkey'];
  if (way.startsWith('ejs:')) return texts.method['secondary-ext-jwt'];
  return named(texts.method, way);
}

/** Names the application of a session. Only those that the person may open have names here. */
function useApplicationText() {
  const { data: applications = [] } = useApplications();
  return ({ mechanism, clientId }: Pick<OwnSession, 'mechanism' | 'clientId'>): string => {
    if (mechanism === 'legacy') return texts.legacyApplication;
    if (clientId === 'overlay') return texts.ownApplications;
    const name = applications.find(({ id }) => id === clientId)?.name;
    return name ?? texts.otherApplication(clientId);
  };
}
