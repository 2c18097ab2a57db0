import { timeText } from '../parts/language.ts';
import { Card, Facts, Screen } from '../parts/screen.tsx';
import { Loaded } from './loaded.tsx';
import { ChangePassword } from './password.tsx';
import { useAuthenticators, useIdentity } from './reading.ts';
import { texts } from './texts.ts';

/** The person's name here, and their ways to sign in. */
export function SignInPart() {
  const identity = useIdentity();
  const authenticators = useAuthenticators();
  return (
    <Screen title={texts.signInMethods}>
      <Loaded query={authenticators}>
        {(found) => {
          const password = found.find((one) => one.method === 'updb');
          const certificates = found.filter((one) => one.method === 'cert');
          return (
            <>
              <Card id="who" title={texts.who}>
                <Loaded query={identity}>
                  {({ name, isAdmin }) => (
                    <Facts
                      facts={[
                        [texts.name, name],
                        password === undefined || password.username === name
                          ? null
                          : [texts.username, password.username],
                        isAdmin ? [texts.role, texts.administrator] : null,
                      ]}
                    />
                  )}
                </Loaded>
              </Card>
              <Card id="password" title={texts.password}>
                {password === undefined ? <p>{texts.noPassword}</p> : <ChangePassword password={password} />}
              </Card>
              {certificates.length > 0 && (
                <Card id="certificates" title={texts.certificates}>
                  <ul className="entries">
                    {certificates.map(({ id, createdAt, fingerprint }) => (
                      <li key={id}>
                        {texts.certificate(timeText(createdAt))} <code>{fingerprint}</code>
                      </li>
                    ))}
                  </ul>
                </Card>
              )}
            </>
          );
        }}
      </Loaded>
    </Screen>
  );
}
