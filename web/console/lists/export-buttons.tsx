import { useState } from 'react';
import { csvOf } from '../../../src/platform/formats/csv-text.ts';
import { useAction } from '../../parts/action.ts';
import { announce } from '../../parts/announce.tsx';
import { Button } from '../../parts/screen.tsx';
import { download } from '../parts/export.ts';
import { Failure } from '../parts/failure.tsx';
import { list } from '../session/api.ts';
import { texts } from '../texts/texts.ts';

interface ExportProps<Item> {
  readonly path: string;
  /** A column without a text is not exported. */
  readonly columns: readonly { readonly title: string; readonly text: ((item: Item) => string) | null }[];
  readonly filter: string;
  readonly sort: string;
}

/** The most that the API returns at once. */
const chunk = 500;
/** More than a spreadsheet handles well. For all of it there is the API. */
const most = 10_000;

/** Exports everything that the filter finds, not only the page on the screen. */
export function ExportButtons<Item>({ path, columns, filter, sort }: ExportProps<Item>) {
  const { lists: words } = texts;
  const [said, say] = useState('');
  const exported = useAction({
    async mutationFn(as: 'csv' | 'json') {
      const { items, isCut } = await everything<Item>({ path, filter, sort }, (count, total) =>
        say(words.exporting(count, total)),
      );
      const name = `${path.replaceAll('/', '-')}.${as}`;
      if (as === 'json') download(name, 'application/json', JSON.stringify(items, null, 2));
      else {
        const exported = columns.flatMap(({ title, text }) => (text === null ? [] : [{ title, text }]));
        const titles = exported.map(({ title }) => title);
        const rows = items.map((item) => exported.map(({ text }) => text(item)));
        download(name, 'text/csv;charset=utf-8', csvOf([titles, ...rows]));
      }
      const result = isCut ? words.cut(items.length) : words.exported(items.length);
      say(result);
      announce(result);
    },
    onError: () => say(''),
  });
  return (
    <div className="buttons">
      <Button id="export-csv" isBusy={exported.isPending} onClick={() => exported.mutate('csv')}>
        {words.csv}
      </Button>
      <Button id="export-json" isBusy={exported.isPending} onClick={() => exported.mutate('json')}>
        {words.json}
      </Button>
      {said !== '' && (
        <span id="exported" className="hint">
          {said}
        </span>
      )}
      {exported.error !== null && <Failure error={exported.error} />}
    </div>
  );
}

/** @param show gets how many rows have been read, of how many */
async function everything<Item>(
  { path, filter, sort }: Omit<ExportProps<Item>, 'columns'>,
  show: (count: number, total: number) => void,
): Promise<{ readonly items: readonly Item[]; readonly isCut: boolean }> {
  const items: Item[] = [];
  for (;;) {
    const page = await list<Item>(path, { filter, sort, limit: chunk, offset: items.length });
    items.push(...page.items);
    show(items.length, Math.min(page.total, most));
    const isAll = page.items.length === 0 || items.length >= page.total;
    if (isAll || items.length >= most) return { items, isCut: !isAll };
  }
}
