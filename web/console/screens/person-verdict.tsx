import { Link } from '@tanstack/react-router';
import { named } from '../../parts/language.ts';
import { Badge, Card } from '../../parts/screen.tsx';
import { Checks } from '../parts/checks.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { useList } from '../queries.ts';
import { alternatives, texts } from '../texts/texts.ts';
import type { LoginExplanation } from '../types.ts';
import { wayText } from '../words.ts';

const { person: words } = texts;

/** Whether they can sign in, and if not, why: the server's answer, by the rules that judge real logins. */
export function PersonVerdict({ id }: { readonly id: string }) {
  const path = `identities/${id}/login-explanation`;
  const query = useList<LoginExplanation>(['person', id, 'explanation'], path, {});
  return (
    <Card
      id="verdict"
      title={words.can}
      tools={
        <Link to="/what-if" search={{ person: id }}>
          {texts.screens['what-if']}
        </Link>
      }
    >
      <Loaded query={query}>{({ items }) => <Verdict ways={items} />}</Loaded>
    </Card>
  );
}

/** @param ways one for each method */
export function Verdict({ ways }: { readonly ways: readonly LoginExplanation[] }) {
  const open = ways.filter(({ outcome }) => outcome === 'allowed');
  const sentence =
    open.length === 0
      ? words.canNo
      : words.canYes(alternatives.format(open.map(({ method, asks }) => wayText(method, asks))));
  return (
    <>
      <p className={`answer ${open.length === 0 ? 'bad' : 'good'}`} id="answer">
        {sentence}
      </p>
      <ul className="ways">
        {ways.map((way) => (
          <Way key={way.method} way={way} isOpen={open.length === 0} />
        ))}
      </ul>
    </>
  );
}

function Way({ way, isOpen }: { readonly way: LoginExplanation; readonly isOpen: boolean }) {
  const isAllowed = way.outcome === 'allowed';
  const why = way.checks.find(({ verdict }) => verdict === 'failed');
  return (
    <li>
      <details open={isOpen && !isAllowed}>
        <summary>
          <strong>{texts.attempts.steps[way.method]}</strong>{' '}
          <Badge kind={isAllowed ? 'good' : 'bad'}>{isAllowed ? words.allowed : texts.refused}</Badge>{' '}
          {way.reason !== null && <span>{named(texts.reasons, way.reason)}</span>}
          {why?.saw != null && (
            <span className="hint" lang="en">
              {why.saw}
            </span>
          )}
        </summary>
        <Checks checks={way.checks} />
      </details>
    </li>
  );
}
