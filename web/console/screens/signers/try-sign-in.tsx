import { WindowBlocked } from '@overlay-auth/client/browser';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../parts/screen.tsx';
import { Failure } from '../../parts/failure.tsx';
import { texts } from '../../texts/texts.ts';
import type { TestedSigner } from '../../types.ts';
import { testBySignIn } from './test-window.ts';
import { words } from './words.ts';

type State = { readonly kind: 'idle' | 'waiting' } | { readonly kind: 'failed'; readonly error: unknown };

/** A sign-in at the provider in a separate window. Its token is judged, and opens no session. */
export function TrySignIn({
  id,
  done,
}: {
  id: string;
  /** Null when a test begins: the result on the screen belongs to another one. */
  done: (tested: TestedSigner | null) => void;
}) {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const waiting = useRef<AbortController | null>(null);
  useEffect(() => () => waiting.current?.abort(), []);
  const giveUp = () => {
    waiting.current?.abort();
    setState({ kind: 'idle' });
  };
  const begin = () => {
    waiting.current?.abort();
    const own = new AbortController();
    waiting.current = own;
    done(null);
    setState({ kind: 'waiting' });
    testBySignIn(id, own.signal).then(
      (tested) => {
        if (own.signal.aborted) return;
        setState({ kind: 'idle' });
        done(tested);
      },
      (error) => {
        if (!own.signal.aborted) setState({ kind: 'failed', error });
      },
    );
  };
  return (
    <>
      <p className="buttons">
        <Button id="test-sign-in" onClick={begin}>
          {words.signInThere}
        </Button>
        {state.kind === 'waiting' && (
          <Button id="give-up" onClick={giveUp}>
            {words.giveUp}
          </Button>
        )}
      </p>
      <p role="status" id="test-status">
        {state.kind === 'waiting' ? words.waiting : ''}
      </p>
      {state.kind === 'failed' &&
        (state.error instanceof WindowBlocked ? (
          <p className="failure" role="alert">
            {texts.session.blocked}
          </p>
        ) : (
          <Failure error={state.error} />
        ))}
    </>
  );
}
