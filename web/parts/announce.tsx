import { useSyncExternalStore } from 'react';

let said = { text: '', at: 0 };
const listeners = new Set<() => void>();

/** Announces something to screen readers, and shows it for a while. */
export function announce(text: string): void {
  said = { text, at: said.at + 1 };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Once on every page, before anything is said: screen readers do not read a region that appears with its text. */
export function Announcements() {
  const { text, at } = useSyncExternalStore(subscribe, () => said);
  return (
    <div id="status" role="status" aria-live="polite" className="announcement">
      {text !== '' && <p key={at}>{text}</p>}
    </div>
  );
}
