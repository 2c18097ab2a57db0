import { setApart } from '../../../src/pages/texts/both-languages.ts';
import { timeText } from '../../parts/language.ts';
import { preciseTime } from '../texts/texts.ts';

/** A line ends between day and hour, and nowhere else. @param at RFC 3339 */
export function Time({ at, isPrecise = false }: { at: string; isPrecise?: boolean }) {
  const text = isPrecise ? preciseTime(at) : timeText(at);
  const hour = text.lastIndexOf(', ') + 1;
  return (
    <time dateTime={at}>
      <span>{text.slice(0, hour)}</span>
      {hour > 0 && ' '}
      <span>{text.slice(hour).trimStart()}</span>
    </time>
  );
}

const written = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/;

/** A text of the server, with its times in the form that all of them have here, and names as they are read. */
export function Said({ text }: { text: string }) {
  const found = written.exec(text);
  if (found === null) return setApart(text);
  const [at] = found;
  return (
    <>
      {setApart(text.slice(0, found.index))}
      <Time at={at} isPrecise />
      <Said text={text.slice(found.index + at.length)} />
    </>
  );
}
