// Tests a signer in a separate window, which goes to the provider and returns to the console. That window passes on the
// address it returned to, and closes; only the session that began the test can have the result judged.

import { WindowBlocked } from '@overlay-auth/client/browser';
import { make } from '../../session/api.ts';
import type { BegunTest, TestedSigner } from '../../types.ts';

const channelName = 'overlay-auth signer test';

/**
 * In the window of a test: passes on the address it returned to, and closes. @returns false: this is not such a window
 */
export function handOverTest(): boolean {
  if (!/^\/console\/signers\/[^/]+\/tested$/.test(location.pathname)) return false;
  const { hash } = location;
  history.replaceState(null, '', location.pathname);
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(hash.slice(1));
  channel.close();
  window.close();
  return true;
}

let last: Window | undefined;

/**
 * Tests a signer with a sign-in at its provider. Call it in a click handler, because browsers open no window later.
 * @param signal stops waiting for the window
 * @throws WindowBlocked, Refusal, Unreachable; the reason of the signal
 */
export async function testBySignIn(signerId: string, signal: AbortSignal): Promise<TestedSigner> {
  last?.close();
  const opened = window.open('', '_blank', 'popup,width=520,height=760');
  if (opened === null) throw new WindowBlocked();
  last = opened;
  // Otherwise the provider's pages could navigate this window elsewhere.
  opened.opener = null;
  try {
    const path = `external-jwt-signers/${signerId}`;
    const { id, href } = await make<BegunTest>({ method: 'POST', path: `${path}/test` });
    const answered = answerTo(id, signal);
    opened.location.href = location.origin + href;
    const answer = await answered;
    return await make<TestedSigner>({ method: 'POST', path: `${path}/test-result`, body: { answer } });
  } catch (error) {
    opened.close();
    throw error;
  }
}

function answerTo(id: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(channelName);
    const giveUp = () => {
      channel.close();
      reject(signal.reason);
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    channel.onmessage = ({ data }) => {
      const came = new URLSearchParams(String(data));
      const answer = came.get('answer');
      // Other tabs may be waiting for their own tests.
      if (answer === null || came.get('test') !== id) return;
      signal.removeEventListener('abort', giveUp);
      channel.close();
      resolve(answer);
    };
  });
}
