import { Link } from '@tanstack/react-router';
import { named } from '../../parts/language.ts';
import { Badge, Card } from '../../parts/screen.tsx';
import { Checks } from '../parts/checks.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { useList } from '../queries.ts';
import { alternatives, texts } from '../texts/texts.ts';
import type { LoginExplanation } from '../types.ts';
import { wayText } from '../words.ts';
import { lockEnd } from './person-authenticators.tsx';

const { person: words } = texts;

/** Whether they can sign in, and if not, why: the server's answer, by the rules that judge real logins. */
export function PersonVerdict({ id }: { id: string }) {
  const path = `identities/${id}/login-explanation`;
  const query = useList<LoginExplanation>(path);
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
export function Verdict({ ways }: { ways: readonly LoginExplanation[] }) {
  const by = (standing: LoginExplanation['standing']) => ways.filter((way) => way.standing === standing);
  const textOf = (open: readonly LoginExplanation[]) =>
    alternatives.format(open.map(({ method, asks }) => wayText(method, asks)));
  const [ready, vouched] = [by('ready'), by('vouched')];
  const [kind, sentence] =
    ready.length > 0
      ? ['good', words.canYes(textOf(ready))]
      : vouched.length > 0
        ? ['', words.canIf(textOf(vouched))]
        : ['bad', words.canNo];
  return (
    <>
      <p className={`answer ${kind}`} id="answer">
        {sentence}
      </p>
      <ul className="ways">
        {ways.map((way) => (
          <Way key={way.method} way={way} isOpen={kind === 'bad'} />
        ))}
      </ul>
    </>
  );
}

function Way({ way, isOpen }: { way: LoginExplanation; isOpen: boolean }) {
  const isAllowed = way.outcome === 'allowed';
  const { standing, until, reason } = way;
  const isWrong = standing === 'expired' || standing === 'locked' || standing === 'refused';
  const label =
    until !== null && (standing === 'expired' || standing === 'locked')
      ? words[`${standing}Way`](lockEnd(until))
      : words.standings[standing];
  return (
    <li>
      <details open={isOpen && !isAllowed}>
        <summary>
          <strong>{texts.attempts.steps[way.method]}</strong>{' '}
          <Badge kind={standing === 'ready' ? 'good' : isWrong ? 'bad' : 'plain'}>{label}</Badge>{' '}
          {standing === 'refused' && reason !== null && <span>{named(texts.reasons, reason)}</span>}
          {way.acceptedFrom.map(({ type, name, naming }) => (
            <span className="hint block" key={`${type} ${name}`}>
              {words.wouldBeAccepted[type](name, naming)}
            </span>
          ))}
        </summary>
        <Checks checks={way.checks} />
      </details>
    </li>
  );
}
