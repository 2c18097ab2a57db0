import { WindowBlocked } from '@overlay-auth/client/browser';
import { useState } from 'react';
import { Dialog } from './dialog.tsx';
import { wordsOf } from './language.ts';
import type { PageSession } from './page-session.ts';
import { isRefused } from './refused.ts';
import { Button } from './screen.tsx';

const words = wordsOf({
  title: ['Your session has ended', 'Ihre Sitzung ist beendet'],
  text: [
    'You are signed out: the session has ended, or the rules of your account have changed. Sign in to continue. What you typed is still here, and it has changed nothing yet.',
    'Sie sind abgemeldet: Die Sitzung ist beendet, oder die Regeln Ihres Kontos haben sich geändert. Melden Sie sich an, um fortzufahren. Was Sie eingegeben haben, ist noch da und hat noch nichts geändert.',
  ],
  signIn: ['Sign in', 'Anmelden'],
  failed: ['The sign-in did not finish', 'Die Anmeldung wurde nicht abgeschlossen'],
  blocked: [
    'The browser opened no window. Allow windows for this site and try again, or sign in here: then what you typed is lost.',
    'Der Browser hat kein Fenster geöffnet. Erlauben Sie Fenster für diese Adresse und versuchen Sie es noch einmal, oder melden Sie sich hier an: Dann geht verloren, was Sie eingegeben haben.',
  ],
  here: ['Sign in here', 'Hier anmelden'],
});

/** A dialog over the page, for a session that ended during work. The page below stays as it is. */
export function SignInAgain({
  session,
  isOpen,
  failureText,
}: {
  session: PageSession;
  isOpen: boolean;
  failureText: (error: unknown) => string;
}) {
  const [error, setError] = useState<unknown>(null);
  const isBlocked = error instanceof WindowBlocked;
  const inWindow = () => {
    setError(null);
    session.signInInWindow().catch(setError);
  };
  const here = () => session.signIn().catch(setError);
  return (
    <Dialog isOpen={isOpen} title={words.title} text={words.text}>
      {error !== null && (
        <p className="failure" role="alert">
          {isBlocked ? words.blocked : isRefused(error) ? words.failed : failureText(error)}
        </p>
      )}
      <p className="buttons">
        <Button id="sign-in-again" kind="main" onClick={inWindow}>
          {words.signIn}
        </Button>
        {isBlocked && (
          <Button id="sign-in-here" onClick={here}>
            {words.here}
          </Button>
        )}
      </p>
    </Dialog>
  );
}
