import { WindowBlocked } from '@overlay-auth/client/browser';
import { useState } from 'react';
import { isRefused } from '../../parts/refused.ts';
import { Button } from '../../parts/screen.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { failureText } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';
import { signInInWindow } from './session.ts';

/** A dialog over the page, for a session that ended during work. The page below stays as it is. */
export function SignInAgain({ isOpen }: { isOpen: boolean }) {
  const [failure, setFailure] = useState<string | null>(null);
  const signIn = () => {
    setFailure(null);
    signInInWindow().catch((error) => setFailure(wordsFor(error)));
  };
  return (
    <Dialog isOpen={isOpen} title={texts.session.endedTitle} text={texts.session.endedText}>
      {failure !== null && (
        <p className="failure" role="alert">
          {failure}
        </p>
      )}
      <p className="buttons">
        <Button id="sign-in-again" kind="main" onClick={signIn}>
          {texts.signIn}
        </Button>
      </p>
    </Dialog>
  );
}

function wordsFor(error: unknown): string {
  if (error instanceof WindowBlocked) return texts.session.blocked;
  return isRefused(error) ? texts.session.failedTitle : failureText(error);
}
