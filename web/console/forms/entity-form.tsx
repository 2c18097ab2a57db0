// The form of an entity: creates one or saves the changed fields, shows the same change as a command and as an API
// call, and if somebody else was faster, shows what they changed and lets the person continue.

import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { announce } from '../../parts/announce.tsx';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { type Change, make, Refusal, type Versioned } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import { changesOf, isEmpty, type Labels } from './draft.ts';
import { refreshEntities } from './entity.ts';
import { type Meanwhile, MeanwhileChanged } from './meanwhile.tsx';
import { SaveQuestion } from './save-question.tsx';

/** What the fields of a form work with. */
export interface FormState<Draft> {
  readonly draft: Draft;
  /** @param typed texts for several values, as they were typed */
  set(changes: Partial<Draft>, typed?: Typed): void;
  textOf(name: string): string | undefined;
  readonly labels: Labels<Draft>;
  readonly isReadOnly: boolean;
  isNullable(name: keyof Draft): boolean;
  /** Why the server refused the field; null if it did not. */
  problemOf(name: keyof Draft & string): string | null;
}

type Typed = Readonly<Record<string, string>>;

export interface EntityFormProps<Draft extends object> {
  /** What was read, or the initial values of a new entity. */
  readonly read: Versioned<Draft>;
  /** `oidc-clients` for a new one, `oidc-clients/ID` for an existing one. */
  readonly path: string;
  readonly isNew: boolean;
  readonly mayChange: boolean;
  readonly labels: Labels<Draft>;
  /** Fields that may be null, whatever their current value. */
  readonly nullable?: readonly (keyof Draft)[];
  /** The words after `overlay-auth` for these changes; null: there is no such command. */
  readonly command: (changes: Partial<Draft>, draft: Draft) => readonly string[] | null;
  readonly children: (form: FormState<Draft>) => ReactNode;
  /** What these changes end, if anything: the form asks first. */
  readonly ends?: (changes: Partial<Draft>) => string | null;
  /** Reads the entity again. Not called for a new one. */
  readonly reread?: () => Promise<Versioned<Draft>>;
  readonly saved: (id: string | null, draft: Draft) => unknown;
}

export function EntityForm<Draft extends object>(props: EntityFormProps<Draft>) {
  const { path, isNew, mayChange, labels, nullable = [], command, children, ends, saved } = props;
  const editing = useEditing(props);
  const { draft, base, changes, saving, meanwhile } = editing;
  const [asks, setAsks] = useState<string | null>(null);
  const change: Change = isNew
    ? { method: 'POST', path, body: given(draft) }
    : { method: 'PATCH', path, body: changes, version: base.version };
  const save = (isForced = false) => saving.mutate({ change, isForced, saved: (id) => saved(id, draft) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (saving.isPending) return;
    const question = ends?.(changes) ?? null;
    if (question === null) save();
    else setAsks(question);
  };
  const refusal = saving.error instanceof Refusal ? saving.error : null;
  const form: FormState<Draft> = {
    draft,
    set: editing.set,
    textOf: (name) => editing.typed[name],
    labels,
    isReadOnly: !mayChange,
    isNullable: (name) => nullable.includes(name),
    problemOf: (name) => (refusal?.field?.split('.')[0] === name ? refusal.message : null),
  };
  const nothing = !isNew && isEmpty(changes);
  return (
    <form onSubmit={submit} className="entity">
      {children(form)}
      {meanwhile !== null && (
        <MeanwhileChanged found={meanwhile} labels={labels} goOn={editing.goOn} giveUp={editing.giveUp} />
      )}
      {saving.error !== null && (
        <Refused error={saving.error} labels={labels} saveAllTheSame={() => save(true)} />
      )}
      {mayChange && (
        <p className="buttons">
          <Button
            id="save"
            type="submit"
            kind="main"
            isBusy={saving.isPending}
            disabled={nothing || meanwhile !== null}
          >
            {texts.save}
          </Button>
          {!nothing && !isNew && <Button onClick={editing.reset}>{texts.forms.discard}</Button>}
        </p>
      )}
      {!nothing && <SameChange command={command(changes, draft)} change={change} />}
      <SaveQuestion
        ends={asks}
        close={() => setAsks(null)}
        save={() => {
          setAsks(null);
          save();
        }}
      />
    </form>
  );
}

/** Names a refused field. Offers to force a change that would leave no administrator. */
function Refused<Draft>({
  error,
  labels,
  saveAllTheSame,
}: {
  readonly error: Error;
  readonly labels: Labels<Draft>;
  readonly saveAllTheSame: () => void;
}) {
  const field = error instanceof Refusal ? error.field : null;
  const label = labels[(field?.split('.')[0] ?? '') as keyof Labels<Draft>];
  if (label !== undefined) {
    return (
      <p className="failure" role="alert">
        <strong>{label}</strong>: <span lang="en">{error.message}</span>
      </p>
    );
  }
  return (
    <>
      <Failure error={error} />
      {field === 'force' && (
        <p className="buttons">
          <Button id="save-forced" kind="danger" onClick={saveAllTheSame}>
            {texts.forms.allTheSame}
          </Button>
        </p>
      )}
    </>
  );
}

/** Omits values that are none, so that the API's defaults apply. */
function given(draft: object): object {
  return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null));
}

interface Saving {
  readonly change: Change;
  readonly isForced: boolean;
  readonly saved: (id: string | null) => unknown;
}

type Outcome<Draft> =
  | { readonly isSaved: true; readonly id: string | null; readonly fresh: Versioned<Draft> | null }
  | { readonly isSaved: false; readonly fresh: Versioned<Draft> };

/** What is typed, and the version it is based on. */
function useEditing<Draft extends object>({ read, isNew, reread }: EntityFormProps<Draft>) {
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(read.document);
  const [typed, setTyped] = useState<Typed>({});
  const [meanwhile, setMeanwhile] = useState<Meanwhile<Draft> | null>(null);
  const changes = changesOf(base.document, draft);
  const begin = (from: Versioned<Draft>, mine: Partial<Draft> = {}) => {
    setBase(from);
    setDraft({ ...from.document, ...mine });
    setTyped({});
    setMeanwhile(null);
  };
  // It was read again while nothing was typed: show the new state.
  if (read.version !== base.version && isEmpty(changes) && meanwhile === null && read.version !== null) {
    begin(read);
  }
  const saving = useMutation({
    async mutationFn({ change, isForced }: Saving): Promise<Outcome<Draft>> {
      const path = isForced ? `${change.path}?force=true` : change.path;
      try {
        const { id = null } = await make<{ readonly id?: string }>({ ...change, path });
        return { isSaved: true, id, fresh: reread === undefined ? null : await reread() };
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 412 || reread === undefined) throw error;
        return { isSaved: false, fresh: await reread() };
      }
    },
    async onSuccess(outcome, { saved }) {
      if (!outcome.isSaved) {
        setMeanwhile({ before: base.document, mine: changes, now: outcome.fresh });
        return;
      }
      if (outcome.fresh !== null) begin(outcome.fresh);
      await refreshEntities();
      announce(isNew ? texts.forms.created : texts.forms.saved);
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
    set(some: Partial<Draft>, typedFor: Typed = {}) {
      setDraft({ ...draft, ...some });
      setTyped({ ...typed, ...typedFor });
      if (saving.error !== null) saving.reset();
    },
    reset: () => begin(base),
    goOn: () => meanwhile !== null && begin(meanwhile.now, meanwhile.mine),
    giveUp: () => meanwhile !== null && begin(meanwhile.now),
  };
}
