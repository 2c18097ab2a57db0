import { useSyncExternalStore } from 'react';
import { held } from './held.ts';

const said = held({ text: '', at: 0 });

/** Announces something to screen readers, and shows it for a while. */
export function announce(text: string): void {
  said.become({ text, at: said.current().at + 1 });
}

/** Once on every page, before anything is said: screen readers do not read a region that appears with its text. */
export function Announcements() {
  const { text, at } = useSyncExternalStore(said.on, said.current);
  return (
    <div id="status" role="status" aria-live="polite" className="announcement">
      {text !== '' && <p key={at}>{text}</p>}
    </div>
  );
}
