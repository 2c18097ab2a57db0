import { useState } from 'react';
import { Button, Card } from '../../parts/screen.tsx';
import { contains, equal, looksLikeId } from '../filter.ts';
import { Entries } from '../parts/entries.tsx';
import { InputField } from '../parts/field.tsx';
import { useList } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { Identity } from '../types.ts';

/** Finds somebody by part of their name, or by id. */
export function PersonPicker({ choose }: { choose: (id: string) => void }) {
  const [text, setText] = useState('');
  const q = text.trim();
  const parts = (['name', 'externalId', 'email'] as const).map((field) => contains(field, q));
  const matches = [...parts, looksLikeId(q) ? equal('id', q) : null];
  const filter = matches.filter((match) => match !== null).join(' or ');
  const query = useList<Identity>(['pick', filter], 'identities', {
    filter,
    sort: 'name asc',
    limit: 10,
    isKept: true,
  });
  return (
    <Card id="picker" title={texts.whatIf.choose}>
      <InputField id="pick" label={texts.whatIf.who} type="search" value={text} set={setText} />
      <Entries
        query={query}
        empty={[texts.people.nobody]}
        entry={({ id, name, authPolicy }) => (
          <>
            <Button kind="link" onClick={() => choose(id)}>
              {name}
            </Button>
            <span className="hint">{authPolicy.name}</span>
          </>
        )}
      />
    </Card>
  );
}
