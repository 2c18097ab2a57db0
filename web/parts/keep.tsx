// Actions for a text to keep or pass on. The login pages have the same (web/pages.js).

import { type ReactNode, useEffect, useState } from 'react';
import { announce } from './announce.tsx';
import { words } from './language.ts';
import { Button } from './screen.tsx';

/** How long the button says that it has copied, in Millis. */
const shownFor = 4000;

/** Copies, and says whether it worked: some browsers refuse, depending on their settings. */
export function CopyButton({
  id,
  text,
  label = words.keep.copy,
  kind = 'link',
}: {
  id?: string;
  text: string;
  label?: string;
  kind?: 'link' | 'plain';
}) {
  const [copies, setCopies] = useState(0);
  useEffect(() => {
    if (copies === 0) return;
    const timer = setTimeout(() => setCopies(0), shownFor);
    return () => clearTimeout(timer);
  }, [copies]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      announce(words.keep.notCopied);
      return;
    }
    setCopies((before) => before + 1);
    announce(words.keep.copied);
  };
  return (
    <Button id={id} kind={kind} onClick={copy}>
      {copies === 0 ? label : words.keep.copied}
    </Button>
  );
}

/** For a text that is shown once. Printing prints the content of `.printed`. */
export function KeepText({
  id,
  text,
  file,
  children,
}: {
  /** Identifies the text: the buttons are `copy-ID`, `download-ID` and `print-ID`. */
  id: string;
  text: string;
  file: { readonly name: string; readonly type: string };
  /** Further buttons for it. */
  children?: ReactNode;
}) {
  return (
    <p className="buttons">
      <CopyButton id={`copy-${id}`} text={text} kind="plain" />
      <a
        id={`download-${id}`}
        className="button plain"
        href={`data:${file.type};charset=utf-8,${encodeURIComponent(text)}`}
        download={file.name}
      >
        {words.keep.download}
      </a>
      <Button id={`print-${id}`} onClick={() => window.print()}>
        {words.keep.print}
      </Button>
      {children}
    </p>
  );
}
