import { useSyncExternalStore } from 'react';
import { hasPower } from '../../src/model/permission.ts';
import { Brand } from '../parts/brand.tsx';
import { AppPart } from './app.tsx';
import { ApplicationsPart } from './applications.tsx';
import { AttemptsPart } from './attempts.tsx';
import { ActionButton } from './form.tsx';
import { LanguagePart } from './language.tsx';
import { PasskeysPart } from './passkeys.tsx';
import { useIdentity } from './reading.ts';
import { session } from './session.ts';
import { SessionsPart } from './sessions.tsx';
import { SignInPart } from './sign-in.tsx';
import { texts } from './texts.ts';

/** The parts, by the fragment of their address. Any other fragment shows the first. */
const parts = [
  ['sign-in', texts.signInMethods, SignInPart],
  ['passkeys', texts.passkeys, PasskeysPart],
  ['app', texts.app, AppPart],
  ['sessions', texts.sessions, SessionsPart],
  ['attempts', texts.attempts, AttemptsPart],
  ['applications', texts.applications, ApplicationsPart],
  ['language', texts.language, LanguagePart],
] as const;

/** The frame of every part. */
export function Shell() {
  const hash = useSyncExternalStore(onHash, () => location.hash.slice(1));
  const [current, , Part] = parts.find(([name]) => name === hash) ?? parts[0];
  return (
    <div className="account">
      <header>
        <Brand />
        <div className="ends">
          <ToConsole />
          <ActionButton id="sign-out" label={texts.signOut} action={session.signOut} />
        </div>
      </header>
      <nav aria-label={texts.parts}>
        <ul>
          {parts.map(([name, label]) => (
            <li key={name}>
              <a href={`#${name}`} aria-current={name === current ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main>
        <Part />
      </main>
    </div>
  );
}

/** For those who have something to do there. The server decides what they may do. */
function ToConsole() {
  const { data: me } = useIdentity();
  const path = document.getElementById('account')?.dataset.console ?? '';
  if (path === '' || me === undefined || !hasPower(me)) return null;
  return (
    <a id="to-console" href={path}>
      {texts.console}
    </a>
  );
}

function onHash(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
