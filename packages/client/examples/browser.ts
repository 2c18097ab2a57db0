// A page with a button to sign in, which then shows who is signed in.

import { createClientApi } from '@overlay-auth/client';
import { openBrowserSession } from '@overlay-auth/client/browser';

const baseUrl = document.documentElement.dataset.server ?? '';
const session = await openBrowserSession({
  baseUrl,
  redirectUri: `${location.origin}/callback`,
  postLogoutRedirectUri: `${location.origin}/signed-out`,
});
const api = createClientApi({ baseUrl, token: session });

session.on((event) => {
  if (event.kind === 'ended') show('Signed out.', 'Sign in', () => session.signIn());
});
try {
  const start = await session.start();
  if (!start.isSignedIn) {
    show('Hello.', 'Sign in', () => session.signIn());
  } else {
    if (start.returnTo !== undefined) history.replaceState(null, '', start.returnTo);
    const { data } = await api.GET('/current-identity');
    show(`You are ${data.data.name}.`, 'Sign out', () => session.signOut());
  }
} catch (error) {
  show(error instanceof Error ? error.message : String(error), 'Sign in', () => session.signIn());
}

function show(text: string, label: string, action: () => Promise<void>): void {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  const button = document.createElement('button');
  button.textContent = label;
  button.onclick = () => void action();
  document.body.replaceChildren(paragraph, button);
}
