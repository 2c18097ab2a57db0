import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Card, Empty } from '../../parts/screen.tsx';
import { contains, equal, looksLikeId } from '../filter.ts';
import { InputField } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { list } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { Identity } from '../types.ts';

/** Finds somebody by part of their name, or by id. */
export function PersonPicker({ choose }: { readonly choose: (id: string) => void }) {
  const [text, setText] = useState('');
  const q = text.trim();
  const matches = [contains('name', q), contains('externalId', q), looksLikeId(q) ? equal('id', q) : null];
  const filter = matches.filter((match) => match !== null).join(' or ');
  const query = useQuery({
    queryKey: ['pick', filter],
    queryFn: ({ signal }) => list<Identity>('identities', { filter, sort: 'name asc', limit: 10 }, signal),
    placeholderData: (before) => before,
  });
  return (
    <Card id="picker" title={texts.whatIf.choose}>
      <InputField id="pick" label={texts.whatIf.who} type="search" value={text} set={setText} />
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={texts.people.nobody} />
          ) : (
            <ul className="entries">
              {items.map(({ id, name, authPolicy }) => (
                <li key={id}>
                  <Button kind="link" onClick={() => choose(id)}>
                    {name}
                  </Button>
                  <span className="hint">{authPolicy.name}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
