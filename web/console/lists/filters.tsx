import { useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/screen.tsx';
import { allOf, anyOf, contains, equal, idIs, since } from '../filter.ts';
import { InputField, SelectField } from '../parts/field.tsx';
import { texts } from '../texts/texts.ts';
import { useListAddress } from './data-list.tsx';

/** A filter of a list, and the condition for its value. */
export interface Filter {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'datetime-local';
  /** Texts by value, where there are only some. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Shown while none of them is chosen. */
  readonly usual?: string;
  /** In the filter language. Null: this value is no condition. */
  readonly where: (value: string) => string | null;
}

/** A choice between the values of a field. */
export function choiceOf(field: string, label: string, choices: Readonly<Record<string, string>>): Filter {
  return { name: field, label, choices, where: (value) => equal(field, value) };
}

/** Whom something is about, by part of the name or by id. */
export const byPerson: Filter = {
  name: 'person',
  label: texts.attempts.person,
  where: (text) => anyOf(contains('identityName', text), idIs('identityId', text)),
};

export const byAddress: Filter = {
  name: 'address',
  label: texts.attempts.address,
  where: (text) => contains('ipAddress', text),
};

/** The time from which and until which. */
export const byPeriod: readonly Filter[] = (
  [
    ['from', '>='],
    ['to', '<='],
  ] as const
).map(([name, comparison]) => ({
  name,
  label: texts.attempts[name],
  type: 'datetime-local',
  where: (time) => since('at', comparison, time),
}));

/** The filter of a list, as its address says; empty: everything. @param always true for all of its rows */
export function useFilter(filters: readonly Filter[], always: string | null = null): string {
  const [address] = useListAddress();
  const given = filters.map(({ name, where }) => (address[name] ? where(address[name]) : null));
  return allOf(always, ...given);
}

/** The filters of a list. Setting one changes the list's address. A narrow screen has room for the first until asked. */
export function Filters({ filters }: { filters: readonly Filter[] }) {
  const [address, change] = useListAddress();
  const [isOpen, setOpen] = useState(false);
  const [clears, setClears] = useState(0);
  const set = Object.entries(address).filter(
    ([name, value]) => name !== 'sort' && name !== 'page' && value !== undefined && value !== '',
  );
  const clear = () => {
    change(Object.fromEntries(Object.keys(address).map((name) => [name, undefined])));
    setClears(clears + 1);
  };
  return (
    <search className={isOpen ? 'filters open' : 'filters'}>
      {filters.map((filter) =>
        filter.choices === undefined ? (
          // Clearing also forgets what was typed and is not in the address yet.
          <TextFilter key={`${filter.name} ${clears}`} {...filter} />
        ) : (
          <SelectField
            key={filter.name}
            id={`filter-${filter.name}`}
            label={filter.label}
            value={address[filter.name] ?? ''}
            set={(value) => change({ [filter.name]: value === '' ? undefined : value })}
            choices={filter.choices}
            first={filter.usual ?? texts.attempts.any}
          />
        ),
      )}
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
        <Button id="clear-filters" onClick={clear}>
          {texts.attempts.clear}
        </Button>
      )}
    </search>
  );
}

/** How long after the last key the list is read. */
const pause = 300;

function TextFilter({ name, label, type, hint }: Filter) {
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
  return (
    <InputField
      id={`filter-${name}`}
      {...{ label, hint }}
      type={type ?? 'search'}
      value={text}
      set={setText}
    />
  );
}
