import { texts } from '../texts/texts.ts';

interface Check {
  readonly name: string;
  readonly verdict: 'passed' | 'failed';
  readonly saw: string | null;
}

/** What was checked, step by step. The server's part of each line is in English. */
export function Checks({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <ol className="checks">
      {checks.map(({ name, verdict, saw }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same check may come twice, and none ever moves
        <li key={at} className={verdict}>
          <span className="verdict">
            {verdict === 'passed' ? texts.person.checkPassed : texts.person.checkFailed}
          </span>{' '}
          <span lang="en">{name}</span>
          {saw !== null && (
            <>
              {': '}
              <span className="saw" lang="en">
                {saw}
              </span>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
