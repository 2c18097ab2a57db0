import { useSyncExternalStore } from 'react';
import { Alone } from '../parts/alone.tsx';
import { Failure } from './failure.tsx';
import { ActionButton } from './form.tsx';
import { currentState, onState, signIn, signOut } from './session.ts';
import { Shell } from './shell.tsx';
import { texts } from './texts.ts';

/** Shows the account to people who are signed in, and tells other visitors how to sign in. */
export function Gate() {
  const state = useSyncExternalStore(onState, currentState);
  switch (state.kind) {
    case 'signed-in':
      return <Shell />;
    case 'signed-out':
      return <SignedOut reason={state.reason} />;
    case 'second-token':
      return <SecondTokenNeeded reference={state.reference} />;
    case 'unavailable':
      return (
        <Alone key="unavailable" title={texts.notShown} windowTitle={texts.errorTitle(texts.notShown)}>
          <Failure error={state.error} retry={() => location.reload()} />
        </Alone>
      );
    case 'starting':
      return (
        <Alone key="starting" title={texts.account}>
          <p role="status">{texts.loading}</p>
        </Alone>
      );
  }
}

const whySignedOut = {
  none: null,
  left: texts.leftText,
  ended: texts.sessionEnded,
  failed: texts.loginFailed,
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
      <ActionButton id="sign-out" label={texts.signOut} action={signOut} />
    </Alone>
  );
}
