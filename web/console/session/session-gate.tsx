import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { Alone } from '../../parts/alone.tsx';
import { Button } from '../../parts/screen.tsx';
import { SignInAgain } from '../../parts/sign-in-again.tsx';
import { Failure, failureText } from '../parts/failure.tsx';
import { texts } from '../texts/texts.ts';
import { session } from './session.ts';

let begun: Promise<void> | undefined;

async function begin(): Promise<void> {
  await session.begin();
  if (session.currentState() === 'none') await session.signIn();
}

/** Shows the console to people who are signed in, and tells other visitors how to sign in. */
export function SessionGate({ children }: { children: ReactNode }) {
  const state = useSyncExternalStore(session.onState, session.currentState);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    begun ??= begin();
    begun.catch(setFailure);
  }, []);
  if (failure !== null)
    return (
      <Alone title={texts.console}>
        <Failure error={failure} retry={() => location.reload()} />
      </Alone>
    );
  if (state === 'starting' || state === 'none')
    return (
      <Alone title={texts.console}>
        <p role="status">{texts.loading}</p>
      </Alone>
    );
  if (state === 'left' || state === 'failed' || state === 'another') {
    const { signedOutText, failedTitle, failedText } = texts.session;
    const why = { left: signedOutText, failed: failedText, another: texts.anotherPerson };
    return (
      <Alone title={state === 'failed' ? failedTitle : texts.signedOut}>
        <p>{why[state]}</p>
        <Button id="sign-in" kind="main" onClick={() => session.signInOnce('/console').catch(setFailure)}>
          {texts.signIn}
        </Button>
      </Alone>
    );
  }
  return (
    <>
      {children}
      <SignInAgain session={session} isOpen={state === 'ended'} failureText={failureText} />
    </>
  );
}
