// Adds many people from a table. It is checked before a person is added, and the new people can be invited at once.

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { importColumns } from '../../../../src/model/bulk-actions.ts';
import { csvOf } from '../../../../src/platform/formats/csv-text.ts';
import { useAction } from '../../../parts/action.ts';
import { announce } from '../../../parts/announce.tsx';
import { Button, Card, Screen } from '../../../parts/screen.tsx';
import { PersonLink } from '../../lists/columns.tsx';
import { download } from '../../parts/export.ts';
import { Failure } from '../../parts/failure.tsx';
import { FileField } from '../../parts/field.tsx';
import { OnlyAdministrators } from '../../parts/only-administrators.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { refresh } from '../../queries.ts';
import { make } from '../../session/api.ts';
import type { BulkJob, ImportResult } from '../../types.ts';
import { checkedJob, doneJob } from './many-job.ts';
import { HowFar, ManyPeople } from './many-people.tsx';
import { StoppedJobs } from './many-stopped.tsx';
import { words } from './many-words.ts';

const path = 'identities/import';
/** How many rows of a result are shown. */
const mostShown = 50;

interface Table {
  readonly name: string;
  readonly csv: ArrayBuffer;
}

export function ImportScreen() {
  const [created, setCreated] = useState<ImportResult['created']>([]);
  return (
    <Screen title={words.importTitle}>
      <OnlyAdministrators>
        {created.length === 0 ? <Import whenDone={setCreated} /> : <Created created={created} />}
      </OnlyAdministrators>
    </Screen>
  );
}

function Import({ whenDone }: { whenDone: (created: ImportResult['created']) => void }) {
  const [table, setTable] = useState<Table | null>(null);
  const [far, setFar] = useState<BulkJob | null>(null);
  const [rows, setRows] = useState(0);
  const sent = ({ csv }: Table, query = '') =>
    make<ImportResult>({ method: 'POST', path: `${path}${query}`, csv });
  const checked = useAction({
    async mutationFn(given: Table) {
      const result = await sent(given, '?dryRun=true&asJob=true');
      if (result.job === undefined) return result;
      setRows(result.rows);
      return { ...result, ...(await checkedJob(result.job, setFar)) };
    },
  });
  // Not the one whose progress is shown, which may be that of the table before.
  const job = checked.data?.job;
  const added = useAction({
    async mutationFn(given: Table) {
      if (job === undefined) return sent(given);
      return { rows: job.preview.matched, problems: [], ...(await doneJob(job, setFar)) };
    },
    onSettled: refresh,
    onSuccess({ created }) {
      if (created.length === 0) return;
      announce(words.added(created.length));
      whenDone(created);
    },
    // The preview is no longer true.
    onError: checked.reset,
  });
  // The check that was made again finds what came in between.
  const found = added.data ?? checked.data;
  const isReady = found !== undefined && found.problems.length === 0;
  const isBusy = checked.isPending || added.isPending;
  const reset = () => {
    checked.reset();
    added.reset();
    setFar(null);
  };
  return (
    <Card id="table" title={words.file}>
      <p>
        {words.importText} <code>{importColumns.join(', ')}</code>. {words.importMore}
      </p>
      {!added.isPending && <StoppedJobs />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (table === null || checked.isRunning() || added.isRunning()) return;
          if (isReady) return added.mutate(table);
          reset();
          checked.mutate(table);
        }}
      >
        <FileField
          id="csv"
          label={words.file}
          hint={words.fileHint}
          accept=".csv,text/csv"
          isRequired
          choose={async (file) => {
            reset();
            // Or the table before this one could be added while this one is read.
            setTable(null);
            if (file === undefined) return;
            const csv = await file.arrayBuffer();
            new TextDecoder('utf-8', { fatal: true }).decode(csv);
            setTable({ name: file.name, csv });
          }}
          unusable={words.notUtf8}
        />
        {checked.error !== null && <Failure error={checked.error} />}
        {added.error !== null && <Failure error={added.error} />}
        {found !== undefined && <Checked found={found} />}
        {isBusy && far !== null && <HowFar job={far} count={rows} />}
        <p className="buttons">
          <Button id={isReady ? 'import-add' : 'import-check'} type="submit" kind="main" isBusy={isBusy}>
            {isReady ? words.addAll(found.rows) : words.checkTable}
          </Button>
          <Button onClick={() => download('people.csv', 'text/csv;charset=utf-8', csvOf([importColumns]))}>
            {words.template}
          </Button>
        </p>
      </form>
      <SameChange
        command={['identity', 'import', table?.name ?? 'people.csv']}
        change={{ method: 'POST', path }}
      />
    </Card>
  );
}

function Checked({ found: { rows, problems } }: { found: ImportResult }) {
  if (problems.length === 0)
    return (
      <p className="note" role="status" id="import-ready">
        {words.ready(rows)}
      </p>
    );
  return (
    <>
      <p className="failure" role="alert">
        {words.problems(problems.length, rows)}
      </p>
      <div className="table">
        <table id="import-problems">
          <caption className="hidden-text">{words.problem}</caption>
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              <th scope="col">{words.column}</th>
              <th scope="col">{words.problem}</th>
            </tr>
          </thead>
          <tbody>
            {problems.slice(0, mostShown).map(({ line, column, reason }) => (
              <tr key={`${line} ${column} ${reason}`}>
                <td data-title={words.line}>{line ?? words.whole}</td>
                <td data-title={words.column}>{column !== null && <code>{column}</code>}</td>
                <td data-title={words.problem}>{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More than={mostShown} of={problems.length} />
    </>
  );
}

function More({ than, of }: { than: number; of: number }) {
  return of > than && <p>{words.more(of - than)}</p>;
}

function Created({ created }: { created: ImportResult['created'] }) {
  return (
    <Card id="added" title={words.added(created.length)}>
      <ul>
        {created.slice(0, mostShown).map((person) => (
          <li key={person.id}>
            <PersonLink of={person} />
          </li>
        ))}
      </ul>
      <More than={mostShown} of={created.length} />
      <p className="buttons">
        <ManyPeople
          label={words.next}
          selection={{ ids: created.map(({ id }) => id) }}
          count={created.length}
          kind="invite"
        />
        <Link to="/people" className="button plain">
          {words.toList}
        </Link>
      </p>
    </Card>
  );
}
