import type { Entity } from '../../../src/model/entities/entity.ts';
import { Button } from '../../parts/screen.tsx';
import type { Versioned } from '../session/api.ts';
import { fieldWords } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import { changesOf, fieldAt, type Values } from './entity-fields.ts';
import { FieldValue } from './field-value.tsx';

/**
 * Shows field by field what another administrator changed while a form was open. Continuing keeps one's own changes, and
 * takes theirs everywhere else.
 */
export function MeanwhileChanged({
  entity,
  before,
  mine,
  now,
  goOn,
  giveUp,
}: {
  entity: Entity;
  /** As the form read it. */
  before: object;
  /** The changes of the form. */
  mine: Values;
  now: Versioned<object>;
  goOn: () => unknown;
  giveUp: () => unknown;
}) {
  const { forms: words } = texts;
  const { labels } = fieldWords(entity.kind);
  const theirs = Object.entries(changesOf(entity, before, now.document));
  const shown = (path: string, value: unknown) => (
    <code>
      <FieldValue kind={entity.kind} path={path} field={fieldAt(entity, path)} value={value} />
    </code>
  );
  return (
    <div className="failure" role="alert" id="meanwhile">
      <strong>{words.meanwhileTitle}</strong>
      <p>{theirs.length === 0 ? words.meanwhileNothing : words.meanwhileText}</p>
      <dl>
        {theirs.map(([path, value]) => (
          <div key={path}>
            <dt>{labels[path] ?? path}</dt>
            <dd>
              <p>
                {words.isNow} {shown(path, value)}
              </p>
              {path in mine && (
                <p>
                  {words.yours} {shown(path, mine[path])}
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
