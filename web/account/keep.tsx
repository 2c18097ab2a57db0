import { announce } from '../parts/announce.tsx';
import { Button } from '../parts/button.tsx';
import { texts } from './texts/texts.ts';

/** Copies, and says whether it worked: some browsers refuse, by settings of theirs. */
async function copy(text: string): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  announce(isCopied ? texts.copied : texts.notCopied);
}

/**
 * What somebody can do with a text that is shown once.
 * @param fileName of what is downloaded
 */
export function KeepText({
  id,
  text,
  fileName,
}: {
  readonly id: string;
  readonly text: string;
  readonly fileName: string;
}) {
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`;
  return (
    <p className="buttons">
      <Button id={`copy-${id}`} onClick={() => copy(text)}>
        {texts.copy}
      </Button>
      <a className="button plain" href={file} download={fileName}>
        {texts.download}
      </a>
      <Button onClick={() => window.print()}>{texts.print}</Button>
    </p>
  );
}
