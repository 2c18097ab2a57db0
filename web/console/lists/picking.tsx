// Picked rows of a list: one by one, or everything that the filter finds except some.

import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/screen.tsx';
import { allOf } from '../filter.ts';
import type { Named } from '../forms/names.ts';
import { CheckField } from '../parts/field.tsx';
import { type Page, quoted } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Column } from './columns.tsx';

const { lists: words } = texts;

/** As the API takes it. */
export type Selection = { readonly ids: readonly string[] } | { readonly filter: string };

interface Picked {
  /** For which list it was picked. */
  readonly wish: string;
  /** Everything that the filter finds, except `ids`; otherwise only these. */
  readonly isAll: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Picking {
  readonly isAll: boolean;
  readonly selection: Selection;
  isPicked(id: string): boolean;
  /** @param total how many the filter finds */
  countOf(total: number): number;
  pick(ids: readonly string[], isOn: boolean): void;
  pickAll(): void;
  clear(): void;
}

/** @param filter of the list; empty: everything @param wish as the person gave it. With another one nothing is picked. */
export function usePicking(filter: string, wish: string): Picking {
  const none: Picked = { wish, isAll: false, ids: new Set() };
  const [kept, keep] = useState(none);
  const { isAll, ids } = kept.wish === wish ? kept : none;
  const except = [...ids].map((id) => `id != ${quoted(id)}`);
  return {
    isAll,
    selection: isAll ? { filter: allOf(filter === '' ? 'true' : filter, ...except) } : { ids: [...ids] },
    isPicked: (id) => isAll !== ids.has(id),
    countOf: (total) => (isAll ? Math.max(0, total - ids.size) : ids.size),
    pick(some, isOn) {
      const next = new Set(ids);
      for (const id of some) {
        if (isOn === isAll) next.delete(id);
        else next.add(id);
      }
      keep({ wish, isAll, ids: next });
    },
    pickAll: () => keep({ ...none, isAll: true }),
    clear: () => keep(none),
  };
}

/** The box of a row. */
export function pickColumn<Item extends Named>({ isPicked, pick }: Picking): Column<Item> {
  return {
    name: 'pick',
    title: words.pick,
    text: null,
    cell: ({ id, name }) => (
      <input
        type="checkbox"
        aria-label={words.pickOne(name)}
        checked={isPicked(id)}
        onChange={(event) => pick([id], event.target.checked)}
      />
    ),
  };
}

/** Above the rows: picks more at once, and says how many are picked. */
export function PickBar({
  picking,
  found,
  children,
}: {
  picking: Picking;
  found: Page<Named>;
  /** The actions for the picked rows. */
  children: ReactNode;
}) {
  const shown = found.items.map(({ id }) => id);
  const count = picking.countOf(found.total);
  const isMore = found.total > shown.length;
  return (
    <fieldset className="picking buttons">
      <legend className="hidden-text">{words.picking}</legend>
      <CheckField
        id="pick-page"
        label={isMore ? words.pickPage : words.pickAll(shown.length)}
        isOn={shown.every(picking.isPicked)}
        set={(isOn) => {
          if (isMore) picking.pick(shown, isOn);
          else if (isOn) picking.pickAll();
          else picking.clear();
        }}
      />
      {isMore && !picking.isAll && (
        <Button id="pick-all" onClick={picking.pickAll}>
          {found.isEstimate ? words.pickMore(found.total) : words.pickAll(found.total)}
        </Button>
      )}
      <span role="status" id="picked">
        {count > 0 && words.picked(count)}
      </span>
      {count > 0 && (
        <>
          {children}
          <Button id="pick-none" onClick={picking.clear}>
            {words.pickNone}
          </Button>
        </>
      )}
    </fieldset>
  );
}
