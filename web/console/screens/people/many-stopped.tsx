// Jobs that stopped on their way, in this window or another: any administrator goes on with them, or leaves them.

import { useState } from 'react';
import { useAction } from '../../../parts/action.ts';
import { Button } from '../../../parts/screen.tsx';
import { useIsAdmin } from '../../me.ts';
import { Failure } from '../../parts/failure.tsx';
import { Time } from '../../parts/time.tsx';
import { queries, useRead } from '../../queries.ts';
import { make } from '../../session/api.ts';
import type { BulkJob } from '../../types.ts';
import { doneJob, type JobResult, jobs } from './many-job.ts';
import { Done, HowFar } from './many-people.tsx';
import { words } from './many-words.ts';

export function StoppedJobs() {
  const { data = [] } = useRead<readonly BulkJob[]>(jobs, { enabled: useIsAdmin() });
  // Jobs that were finished here stay, with the links that they show.
  const [begun, begin] = useState<readonly string[]>([]);
  return data
    .filter(({ id, state }) => state === 'working' || begun.includes(id))
    .map((job) => <StoppedJob key={job.id} job={job} begin={() => begin((before) => [...before, job.id])} />);
}

function StoppedJob({ job, begin }: { job: BulkJob; begin: () => void }) {
  const [now, setNow] = useState(job);
  const [partly, setPartly] = useState<JobResult | null>(null);
  const carried = useAction({
    mutationFn() {
      begin();
      return doneJob(now, (next, soFar) => {
        setNow(next);
        setPartly(soFar);
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['list'] }),
  });
  const left = useAction({
    mutationFn: () => make({ method: 'DELETE', path: `${jobs}/${encodeURIComponent(job.id)}` }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['read', jobs] }),
  });
  const error = carried.error ?? left.error;
  return (
    <section className="note stopped-job">
      <p>
        {words.stopped(whatOf(job))} <Time at={now.updatedAt} />
      </p>
      <HowFar job={now} />
      {error !== null && <Failure error={error} />}
      {partly !== null && !carried.isPending && <Done result={partly} />}
      {now.state !== 'done' && (
        <p className="buttons">
          <Button isBusy={carried.isPending} onClick={() => carried.mutate()}>
            {words.goOn}
          </Button>
          <Button isBusy={carried.isPending || left.isPending} onClick={() => left.mutate()}>
            {words.leave}
          </Button>
        </p>
      )}
    </section>
  );
}

function whatOf({ action }: BulkJob): string {
  if (action === 'import') return words.importing;
  return words.works[action as keyof typeof words.works] ?? words.changing;
}
