import { useState } from 'react';
import { clientScopes } from '../../../../src/model/entities/oidc-client.ts';
import { Card } from '../../../parts/screen.tsx';
import type { Values } from '../../forms/entity-fields.ts';
import { useForm } from '../../forms/fields.tsx';
import { InputField, SelectField } from '../../parts/field.tsx';
import type { OidcClient } from '../../types.ts';
import { addressAt, hasAddress, redirectUrisOf, templates } from './templates.ts';
import { words } from './words.ts';

/** Fills in the form for a well-known application at the address that the person types. */
export function TemplateFields({
  template,
  setTemplate,
  choiceOf,
}: {
  /** By its key in `templates`; empty: none. */
  template: string;
  setTemplate: (template: string) => void;
  choiceOf: (type: OidcClient['type']) => Values;
}) {
  const form = useForm<Pick<OidcClient, 'name'>>();
  const [typed, setTyped] = useState('');
  const chosen = templates[template];
  const fill = (values: Values, uris: readonly string[]) =>
    form.set({ ...values, redirectUris: uris }, { redirectUris: uris.join('\n') });
  const place = (of: NonNullable<typeof chosen>, text: string) => {
    const address = hasAddress(of) ? addressAt(of, text) : null;
    return { uris: redirectUrisOf(of, address), clientUri: address };
  };
  const choose = (key: string) => {
    setTemplate(key);
    const next = templates[key];
    const { uris, clientUri } = next === undefined ? { uris: [], clientUri: null } : place(next, typed);
    // A name that the person has typed stays.
    const isOwnName = form.draft.name !== (chosen?.name ?? '');
    const changes = {
      ...(!isOwnName && { name: next?.name ?? '' }),
      ...choiceOf(next?.type ?? 'public'),
      requirePkce: next?.usesPkce ?? true,
      scopes: next?.scopes ?? clientScopes,
      clientUri,
    };
    fill(changes, uris);
  };
  const write = (text: string) => {
    setTyped(text);
    if (chosen === undefined) return;
    const { uris, clientUri } = place(chosen, text);
    fill({ clientUri }, uris);
  };
  const isWrong = chosen !== undefined && typed !== '' && addressAt(chosen, typed) === null;
  return (
    <Card id="template-title" title={words.templates}>
      <SelectField
        id="template"
        label={words.template}
        hint={words.templateHint}
        first={words.otherTemplate}
        choices={Object.fromEntries(Object.entries(templates).map(([key, { name }]) => [key, name]))}
        value={template}
        set={choose}
        isDisabled={form.isReadOnly}
      />
      {chosen !== undefined && hasAddress(chosen) && (
        <InputField
          id="template-address"
          label={words.address}
          hint={words.addressHint}
          problem={isWrong ? words.addressProblem : null}
          required
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          set={write}
        />
      )}
    </Card>
  );
}
