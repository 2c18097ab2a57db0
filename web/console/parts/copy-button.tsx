import { announce } from '../../parts/announce.tsx';
import { texts } from '../texts/texts.ts';

export function CopyButton({ text, label = texts.copy }: { readonly text: string; readonly label?: string }) {
  return (
    <button
      type="button"
      className="button link"
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        announce(texts.copied);
      }}
    >
      {label}
    </button>
  );
}
