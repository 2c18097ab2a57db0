import { Button } from '../../parts/button.tsx';
import type { Versioned } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import { changesOf, type Labels } from './draft.ts';

/** What somebody else has changed while a form was open. */
export interface Meanwhile<Draft> {
  /** As the form read it. */
  readonly before: Draft;
  /** What the form was about to change. */
  readonly mine: Partial<Draft>;
  readonly now: Versioned<Draft>;
}

/** Shows field by field what is different now. Continuing keeps one's own changes, and takes theirs everywhere else. */
export function MeanwhileChanged<Draft extends object>({
  found: { before, mine, now },
  labels,
  goOn,
  giveUp,
}: {
  readonly found: Meanwhile<Draft>;
  readonly labels: Labels<Draft>;
  readonly goOn: () => unknown;
  readonly giveUp: () => unknown;
}) {
  const { forms: words } = texts;
  const theirs = Object.entries(changesOf(before, now.document));
  return (
    <div className="failure" role="alert" id="meanwhile">
      <strong>{words.meanwhileTitle}</strong>
      <p>{theirs.length === 0 ? words.meanwhileNothing : words.meanwhileText}</p>
      <dl>
        {theirs.map(([name, value]) => (
          <div key={name}>
            <dt>{labels[name as keyof Draft & string] ?? name}</dt>
            <dd>
              <p>
                {words.isNow} <code>{shown(value)}</code>
              </p>
              {name in mine && (
                <p>
                  {words.yours} <code>{shown(mine[name as keyof Draft])}</code>
                </p>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p className="buttons">
        <Button id="go-on" kind="main" onClick={goOn}>
          {words.goOn}
        </Button>
        <Button id="give-up" onClick={giveUp}>
          {words.giveUp}
        </Button>
      </p>
    </div>
  );
}

/** A field's value for people to read. Long ones are cut. */
function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (value === null || value === undefined || value === '') return texts.none;
  const isList = Array.isArray(value);
  const text = isList ? value.join(', ') : typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (text === '' || text === '{}') return texts.none;
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
