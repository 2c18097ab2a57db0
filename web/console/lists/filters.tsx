import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/screen.tsx';
import { InputField, SelectField } from '../parts/field.tsx';
import { texts } from '../texts/texts.ts';
import { useListAddress } from './data-list.tsx';

/** The filters of a list. Setting one changes the list's address. A narrow screen has room for the first until asked. */
export function Filters({ children }: { children: ReactNode }) {
  const [address, change] = useListAddress();
  const [isOpen, setOpen] = useState(false);
  const set = Object.entries(address).filter(
    ([name, value]) => name !== 'sort' && name !== 'page' && value !== undefined && value !== '',
  );
  const cleared = Object.fromEntries(Object.keys(address).map((name) => [name, undefined]));
  return (
    <search className={isOpen ? 'filters open' : 'filters'}>
      {children}
      <button
        type="button"
        id="more-filters"
        className="button plain"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {texts.lists.filters(set.length)}
      </button>
      {set.length > 0 && (
        <Button id="clear-filters" onClick={() => change(cleared)}>
          {texts.attempts.clear}
        </Button>
      )}
    </search>
  );
}

interface FilterProps {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
}

/** How long after the last key the list is read. */
const pause = 300;

export function TextFilter({
  name,
  label,
  type = 'search',
  hint,
}: FilterProps & { readonly type?: 'search' | 'datetime-local'; readonly hint?: string }) {
  const [address, change] = useListAddress();
  const given = address[name] ?? '';
  const [text, setText] = useState(given);
  const asked = useRef(given);
  useEffect(() => {
    // More may have been typed before the address says what was asked.
    if (given === asked.current) return;
    // The address itself has changed: a link, the button that clears, going back.
    asked.current = given;
    setText(given);
  }, [given]);
  useEffect(() => {
    if (text === given) return;
    const timer = setTimeout(() => {
      asked.current = text;
      change({ [name]: text === '' ? undefined : text });
    }, pause);
    return () => clearTimeout(timer);
  });
  return <InputField id={`filter-${name}`} {...{ label, type, hint }} value={text} set={setText} />;
}

/** The time from which and until which. */
export function PeriodFilter() {
  return (
    <>
      <TextFilter name="from" label={texts.attempts.from} type="datetime-local" />
      <TextFilter name="to" label={texts.attempts.to} type="datetime-local" />
    </>
  );
}

export function ChoiceFilter({
  name,
  label,
  choices,
  usual = texts.attempts.any,
}: FilterProps & {
  readonly choices: Readonly<Record<string, string>>;
  /** Shown while the address says nothing. */
  readonly usual?: string;
}) {
  const [address, change] = useListAddress();
  const given = address[name] ?? '';
  return (
    <SelectField
      id={`filter-${name}`}
      label={label}
      value={Object.hasOwn(choices, given) ? given : ''}
      set={(value) => change({ [name]: value === '' ? undefined : value })}
      choices={choices}
      first={usual}
    />
  );
}
