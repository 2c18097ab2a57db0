// The editor of an auth policy: shows its rules in words while they are edited, and who would be affected before it is
// saved.

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usualPolicy, usualPolicyId } from '../../../src/model/usual-policy.ts';
import { announce } from '../../parts/announce.tsx';
import { Button } from '../../parts/button.tsx';
import { Card, Screen } from '../../parts/screen.tsx';
import { isSame, rebased } from '../forms/draft.ts';
import { rereadEntity, useEntity } from '../forms/entity.ts';
import { DeleteEntity } from '../forms/entity-screen.tsx';
import { useIsAdmin } from '../me.ts';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { type Change, make, Refusal, type Versioned } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy, PolicyDraft } from '../types.ts';
import { draftOf, PolicyForm, PolicySentences } from './policy-form.tsx';
import { ImpactText, usePreview } from './policy-impact.tsx';

const { policies: words } = texts;

export function PolicyScreen() {
  const { id = '' } = useParams({ strict: false });
  return id === 'new' ? (
    <Screen title={words.create}>
      <Editor key="new" id={null} read={{ document: newPolicy, version: null }} />
    </Screen>
  ) : (
    <Saved key={id} id={id} />
  );
}

/**
 * The initial values of the form: the server's rules for passwords and certificates. Signers are off until somebody
 * chooses them, although the API would allow all of them.
 */
const newPolicy: PolicyDraft = {
  name: '',
  ...usualPolicy,
  primary: { ...usualPolicy.primary, extJwt: { allowed: false, allowedSigners: [] } },
  tags: {},
};

function Saved({ id }: { readonly id: string }) {
  const isAdmin = useIsAdmin();
  const path = pathOf(id);
  const query = useEntity<AuthPolicy>(path);
  const deletion = { title: words.deleteTitle, ends: words.deleteEnds };
  return (
    <Screen title={query.data?.document.name ?? texts.people.policy}>
      <Loaded query={query}>
        {(found) => (
          <>
            <Editor id={id} read={draftRead(found)} />
            {isAdmin && id !== usualPolicyId && (
              <DeleteEntity {...{ id, path, found, deletion }} noun="auth-policy" list="/policies" />
            )}
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function pathOf(id: string): string {
  return `auth-policies/${encodeURIComponent(id)}`;
}

function draftRead({ document, version }: Versioned<AuthPolicy>): Versioned<PolicyDraft> {
  return { document: draftOf(document), version };
}

function Editor({ id, read }: { readonly id: string | null; readonly read: Versioned<PolicyDraft> }) {
  const isAdmin = useIsAdmin();
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(read.document);
  // It was read again while nothing was changed here: show the new state.
  if (read.version !== base.version && isSame(draft, base.document)) {
    setBase(read);
    setDraft(read.document);
  }
  const preview = usePreview();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!preview.isPending) preview.mutate({ draft, id });
  };
  const change: Change =
    id === null
      ? { method: 'POST', path: 'auth-policies', body: draft }
      : { method: 'PUT', path: pathOf(id), body: draft, version: base.version };
  return (
    <form onSubmit={submit}>
      <Card id="rules" title={words.rules}>
        <fieldset className="bare" disabled={!isAdmin}>
          <div className="field">
            <label htmlFor="policy-name">{texts.people.name}</label>
            <input
              id="policy-name"
              required
              value={draft.name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          </div>
          <PolicyForm draft={draft} change={setDraft} />
        </fieldset>
      </Card>
      <Card id="in-words" title={words.inWords}>
        <PolicySentences draft={draft} />
        {preview.error !== null && <Failure error={preview.error} />}
        {isAdmin && (
          <p className="buttons">
            <Button id="save" type="submit" kind="main" isBusy={preview.isPending}>
              {texts.save}
            </Button>
          </p>
        )}
        <SameChange command={null} change={change} />
      </Card>
      <Save
        change={change}
        id={id}
        preview={preview}
        saved={() => setBase({ document: draft, version: null })}
        begin={(now, isMine) => {
          setBase(now);
          setDraft(isMine ? rebased(base.document, draft, now.document) : now.document);
        }}
      />
    </form>
  );
}

/** The last question before saving, after the server has computed who is affected. */
function Save({
  change,
  id,
  preview,
  saved,
  begin,
}: {
  readonly change: Change;
  readonly id: string | null;
  readonly preview: ReturnType<typeof usePreview>;
  readonly saved: () => void;
  /** Continues from the current state, with or without the changes made here. */
  readonly begin: (now: Versioned<PolicyDraft>, isMine: boolean) => void;
}) {
  const [now, setNow] = useState<Versioned<PolicyDraft> | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const saving = useMutation({
    async mutationFn() {
      try {
        return await make<{ readonly id?: string }>(change);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 412 || id === null) throw error;
        setNow(draftRead(await rereadEntity<AuthPolicy>(pathOf(id))));
        return null;
      }
    },
    async onSuccess(made) {
      if (made === null) return;
      saved();
      preview.reset();
      announce(words.saved);
      await client.invalidateQueries();
      await navigate({ to: '/policies/$id', params: { id: id ?? made.id ?? '' } });
    },
  });
  const close = () => {
    saving.reset();
    preview.reset();
    setNow(null);
  };
  const goOn = (from: Versioned<PolicyDraft>, isMine: boolean) => {
    begin(from, isMine);
    close();
  };
  return (
    <AlertDialog.Root open={preview.data !== undefined} onOpenChange={close}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          {now === null ? (
            <>
              <AlertDialog.Title className="dialog-title">{words.saveTitle}</AlertDialog.Title>
              <AlertDialog.Description>{words.saveText}</AlertDialog.Description>
              {preview.data !== undefined && <ImpactText preview={preview.data} />}
              {saving.error !== null && <Failure error={saving.error} />}
              <p className="buttons">
                <Button
                  id="save-confirm"
                  kind={(preview.data?.lockedOut.count ?? 0) > 0 ? 'danger' : 'main'}
                  isBusy={saving.isPending}
                  onClick={() => saving.mutate()}
                >
                  {texts.save}
                </Button>
                <AlertDialog.Close className="button plain">{texts.cancel}</AlertDialog.Close>
              </p>
            </>
          ) : (
            <Meanwhile now={now} goOn={goOn} />
          )}
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** Somebody else was faster: shows the rules as they are now, and how to continue. */
function Meanwhile({
  now,
  goOn,
}: {
  readonly now: Versioned<PolicyDraft>;
  readonly goOn: (from: Versioned<PolicyDraft>, isMine: boolean) => void;
}) {
  return (
    <>
      <AlertDialog.Title className="dialog-title">{texts.forms.meanwhileTitle}</AlertDialog.Title>
      <AlertDialog.Description>{texts.forms.meanwhileText}</AlertDialog.Description>
      <PolicySentences draft={now.document} id="now" />
      <p className="buttons">
        <Button id="go-on" kind="main" onClick={() => goOn(now, true)}>
          {texts.forms.goOn}
        </Button>
        <Button id="give-up" onClick={() => goOn(now, false)}>
          {texts.forms.giveUp}
        </Button>
      </p>
    </>
  );
}
