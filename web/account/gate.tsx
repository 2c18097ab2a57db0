import { useSyncExternalStore } from 'react';
import { Alone } from '../parts/alone.tsx';
import { SignInAgain } from '../parts/sign-in-again.tsx';
import { Failure, failureText } from './failure.tsx';
import { ActionButton } from './form.tsx';
import { session, signIn, trouble } from './session.ts';
import { Shell } from './shell.tsx';
import { texts } from './texts.ts';

/** Shows the account to people who are signed in, and tells other visitors how to sign in. */
export function Gate() {
  const state = useSyncExternalStore(session.onState, session.currentState);
  const found = useSyncExternalStore(trouble.on, trouble.current);
  if (found?.kind === 'second-token') return <SecondTokenNeeded reference={found.reference} />;
  if (found !== null)
    return (
      <Alone key="unavailable" title={texts.notShown} windowTitle={texts.errorTitle(texts.notShown)}>
        <Failure error={found.error} retry={() => location.reload()} />
      </Alone>
    );
  switch (state) {
    case 'signed-in':
    case 'ended':
      return (
        <>
          <Shell />
          <SignInAgain session={session} isOpen={state === 'ended'} failureText={failureText} />
        </>
      );
    case 'starting':
      return (
        <Alone key="starting" title={texts.account}>
          <p role="status">{texts.loading}</p>
        </Alone>
      );
    default:
      return <SignedOut reason={state} />;
  }
}

const whySignedOut = {
  none: null,
  left: texts.leftText,
  failed: texts.loginFailed,
  another: texts.anotherPerson,
} as const;

function SignedOut({ reason }: { reason: keyof typeof whySignedOut }) {
  const why = whySignedOut[reason];
  return (
    <Alone
      key={reason}
      title={reason === 'left' ? texts.signedOut : texts.signedOutTitle}
      describedBy={why === null ? undefined : 'why'}
    >
      {why !== null && (
        <p id="why" className={reason === 'left' ? undefined : 'note'}>
          {why}
        </p>
      )}
      {reason !== 'left' && <p>{texts.signedOutText}</p>}
      <ActionButton id="sign-in" label={texts.signIn} kind="main" action={signIn} />
    </Alone>
  );
}

/** Nothing here works for such an account. Say so, rather than that the session has ended. */
function SecondTokenNeeded({ reference }: { reference: string }) {
  return (
    <Alone key="second-token" title={texts.secondTokenTitle}>
      <div id="second-token">
        {texts.secondToken.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p className="hint">
          {texts.reference}: <code>{reference}</code>
        </p>
      </div>
      <ActionButton id="sign-out" label={texts.signOut} action={session.signOut} />
    </Alone>
  );
}
