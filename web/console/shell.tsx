import { onlineManager } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import { Announcements } from '../parts/announce.tsx';
import { Brand } from '../parts/brand.tsx';
import { Button, Screen } from '../parts/screen.tsx';
import { rightOf, useHasBeen, useMe } from './me.ts';
import { Failure } from './parts/failure.tsx';
import { Loaded } from './parts/loaded.tsx';
import { session } from './session/session.ts';
import { texts } from './texts/texts.ts';
import type { Identity } from './types.ts';

const { screens, groups } = texts;

/** The first parts of the addresses. */
const navigation = [
  { title: groups.help, items: ['people', 'attempts', 'what-if', 'sessions', 'enrollments'] },
  { title: groups.rules, items: ['policies', 'permissions', 'signers', 'cas', 'clients'] },
  { title: groups.running, items: ['nodes', 'certificates', 'audit', 'events'] },
] as const;

/** The frame of every screen. */
export function Shell() {
  const me = useMe();
  return (
    <>
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <div className="shell">
        <Sidebar me={me.data} />
        <main id="content" tabIndex={-1}>
          <Loaded query={me}>{(found) => <Content right={rightOf(found)} />}</Loaded>
        </main>
      </div>
      <Announcements />
    </>
  );
}

function Content({ right }: { right: ReturnType<typeof rightOf> }) {
  if (!useHasBeen(right !== null)) return <NoPermission />;
  return (
    <>
      <Offline />
      {right !== 'all' && (
        <p className="note" id="right">
          {right === null ? texts.failures.forbidden : right === 'helpdesk' ? texts.helpOnly : texts.readOnly}
        </p>
      )}
      <Outlet />
    </>
  );
}

function NoPermission() {
  return (
    <Screen title={texts.failures.forbiddenTitle} lead={texts.failures.forbidden}>
      <p>
        <a href="/account">{texts.account}</a>
      </p>
    </Screen>
  );
}

function Sidebar({ me }: { me: Identity | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <header className="sidebar">
      <div className="bar">
        <Brand />
        <button
          type="button"
          className="button plain menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          {texts.menu}
        </button>
      </div>
      <div id="navigation" className={isOpen ? 'open' : ''}>
        {(me === undefined || rightOf(me) !== null) && <Navigation followed={() => setOpen(false)} />}
        <Me me={me} />
      </div>
    </header>
  );
}

function Navigation({ followed }: { followed: () => void }) {
  return (
    <nav aria-label={texts.console}>
      <ul>
        <NavigationItem to="/" label={screens.overview} followed={followed} />
      </ul>
      {navigation.map(({ title, items }) => (
        <div key={title}>
          <p className="group">{title}</p>
          <ul>
            {items.map((item) => (
              <NavigationItem key={item} to={`/${item}`} label={screens[item]} followed={followed} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function NavigationItem({ to, label, followed }: { to: string; label: string; followed: () => void }) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        activeProps={{ 'aria-current': 'page' }}
        onClick={followed}
      >
        {label}
      </Link>
    </li>
  );
}

function Me({ me }: { me: Identity | undefined }) {
  const [failure, setFailure] = useState<unknown>(null);
  return (
    <div className="me">
      {me !== undefined && (
        <p>
          <span className="hint">{texts.signedInAs}</span> <strong>{me.name}</strong>
        </p>
      )}
      <p>
        <a href="/account">{texts.account}</a>
      </p>
      <Button id="sign-out" onClick={() => session.signOut().catch(setFailure)}>
        {texts.signOut}
      </Button>
      {failure !== null && <Failure error={failure} />}
    </div>
  );
}

const onConnection = (changed: () => void) => onlineManager.subscribe(changed);

/** The browser knows that it is offline before any call fails. */
function Offline() {
  const isOnline = useSyncExternalStore(onConnection, () => onlineManager.isOnline());
  if (isOnline) return null;
  return (
    <p className="failure" role="alert" id="offline">
      {texts.failures.offline}
    </p>
  );
}
