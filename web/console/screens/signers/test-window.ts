// Testing a signer in a window of its own, which goes to the provider and comes back to the console. That window hands over
// what it came back with and closes; only the session that began the test can have it judged.

import { WindowBlocked } from '@overlay-auth/client/browser';
import { make } from '../../session/api.ts';
import type { BegunTest, TestedSigner } from '../../types.ts';

const channelName = 'overlay-auth signer test';

/** In the window of a test: hands over what it came back with, and closes. @returns false: this is no such window */
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
 * Tests a signer by a sign-in at its provider. To be called by a click: later, browsers open no window.
 * @param signal gives up waiting for the window
 * @throws WindowBlocked, Refusal, Unreachable; the reason of the signal
 */
export async function testBySignIn(signerId: string, signal: AbortSignal): Promise<TestedSigner> {
  last?.close();
  const opened = window.open('', '_blank', 'popup,width=520,height=760');
  if (opened === null) throw new WindowBlocked();
  last = opened;
  // Or the pages of the provider could lead this one elsewhere.
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
      // Other tabs may wait for tests of their own.
      if (answer === null || came.get('test') !== id) return;
      signal.removeEventListener('abort', giveUp);
      channel.close();
      resolve(answer);
    };
  });
}
