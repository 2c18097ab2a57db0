import { setApart } from '../../../src/pages/texts/both-languages.ts';
import { named } from '../../parts/language.ts';
import { Facts } from '../../parts/screen.tsx';
import { texts } from '../texts/texts.ts';
import { checkNames } from './check-names.ts';
import { Said } from './time.tsx';

type Check = ({ readonly check: string } | { readonly name: string }) & {
  readonly verdict: 'passed' | 'failed' | 'seen';
  readonly saw: string | null;
};

const { checkPassed: passed, checkFailed: failed, checkSeen: seen } = texts.person;
const verdicts = { passed, failed, seen } as const;

/** Stands at the end of some lines, for the command line. Here are buttons. */
const command = /: overlay-auth [^"]*$/;

/** The checks, step by step. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <ol className="checks">
      {checks.map(({ verdict, saw, ...of }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same check may come twice, and none ever moves
        <li key={at} className={verdict}>
          <span className="verdict">{verdicts[verdict]}</span>{' '}
          {named(checkNames, 'check' in of ? of.check : of.name)}
          {saw !== null && (
            <>
              {': '}
              <span className="saw">
                <Said text={saw.replace(command, '')} />
              </span>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The cause and the remedy, in the server's words and the language of the page. */
export function Explanation({
  explanation,
}: {
  explanation: { readonly happened: string; readonly remedy: string } | null;
}) {
  if (explanation === null) return null;
  return (
    <Facts
      facts={[
        [texts.attempts.happened, setApart(explanation.happened)],
        [texts.attempts.remedy, setApart(explanation.remedy)],
      ]}
    />
  );
}
