// The editor of an auth policy: its rules in words while they are edited, and who would be touched before it is saved.

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { announce } from '../../parts/announce.tsx';
import { Button } from '../../parts/button.tsx';
import { Card, Screen } from '../../parts/screen.tsx';
import { useIsAdmin } from '../me.ts';
import { Failure } from '../parts/failure.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { type Change, make, read } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy, PolicyDraft } from '../types.ts';
import { draftOf, PolicyForm, PolicySentences } from './policy-form.tsx';
import { ImpactText, usePreview } from './policy-impact.tsx';

const { policies: words } = texts;

export function PolicyScreen() {
  const { id = '' } = useParams({ strict: false });
  return id === 'new' ? (
    <Screen title={words.create}>
      <Editor key="new" id={null} saved={newPolicy} />
    </Screen>
  ) : (
    <Saved key={id} id={id} />
  );
}

/**
 * Where the form begins: the server's rules for passwords and certificates. Signers are off until somebody chooses them,
 * though the API would allow all of them.
 */
const newPolicy: PolicyDraft = {
  name: '',
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: false, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: 12,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 10,
      lockoutDurationMinutes: 15,
    },
  },
  secondary: { requireTotp: false, requireExtJwt: null },
  tags: {},
};

function Saved({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ['policy', id],
    queryFn: ({ signal }) => read<AuthPolicy>(`auth-policies/${encodeURIComponent(id)}`, signal),
    // What is being edited is not replaced under the hands of whoever edits it.
    refetchOnWindowFocus: false,
  });
  return (
    <Screen title={query.data?.name ?? texts.people.policy}>
      <Loaded query={query}>
        {(policy) => <Editor key={policy.updatedAt} id={id} saved={draftOf(policy)} />}
      </Loaded>
    </Screen>
  );
}

function Editor({ id, saved }: { readonly id: string | null; readonly saved: PolicyDraft }) {
  const isAdmin = useIsAdmin();
  const [draft, setDraft] = useState(saved);
  const preview = usePreview();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!preview.isPending) preview.mutate({ draft, id });
  };
  const change: Change =
    id === null
      ? { method: 'POST', path: 'auth-policies', body: draft }
      : { method: 'PUT', path: `auth-policies/${id}`, body: draft };
  return (
    <form onSubmit={submit}>
      <Card id="rules" title={words.rules}>
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
      <Save change={change} id={id} preview={preview} />
    </form>
  );
}

/** After the server has worked out who is touched: the last question before it is saved. */
function Save({
  change,
  id,
  preview,
}: {
  readonly change: Change;
  readonly id: string | null;
  readonly preview: ReturnType<typeof usePreview>;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const saving = useMutation({
    mutationFn: () => make<{ readonly id?: string }>(change),
    async onSuccess(made) {
      preview.reset();
      announce(words.saved);
      await client.invalidateQueries();
      await navigate({ to: '/policies/$id', params: { id: id ?? made.id ?? '' } });
    },
  });
  const close = () => {
    saving.reset();
    preview.reset();
  };
  return (
    <AlertDialog.Root open={preview.data !== undefined} onOpenChange={close}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
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
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
