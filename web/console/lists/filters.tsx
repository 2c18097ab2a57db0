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
  const [address, setAddress] = useListAddress();
  const [isOpen, setOpen] = useState(false);
  const [visits, setVisits] = useState(0);
  const valuesIn = (given: typeof address) => filters.map(({ name }) => given[name] ?? '').join('\n');
  const values = valuesIn(address);
  const asked = useRef(values);
  useEffect(() => {
    if (values === asked.current) return;
    // They come from a link, the back button or the button that clears: what was typed just before is forgotten.
    asked.current = values;
    setVisits((before) => before + 1);
  }, [values]);
  const change: typeof setAddress = (changes) => {
    asked.current = valuesIn({ ...address, ...changes });
    setAddress(changes);
  };
  const set = Object.entries(address).filter(
    ([name, value]) => name !== 'sort' && name !== 'page' && value !== undefined && value !== '',
  );
  const clear = () => setAddress(Object.fromEntries(Object.keys(address).map((name) => [name, undefined])));
  return (
    <search className={isOpen ? 'filters open' : 'filters'}>
      {filters.map((filter) =>
        filter.choices === undefined ? (
          <TextFilter
            key={`${filter.name} ${visits}`}
            {...filter}
            given={address[filter.name] ?? ''}
            set={(value) => change({ [filter.name]: value })}
          />
        ) : (
          <SelectField
            key={filter.name}
            id={`filter-${filter.name}`}
            label={filter.label}
            value={address[filter.name] ?? ''}
            set={(value) => change({ [filter.name]: value })}
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

function TextFilter({
  name,
  label,
  type,
  hint,
  given,
  set,
}: Filter & { readonly given: string; readonly set: (value: string) => void }) {
  const [text, setText] = useState(given);
  useEffect(() => {
    if (text === given) return;
    const timer = setTimeout(set, pause, text);
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
