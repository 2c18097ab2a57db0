import { WindowBlocked } from '@overlay-auth/client/browser';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Alone } from '../../parts/alone.tsx';
import { isRefused } from '../../parts/refused.ts';
import { Button } from '../../parts/screen.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure, failureText } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';
import { begin, currentState, onState, signIn, signInInWindow } from './session.ts';

let begun: Promise<string | null> | undefined;

/** Shows the console to people who are signed in, and tells other visitors how to sign in. */
export function SessionGate({ children }: { children: ReactNode }) {
  const state = useSyncExternalStore(onState, currentState);
  const [isPlaced, setPlaced] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    begun ??= begin();
    begun
      .then((address) => {
        if (address === null) return;
        history.replaceState(null, '', address);
        setPlaced(true);
      })
      .catch(setFailure);
  }, []);
  if (failure !== null) {
    return (
      <Alone title={texts.console}>
        <Failure error={failure} retry={() => location.reload()} />
      </Alone>
    );
  }
  if (!isPlaced || state === 'starting') {
    return (
      <Alone title={texts.console}>
        <p role="status">{texts.loading}</p>
      </Alone>
    );
  }
  if (state === 'signed-out' || state === 'failed') {
    const { signedOutText, failedTitle, failedText } = texts.session;
    return (
      <Alone title={state === 'failed' ? failedTitle : texts.signedOut}>
        <p>{state === 'failed' ? failedText : signedOutText}</p>
        <Button id="sign-in" kind="main" onClick={() => signIn().catch(setFailure)}>
          {texts.signIn}
        </Button>
      </Alone>
    );
  }
  return (
    <>
      {children}
      <SignInAgain isOpen={state === 'ended'} />
    </>
  );
}

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
