// Simulates a sign-in for a person and a method: by their policy, another policy, or a draft edited here.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authPolicyEntity } from '../../../src/model/entities/auth-policy.ts';
import { Button, Card, Empty, Screen } from '../../parts/screen.tsx';
import { anyOf, contains, idIs } from '../filter.ts';
import { draftOf } from '../forms/entity-fields.ts';
import { CurrentForm } from '../forms/fields.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { Entries } from '../parts/entries.tsx';
import { InputField, SelectField } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { useList, useRead } from '../queries.ts';
import { type Change, make } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy, Identity, IdentityDetail, LoginExplanation, Method } from '../types.ts';
import { Verdict } from './person-verdict.tsx';
import { type PolicyDraft, PolicyRules, PolicySentences, unsavedForm } from './policy-form.tsx';
import { Impact } from './policy-impact.tsx';

const { whatIf: words } = texts;

export function WhatIfScreen() {
  const [{ person }, change] = useListAddress();
  return (
    <Screen title={texts.screens['what-if']} lead={words.text}>
      {person === undefined ? (
        <PersonPicker choose={(id) => change({ person: id })} />
      ) : (
        <ForPerson key={person} id={person} change={() => change({ person: undefined })} />
      )}
    </Screen>
  );
}

function ForPerson({ id, change }: { id: string; change: () => void }) {
  const person = useRead<IdentityDetail>(['person', id], `identities/${encodeURIComponent(id)}`);
  const policies = useList<AuthPolicy>(['policies', 'all'], 'auth-policies', {
    limit: 500,
    sort: 'name asc',
  });
  return (
    <Loaded query={person}>
      {(found) => (
        <>
          <p className="note">
            {texts.attempts.person}: <strong>{found.name}</strong>{' '}
            <Button kind="link" id="other-person" onClick={change}>
              {words.otherPerson}
            </Button>
          </p>
          <Loaded query={policies}>{({ items }) => <Question person={found} policies={items} />}</Loaded>
        </>
      )}
    </Loaded>
  );
}

function Question({ person, policies }: { person: IdentityDetail; policies: readonly AuthPolicy[] }) {
  const [address, change] = useListAddress();
  const chosen = policies.find(({ id }) => id === (address.policy ?? person.authPolicyId));
  const [draft, setDraft] = useState<PolicyDraft | null>(null);
  const method = methods.find((one) => one === address.method);
  return (
    <>
      <div className="filters">
        <SelectField
          id="method"
          label={words.method}
          value={method ?? ''}
          set={(value) => change({ method: value || undefined })}
          choices={Object.fromEntries(methods.map((one) => [one, texts.attempts.steps[one]]))}
          first={texts.attempts.any}
        />
        <SelectField
          id="policy"
          label={texts.people.policy}
          value={chosen?.id ?? ''}
          set={(value) => {
            setDraft(null);
            change({ policy: value === person.authPolicyId ? undefined : value });
          }}
          choices={Object.fromEntries(
            policies.map(({ id, name }) => [id, id === person.authPolicyId ? words.theirs(name) : name]),
          )}
        />
        <label className="check">
          <input
            id="edit"
            type="checkbox"
            checked={draft !== null}
            disabled={chosen === undefined}
            onChange={() =>
              setDraft(
                draft === null && chosen !== undefined
                  ? draftOf<PolicyDraft>(authPolicyEntity, chosen)
                  : null,
              )
            }
          />
          {words.edit}
        </label>
      </div>
      {draft !== null && (
        <Card id="edited" title={words.edited}>
          <p className="hint">{words.editedText}</p>
          <CurrentForm value={unsavedForm(draft, setDraft)}>
            <PolicyRules />
          </CurrentForm>
          <PolicySentences draft={draft} />
          <Impact draft={draft} id={chosen?.id ?? null} />
        </Card>
      )}
      <Outcome
        person={person}
        method={method}
        policy={draft ?? (chosen === undefined ? null : draftOf<PolicyDraft>(authPolicyEntity, chosen))}
      />
    </>
  );
}

const methods: readonly Method[] = ['password', 'passkey', 'cert', 'ext-jwt'];

function Outcome({
  person,
  method,
  policy,
}: {
  person: IdentityDetail;
  method: Method | undefined;
  policy: PolicyDraft | null;
}) {
  const change: Change = {
    method: 'POST',
    path: `identities/${person.id}/login-explanation`,
    body: { ...(method !== undefined && { method }), ...(policy !== null && { policy }) },
  };
  const query = useQuery({
    queryKey: ['what if', change],
    queryFn: () => make<readonly LoginExplanation[]>(change),
    placeholderData: (before) => before,
  });
  return (
    <Card id="outcome" title={words.outcome}>
      <Loaded query={query}>
        {(ways) => (ways.length === 0 ? <Empty title={texts.policy.noWay} /> : <Verdict ways={ways} />)}
      </Loaded>
      <SameChange
        command={['explain', 'policy', person.id, ...(method === undefined ? [] : ['--method', method])]}
        change={change}
      />
    </Card>
  );
}

/** Finds a person by part of their name, or by id. */
export function PersonPicker({ choose }: { choose: (id: string) => void }) {
  const [text, setText] = useState('');
  const q = text.trim();
  const fields = ['name', 'externalId', 'email'].map((field) => contains(field, q));
  const filter = q === '' ? '' : anyOf(...fields, idIs('id', q));
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
        empty={[texts.people.noPerson]}
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
