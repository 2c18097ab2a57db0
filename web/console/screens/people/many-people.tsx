// One change or action for many people: the affected people are shown before.

import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { mostInOneStep } from '../../../../src/model/bulk-actions.ts';
import { setApart } from '../../../../src/pages/texts/both-languages.ts';
import { csvOf } from '../../../../src/platform/formats/csv-text.ts';
import { useAction } from '../../../parts/action.ts';
import { announce } from '../../../parts/announce.tsx';
import { CloseButton, DialogButton } from '../../../parts/dialog.tsx';
import { CopyButton } from '../../../parts/keep.tsx';
import { Button } from '../../../parts/screen.tsx';
import { useNames } from '../../forms/names.ts';
import type { Picking } from '../../lists/picking.tsx';
import { download } from '../../parts/export.ts';
import { Failure } from '../../parts/failure.tsx';
import { CheckField, InputField, SelectField } from '../../parts/field.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { refresh } from '../../queries.ts';
import { make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { BulkJob, BulkPreview, BulkResult } from '../../types.ts';
import { ImpactText, Objection } from '../policy-impact.tsx';
import { checkedJob, doneJob, jobs } from './many-job.ts';
import { words } from './many-words.ts';
import { askedOf, type Kind, noWork, type Work } from './many-work.ts';

interface ManyPeopleProps {
  readonly selection: Picking['selection'];
  readonly count: number;
  /** After people were deleted. */
  readonly gone?: () => void;
  readonly label?: string;
  /** Chosen at first. */
  readonly kind?: Kind;
}

export function ManyPeople({ label = words.change, gone, ...props }: ManyPeopleProps) {
  const [isOpen, setOpen] = useState(false);
  const [done, setDone] = useState<Kind | null>(null);
  const set = async (next: boolean) => {
    setOpen(next);
    if (next || done === null) return;
    // Not before: the list may be empty then, and this dialog is a part of it.
    setDone(null);
    if (done === 'delete') gone?.();
    await refresh();
  };
  return (
    <DialogButton
      id="many"
      title={words.title(props.count)}
      text={words.text}
      state={{ isOpen, set }}
      label={label}
    >
      <ManyForm {...props} whenDone={setDone} />
    </DialogButton>
  );
}

function ManyForm({
  selection,
  count,
  kind = 'policy',
  whenDone,
}: Omit<ManyPeopleProps, 'gone' | 'label'> & { readonly whenDone: (kind: Kind) => void }) {
  const [work, setWork] = useState<Work>({ ...noWork, kind });
  const { body, command } = askedOf(selection, work);
  const isJob = count > mostInOneStep;
  const change = { method: 'POST', path: isJob ? jobs : 'identities/bulk', body } as const;
  const [far, setFar] = useState<BulkJob | null>(null);
  const [partly, setPartly] = useState<BulkResult | null>(null);
  const checked = useAction({
    async mutationFn(): Promise<{ readonly preview: BulkPreview; readonly job?: BulkJob }> {
      if (!isJob) return { preview: await make({ ...change, path: 'identities/bulk/preview' }) };
      const { job } = await checkedJob(await make(change), setFar);
      return { preview: job.preview, job };
    },
  });
  // Not the one whose progress is shown, which may be one that a change of the form left behind.
  const { preview: found, job } = checked.data ?? {};
  const carried = useAction({
    mutationFn: (matched: number) =>
      job === undefined
        ? make<BulkResult>({ ...change, body: { ...body, matched } })
        : doneJob(job, (now, soFar) => {
            setFar(now);
            setPartly(soFar);
          }),
    onSuccess(result) {
      whenDone(work.kind);
      announce(words.done(result.matched));
    },
    onError() {
      // The preview is no longer true, and the list neither if a part was done.
      checked.reset();
      if (job !== undefined) whenDone(work.kind);
    },
  });
  if (carried.data !== undefined)
    return (
      <>
        <Done result={carried.data} />
        <p className="buttons">
          <CloseButton label={texts.close} />
        </p>
      </>
    );
  const isPossible =
    found !== undefined && found.matched > 0 && found.refused.count === 0 && found.objection === null;
  const isBusy = checked.isPending || carried.isPending;
  const forget = () => {
    checked.reset();
    carried.reset();
    setFar(null);
    setPartly(null);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (checked.isRunning() || carried.isRunning()) return;
    if (isPossible) return carried.mutate(found.matched);
    forget();
    checked.mutate();
  };
  const set = (changes: Partial<Work>) => {
    // The links that it makes are shown only here.
    if (carried.isPending) return;
    forget();
    setWork((before) => ({ ...before, ...changes }));
  };
  const isDestructive = ['delete', 'disable', 'end-sessions'].includes(work.kind);
  return (
    <form onSubmit={submit}>
      <SelectField
        id="many-kind"
        label={words.what}
        choices={words.works}
        value={work.kind}
        set={(next) => set({ kind: next as Kind })}
        hint={words.ends[work.kind]}
      />
      <WorkFields work={work} set={set} />
      {found !== undefined && <Found found={found} />}
      {checked.error !== null && <Failure error={checked.error} />}
      {carried.error !== null && <Failure error={carried.error} />}
      {carried.error !== null && partly !== null && <Done result={partly} />}
      {isBusy && (
        <p role="status" className="hint">
          {words.working(found?.matched ?? count)}
        </p>
      )}
      {isBusy && far !== null && <HowFar job={far} count={count} />}
      <p className="buttons">
        <Button
          id={isPossible ? 'many-do' : 'many-check'}
          type="submit"
          kind={isPossible && isDestructive ? 'danger' : 'main'}
          isBusy={isBusy}
        >
          {isPossible ? words.doIt(found.matched) : words.check}
        </Button>
        <CloseButton isDisabled={carried.isPending} />
      </p>
      <SameChange command={command} change={change} />
    </form>
  );
}

/** @param count how many a job that is being checked may find */
export function HowFar({ job, count = 0 }: { job: BulkJob; count?: number }) {
  const { matched } = job.preview;
  const isChecking = job.state === 'checking';
  const [done, all] = isChecking ? [matched, Math.max(matched, count)] : [job.done, matched];
  return (
    <label className="how-far" id="many-far">
      {isChecking ? words.checkedSoFar(done, all) : words.doneSoFar(done, all)}
      <progress value={done} max={all} />
    </label>
  );
}

function WorkFields({ work, set }: { work: Work; set: (changes: Partial<Work>) => void }) {
  const policies = useNames('auth-policy');
  const { kind, add, remove } = work;
  const { person } = texts;
  switch (kind) {
    case 'policy':
      return (
        <SelectField
          id="many-policy"
          label={words.policy}
          choices={policies}
          first={words.choose}
          isRequired
          value={work.policy}
          set={(policy) => set({ policy })}
        />
      );
    case 'attributes':
      return (
        <>
          <InputField
            id="many-add"
            label={words.add}
            hint={words.commas}
            required={remove === ''}
            value={add}
            set={(text) => set({ add: text })}
          />
          <InputField
            id="many-remove"
            label={words.remove}
            hint={words.commas}
            value={remove}
            set={(text) => set({ remove: text })}
          />
        </>
      );
    case 'disable':
      return (
        <InputField
          id="many-until"
          label={person.until}
          type="datetime-local"
          value={work.until}
          set={(until) => set({ until })}
        />
      );
    case 'invite':
      return (
        <>
          <InputField
            id="many-hours"
            label={person.inviteHours}
            type="number"
            min="1"
            max="720"
            required
            value={work.hours}
            set={(hours) => set({ hours })}
          />
          <CheckField
            id="many-end-sessions"
            label={person.inviteEndSessions}
            isOn={work.endSessions}
            set={(endSessions) => set({ endSessions })}
          />
        </>
      );
    default:
      return null;
  }
}

function Found({
  found: { matched, first, administrators, refused, policy, objection },
}: {
  found: BulkPreview;
}) {
  if (matched === 0)
    return (
      <p className="note" role="status">
        {words.noPerson}
      </p>
    );
  const isRefused = refused.count > 0 || objection !== null;
  return (
    <>
      <div role="status" id="many-found" className={isRefused ? 'failure' : 'note'}>
        <p>
          {words.touched(matched)}
          {setApart(first.map(({ name }) => name).join(', '))}
          {matched > first.length && ` ${words.more(matched - first.length)}`}
        </p>
        {administrators > 0 && <p>{words.administrators(administrators)}</p>}
        {refused.count > 0 && (
          <>
            <p>
              <strong>{words.refused(refused.count)}</strong>
            </p>
            <ul>
              {refused.first.map(({ name, reason }) => (
                <li key={`${name} ${reason}`}>
                  <bdi>{name}</bdi>: {setApart(reason)}
                </li>
              ))}
              {refused.count > refused.first.length && (
                <li>{words.more(refused.count - refused.first.length)}</li>
              )}
            </ul>
          </>
        )}
        <Objection reason={objection} />
      </div>
      {policy !== null && <ImpactText preview={policy} lead={null} />}
    </>
  );
}

export function Done({ result: { matched, reference, invitations } }: { result: BulkResult }) {
  const rows = invitations.map(({ name, url = '', expiresAt }) => [name, url, expiresAt]);
  const table = csvOf([[texts.name, words.link, texts.person.endsAt], ...rows]);
  return (
    <div className="made">
      <p id="many-done">
        {words.done(matched)}{' '}
        <Link to="/audit" search={{ reference } as never}>
          {words.trail}
        </Link>
      </p>
      {invitations.length > 0 && (
        <>
          <InputField
            id="many-links"
            label={words.links}
            readOnly
            rows={6}
            value={invitations.map(({ name, url = '' }) => `${name}: ${url}`).join('\n')}
            set={() => undefined}
          />
          <p className="buttons">
            <CopyButton text={table} kind="plain" />
            <Button onClick={() => download('invitations.csv', 'text/csv;charset=utf-8', table)}>
              {words.downloadLinks}
            </Button>
          </p>
        </>
      )}
    </div>
  );
}
