// Adds a person and, in the same step, creates their first access.

import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { identityEntity as entity } from '../../../../src/model/entities/identity.ts';
import { useIsHere } from '../../../parts/action.ts';
import { Button, Card, Screen } from '../../../parts/screen.tsx';
import { newDraft } from '../../forms/entity-fields.ts';
import { EntityForm } from '../../forms/entity-form.tsx';
import { Failure } from '../../parts/failure.tsx';
import { OnlyAdministrators } from '../../parts/only-administrators.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { make } from '../../session/api.ts';
import { texts } from '../../texts/texts.ts';
import type { Enrollment } from '../../types.ts';
import { enroll, enrollmentOf, type Invited, invitationOf } from './first-access.ts';
import { DeviceToken, fileName, InvitationLink } from './hand-over.tsx';
import { type PersonDraft, PersonFields } from './person-fields.tsx';
import { words } from './words.ts';

type Way = keyof typeof words.ways;

interface Added {
  readonly id: string;
  readonly name: string;
  readonly way: Way;
  readonly invited: Invited | null;
  readonly enrollment: Enrollment | null;
  /** Why there is nothing to give to them. The person exists anyway. */
  readonly failure: unknown;
}

const newPerson = newDraft<PersonDraft>(entity, { type: 'User' });
const hours = '24';

export function NewPersonScreen() {
  const [way, setWay] = useState<Way>('invitation');
  const [added, setAdded] = useState<Added | null>(null);
  const navigate = useNavigate();
  const isHere = useIsHere();
  // From the record of a refused login.
  const { name = '', externalId = null, email = null } = useSearch({ strict: false }) as Partial<PersonDraft>;
  const initial = { ...newPerson, name, externalId, email };
  if (added !== null) {
    const another = async () => {
      await navigate({ to: '/people/new', search: {} });
      setAdded(null);
    };
    return <AddedScreen {...added} another={another} />;
  }
  return (
    <Screen title={texts.people.create}>
      <OnlyAdministrators>
        <EntityForm<PersonDraft>
          entity={entity}
          id={null}
          read={{ document: initial, version: null }}
          mayChange
          // What only this screen would show is not made for a person who has left it.
          saved={async (id, { name }) => isHere() && setAdded(await giveAccess(id ?? '', name, way))}
        >
          <PersonFields policy={null}>
            <Card id="how" title={words.how}>
              <fieldset>
                <legend className="hidden-text">{words.how}</legend>
                {Object.entries(words.ways).map(([value, label]) => (
                  <label className="check" key={value}>
                    <input
                      type="radio"
                      name="way"
                      value={value}
                      checked={way === value}
                      onChange={() => setWay(value as Way)}
                    />
                    {label}
                  </label>
                ))}
              </fieldset>
            </Card>
          </PersonFields>
        </EntityForm>
      </OnlyAdministrators>
    </Screen>
  );
}

async function giveAccess(id: string, name: string, way: Way): Promise<Added> {
  const added = { id, name, way, invited: null, enrollment: null, failure: null };
  try {
    if (way === 'invitation') return { ...added, invited: await make<Invited>(invitationOf(id, hours)) };
    return way === 'device' ? { ...added, enrollment: await enroll(id, { method: 'ott' }) } : added;
  } catch (failure) {
    return { ...added, failure };
  }
}

function AddedScreen({ id, name, invited, enrollment, failure, another }: Added & { another: () => void }) {
  return (
    <Screen title={words.createdTitle(name)}>
      {invited !== null && (
        <Card id="link" title={words.how}>
          <InvitationLink name={name} invited={invited} />
          <SameChange command={['invite', id]} change={invitationOf(id, hours)} />
        </Card>
      )}
      {enrollment?.jwt !== undefined && (
        <Card id="device" title={words.how}>
          <DeviceToken name={name} enrollment={enrollment} />
          <SameChange
            command={['create', 'enrollment', 'ott', id, '--output-jwt', fileName(name, 'jwt')]}
            change={enrollmentOf(id, { method: 'ott' })}
          />
        </Card>
      )}
      {failure !== null && <Failure error={failure} />}
      <p className="buttons">
        <Link to="/people/$id" params={{ id }} className="button main" id="open-person">
          {words.open}
        </Link>
        <Button id="another" onClick={another}>
          {words.another}
        </Button>
      </p>
    </Screen>
  );
}
