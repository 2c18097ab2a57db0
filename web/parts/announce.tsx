import { useSyncExternalStore } from 'react';

let said = { text: '', at: 0 };
const listeners = new Set<() => void>();

/** Says something to those who listen, and shows it for a while to those who look. */
export function announce(text: string): void {
  said = { text, at: said.at + 1 };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** One on every page, there before anything is said: a region that appears with its text is not read out. */
export function Announcements() {
  const { text, at } = useSyncExternalStore(subscribe, () => said);
  return (
    <div id="status" role="status" aria-live="polite" className="announcement">
      {text !== '' && <p key={at}>{text}</p>}
    </div>
  );
}
