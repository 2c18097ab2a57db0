// The form of an entity: creates one or saves the changed fields, shows the same change as a command and as an API
// call, and after a conflict shows the changes of the other administrator and lets the person continue.

import { Refusal } from '@overlay-auth/client';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type { Entity } from '../../../src/model/entities/entity.ts';
import { useAction } from '../../parts/action.ts';
import { announce } from '../../parts/announce.tsx';
import { CloseButton, Dialog } from '../../parts/dialog.tsx';
import { Button } from '../../parts/screen.tsx';
import { Failure, Refused } from '../parts/failure.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { refresh } from '../queries.ts';
import { type Change, make, reasonOf, type Versioned } from '../session/api.ts';
import { fieldWords } from '../texts/fields.ts';
import { texts } from '../texts/texts.ts';
import { createCommand, updateCommand } from './command.ts';
import { changesOf, isEmpty, type Values, withoutSecrets, withValues } from './entity-fields.ts';
import { CurrentForm, type FormState, type Typed } from './fields.tsx';
import { MeanwhileChanged } from './meanwhile.tsx';

/** The question before saving. */
export interface Question {
  readonly title?: string;
  readonly text: string;
  readonly details?: ReactNode;
  readonly isHarmless?: boolean;
}

export interface EntityFormProps<Draft extends object> {
  readonly entity: Entity;
  /** Null: a new one. */
  readonly id: string | null;
  /** The entity that was read, or the initial values of a new one. */
  readonly read: Versioned<Draft>;
  readonly mayChange: boolean;
  /** Its values can be tried, also by people who may not save them. */
  readonly isTrial?: boolean;
  /** Defaults of the server that follow from other fields, for the command that creates one. */
  readonly usual?: (draft: Draft) => Values;
  /** The fields, which find the form by `useForm`. */
  readonly children: ReactNode;
  /** The things that these changes end, if any: the form asks first. */
  readonly ask?: (changes: Values, draft: Draft) => Promise<Question | null> | string | null;
  /** Reads the entity again. Not called for a new one. */
  readonly reread?: () => Promise<Versioned<Draft>>;
  readonly saved?: (id: string | null, draft: Draft) => unknown;
}

export function EntityForm<Draft extends object>(props: EntityFormProps<Draft>) {
  const { entity, id, mayChange, isTrial = false, usual, children, ask, saved } = props;
  const editing = useEditing(props);
  const { draft, base, changes, saving, meanwhile } = editing;
  const [asked, setAsked] = useState<{ readonly question: Question; readonly about: Sent<Draft> } | null>(
    null,
  );
  const change: Change =
    id === null
      ? { method: 'POST', path: entity.collection, body: given(draft) }
      : {
          method: 'PATCH',
          path: `${entity.collection}/${encodeURIComponent(id)}`,
          body: withValues({}, changes),
          version: base.version,
        };
  const sent: Sent<Draft> = { change, draft };
  const save = (what: Sent<Draft>, isForced = false) =>
    saving.mutate({ ...what, isForced, saved: (newId) => saved?.(newId, what.draft) });
  const asking = useAction({
    mutationFn: async (_about: Sent<Draft>) => {
      const found = (await ask?.(changes, draft)) ?? null;
      return typeof found === 'string' ? { text: found } : found;
    },
    onError: rereadIfGone,
    // The question is not about later typing.
    onSuccess: (question, about) => (question === null ? save(about) : setAsked({ question, about })),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!saving.isRunning()) asking.mutate(sent);
  };
  const { labels } = fieldWords(entity.kind);
  const refusal = saving.error instanceof Refusal ? saving.error : null;
  const form: FormState<Draft> = {
    entity,
    draft,
    set: editing.set,
    textOf: (path) => editing.typed[path],
    isReadOnly: !mayChange && !isTrial,
    problemOf: (path) =>
      `${refusal?.field ?? ''}.`.startsWith(`${path}.`) && refusal !== null ? reasonOf(refusal) : null,
  };
  const nothing = id !== null && isEmpty(changes);
  return (
    <form onSubmit={submit} className="entity">
      <CurrentForm value={form}>{children}</CurrentForm>
      {meanwhile !== null && (
        <MeanwhileChanged
          {...{ entity, before: base.document, mine: changes, now: meanwhile }}
          goOn={editing.goOn}
          giveUp={editing.giveUp}
        />
      )}
      {asking.error !== null && <Failure error={asking.error} />}
      {saving.error !== null && (
        <Refused
          id="save-forced"
          error={saving.error}
          label={labels[refusal?.field ?? ''] ?? labels[refusal?.field?.split('.')[0] ?? '']}
          force={() => save(sent, true)}
        />
      )}
      {mayChange && (
        <p className="buttons">
          <Button
            id="save"
            type="submit"
            kind="main"
            isBusy={saving.isPending || asking.isPending}
            disabled={nothing || meanwhile !== null}
          >
            {texts.save}
          </Button>
          {!nothing && id !== null && <Button onClick={editing.reset}>{texts.forms.discard}</Button>}
        </p>
      )}
      {!nothing && (
        <SameChange
          command={
            id === null ? createCommand(entity, draft, usual?.(draft)) : updateCommand(entity, id, changes)
          }
          change={{ ...change, body: withoutSecrets(entity, change.body ?? {}) }}
        />
      )}
      <LeaveQuestion isNeeded={!isEmpty(changes)}>
        <SaveQuestion
          question={asked?.question ?? null}
          close={() => setAsked(null)}
          save={() => {
            setAsked(null);
            if (asked !== null) save(asked.about);
          }}
        />
      </LeaveQuestion>
    </form>
  );
}

/** Says what saving would end, before it does. */
function SaveQuestion({
  question,
  close,
  save,
}: {
  question: Question | null;
  close: () => void;
  save: () => void;
}) {
  const { title = texts.forms.saveTitle, text = '', details, isHarmless = false } = question ?? {};
  return (
    <Dialog isOpen={question !== null} close={close} title={title} text={text}>
      {details}
      <p className="buttons">
        <Button id="save-confirm" kind={isHarmless ? 'main' : 'danger'} onClick={save}>
          {texts.save}
        </Button>
        <CloseButton />
      </p>
    </Dialog>
  );
}

/**
 * Asks before a link, the back button or the browser leaves a form with changes: they would be lost.
 * @param children the other question, which waits for the answer to this one
 */
function LeaveQuestion({ isNeeded, children }: { isNeeded: boolean; children: ReactNode }) {
  const { forms: words } = texts;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isElsewhere,
    withResolver: true,
    disabled: !isNeeded,
  });
  const isAsked = status === 'blocked';
  useEffect(() => {
    // It was saved while the question was open.
    if (isAsked && !isNeeded) proceed();
  });
  return (
    <>
      {!isAsked && children}
      <Dialog isOpen={isAsked} close={reset} title={words.leaveTitle} text={words.leaveText}>
        <p className="buttons">
          <Button id="leave" kind="danger" onClick={proceed}>
            {words.leave}
          </Button>
          <CloseButton label={words.stay} />
        </p>
      </Dialog>
    </>
  );
}

interface Place {
  readonly pathname: string;
  readonly search: { readonly edit?: string };
}

/** The link that skips to the content stays on the screen. Beside it, an address may say which entity is edited. */
function isElsewhere({ current, next }: Readonly<Record<'current' | 'next', Place>>): boolean {
  return current.pathname !== next.pathname || current.search.edit !== next.search.edit;
}

/** The screen of an entity that is gone then says so, and leads to the list. */
const rereadIfGone = (error: Error) =>
  error instanceof Refusal && error.status === 404 ? refresh() : undefined;

/** Omits values that are none, so that the API's defaults apply. */
function given(draft: object): object {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null));
}

/** A change, and the values that it was made from. */
interface Sent<Draft> {
  readonly change: Change;
  readonly draft: Draft;
}

interface Saving<Draft> extends Sent<Draft> {
  readonly isForced: boolean;
  readonly saved: (id: string | null) => unknown;
}

type Outcome<Draft> =
  | { readonly isSaved: true; readonly id: string | null; readonly fresh: Versioned<Draft> | null }
  | { readonly isSaved: false; readonly fresh: Versioned<Draft> };

/** The edited values, and the version they are based on. */
function useEditing<Draft extends object>({ entity, read, id, reread }: EntityFormProps<Draft>) {
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(read.document);
  const [typed, setTyped] = useState<Typed>({});
  const [meanwhile, setMeanwhile] = useState<Versioned<Draft> | null>(null);
  const changes = changesOf(entity, base.document, draft);
  const begin = (from: Versioned<Draft>, mine: Values = {}) => {
    setBase(from);
    setDraft(withValues(from.document, mine));
    setTyped({});
    setMeanwhile(null);
  };
  // It was read again while nothing was typed: show the new state.
  if (read.version !== base.version && isEmpty(changes) && meanwhile === null && read.version !== null)
    begin(read);
  const saving = useAction({
    async mutationFn({ change, isForced, draft: sent }: Saving<Draft>): Promise<Outcome<Draft>> {
      const path = isForced ? `${change.path}?force=true` : change.path;
      try {
        const { id: newId = null } = await make<{ readonly id?: string }>({ ...change, path });
        return { isSaved: true, id: newId, fresh: reread === undefined ? null : await reread() };
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 412 || reread === undefined) throw error;
        const fresh = await reread();
        const mine = changesOf(entity, base.document, sent);
        // The answer to the first try was lost.
        const isAsAsked = isEmpty(changesOf(entity, fresh.document, withValues(fresh.document, mine)));
        return isAsAsked ? { isSaved: true, id: null, fresh } : { isSaved: false, fresh };
      }
    },
    onError: rereadIfGone,
    async onSuccess(outcome, { draft: sent, saved }) {
      if (!outcome.isSaved) {
        setMeanwhile(outcome.fresh);
        return;
      }
      // What was typed since then has not been saved.
      if (outcome.fresh !== null) begin(outcome.fresh, changesOf(entity, sent, draft));
      await refresh();
      announce(id === null ? texts.forms.created : texts.forms.saved);
      await saved(outcome.id);
    },
  });
  return {
    base,
    draft,
    typed,
    changes,
    saving,
    meanwhile,
    set(some: Values, typedFor: Typed = {}) {
      // More may have been typed while a file was read.
      setDraft((before) => withValues(before, some));
      setTyped((before) => ({ ...before, ...typedFor }));
      if (saving.error !== null) saving.reset();
    },
    reset: () => begin(base),
    goOn: () => meanwhile !== null && begin(meanwhile, changes),
    giveUp: () => meanwhile !== null && begin(meanwhile),
  };
}
