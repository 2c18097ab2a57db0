// Simulates a sign-in for a person and a method: by their policy, another policy, or a draft edited here.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authPolicyEntity } from '../../../src/model/entities/auth-policy.ts';
import { Button, Card, Empty, Screen } from '../../parts/screen.tsx';
import { anyOf, contains, idIs } from '../filter.ts';
import { rereadEntity, useEntity } from '../forms/entity.ts';
import { draftOf } from '../forms/entity-fields.ts';
import { EntityForm } from '../forms/entity-form.tsx';
import { draftRead } from '../forms/entity-screen.tsx';
import { useForm } from '../forms/fields.tsx';
import { useListAddress } from '../lists/data-list.tsx';
import { useIsAdmin } from '../me.ts';
import { Entries } from '../parts/entries.tsx';
import { InputField, SelectField } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { SameChange } from '../parts/same-change.tsx';
import { useList, useRead } from '../queries.ts';
import { type Change, make } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy, Identity, IdentityDetail, LoginExplanation, Method } from '../types.ts';
import { Verdict } from './person-verdict.tsx';
import { type PolicyDraft, PolicyRules, PolicySentences } from './policy-form.tsx';
import { Impact, saveQuestion } from './policy-impact.tsx';

const { whatIf: words } = texts;

export function WhatIfScreen() {
  const [{ person, edit }, change] = useListAddress();
  const choose = (id: string | undefined) => change({ person: id });
  return (
    <Screen title={texts.screens['what-if']} lead={words.text}>
      {person === undefined ? (
        <PersonPicker choose={choose} />
      ) : (
        <ForPerson key={person} id={person} choose={choose} />
      )}
      {/* Stays while another person is chosen: rules are tried with several. */}
      {edit !== undefined && <EditedPolicy key={edit} id={edit} />}
    </Screen>
  );
}

function ForPerson({ id, choose }: { id: string; choose: (id: string | undefined) => void }) {
  const person = useRead<IdentityDetail>(`identities/${encodeURIComponent(id)}`);
  const policies = useList<AuthPolicy>('auth-policies', { limit: 500, sort: 'name asc' });
  return (
    <>
      <Loaded query={person}>
        {(found) => (
          <>
            <p className="note">
              {texts.attempts.person}: <strong>{found.name}</strong>{' '}
              <Button kind="link" id="other-person" onClick={() => choose(undefined)}>
                {words.otherPerson}
              </Button>
            </p>
            <Loaded query={policies}>{({ items }) => <Question person={found} policies={items} />}</Loaded>
          </>
        )}
      </Loaded>
      {person.isLoadingError && <PersonPicker choose={choose} />}
    </>
  );
}

function Question({ person, policies }: { person: IdentityDetail; policies: readonly AuthPolicy[] }) {
  const [{ policy, edit }, change] = useListAddress();
  const method = useMethod();
  const chosen = policies.find(({ id }) => id === (edit ?? policy ?? person.authPolicyId));
  const isEdited = edit !== undefined;
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
          set={(value) =>
            change({
              policy: value === person.authPolicyId ? undefined : value,
              edit: isEdited ? value : undefined,
            })
          }
          choices={Object.fromEntries(
            policies.map(({ id, name }) => [id, id === person.authPolicyId ? words.theirs(name) : name]),
          )}
        />
        <label className="check">
          <input
            id="edit"
            type="checkbox"
            checked={isEdited}
            disabled={chosen === undefined}
            onChange={() => change({ edit: isEdited ? undefined : chosen?.id })}
          />
          {words.edit}
        </label>
      </div>
      {!isEdited && (
        <Outcome
          person={person.id}
          policy={chosen === undefined ? null : draftOf<PolicyDraft>(authPolicyEntity, chosen)}
        />
      )}
    </>
  );
}

/** The form of a policy, which shows before it is saved how people would sign in. */
function EditedPolicy({ id }: { id: string }) {
  const path = `${authPolicyEntity.collection}/${encodeURIComponent(id)}`;
  const query = useEntity<AuthPolicy>(path);
  const isAdmin = useIsAdmin();
  return (
    <Loaded query={query}>
      {(found) => (
        <EntityForm<PolicyDraft>
          {...{ entity: authPolicyEntity, id }}
          read={draftRead(authPolicyEntity, found)}
          reread={async () => draftRead(authPolicyEntity, await rereadEntity<AuthPolicy>(path))}
          mayChange={isAdmin}
          isTrial
          ask={(_changes, draft) => saveQuestion(id, draft)}
        >
          <Trial id={id} />
        </EntityForm>
      )}
    </Loaded>
  );
}

function Trial({ id }: { id: string }) {
  const { draft } = useForm<PolicyDraft>();
  const [{ person }] = useListAddress();
  return (
    <>
      <Card id="edited" title={words.edited}>
        <p className="hint">{words.editedText}</p>
        <PolicyRules />
        <PolicySentences draft={draft} />
        <Impact draft={draft} id={id} />
      </Card>
      {person !== undefined && <Outcome person={person} policy={draft} />}
    </>
  );
}

const methods: readonly Method[] = ['password', 'passkey', 'cert', 'ext-jwt'];

/** The method in the address. */
function useMethod(): Method | undefined {
  const [{ method }] = useListAddress();
  return methods.find((one) => one === method);
}

function Outcome({ person, policy }: { person: string; policy: PolicyDraft | null }) {
  const method = useMethod();
  const change: Change = {
    method: 'POST',
    path: `identities/${encodeURIComponent(person)}/login-explanation`,
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
        command={['explain', 'policy', person, ...(method === undefined ? [] : ['--method', method])]}
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
  const query = useList<Identity>('identities', { filter, sort: 'name asc', limit: 10, isKept: true });
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
