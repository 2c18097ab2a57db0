import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Alone } from '../../parts/alone.tsx';
import { Button } from '../../parts/screen.tsx';
import { Failure } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';
import { begin, currentState, onState, signIn } from './session.ts';
import { SignInAgain } from './sign-in-again.tsx';

let begun: Promise<string | null> | undefined;

/** Shows the console to people who are signed in, and tells everybody else how to sign in. */
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
