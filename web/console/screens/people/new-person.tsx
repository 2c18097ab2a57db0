// Adds somebody and, in the same step, makes what lets them in.

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Card, Screen } from '../../../parts/screen.tsx';
import { EntityForm } from '../../forms/entity-form.tsx';
import { useIsAdmin } from '../../me.ts';
import { Failure } from '../../parts/failure.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { make } from '../../session/api.ts';
import { timeText } from '../../texts/texts.ts';
import type { Enrollment } from '../../types.ts';
import { enroll, enrollmentOf, type Invited, invitationOf } from './first-access.ts';
import { fileName, HandOver } from './hand-over.tsx';
import { createCommand, newPerson, type PersonDraft } from './person-draft.ts';
import { PersonFields } from './person-fields.tsx';
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

const defaultPolicy = { id: newPerson.authPolicyId, name: 'Default' };
const hours = '24';

export function NewPersonScreen() {
  const isAdmin = useIsAdmin();
  const [way, setWay] = useState<Way>('invitation');
  const [added, setAdded] = useState<Added | null>(null);
  if (added !== null) return <AddedScreen {...added} another={() => setAdded(null)} />;
  return (
    <Screen title={words.create}>
      <EntityForm<PersonDraft>
        read={{ document: newPerson, version: null }}
        path="identities"
        isNew
        mayChange={isAdmin}
        labels={words.labels}
        nullable={['externalId']}
        command={(_changes, draft) => createCommand(draft)}
        saved={async (id, { name }) => setAdded(await giveAccess(id ?? '', name, way))}
      >
        {(form) => (
          <PersonFields form={form} policy={defaultPolicy}>
            <Card id="how" title={words.how}>
              <fieldset disabled={!isAdmin}>
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
        )}
      </EntityForm>
    </Screen>
  );
}

async function giveAccess(id: string, name: string, way: Way): Promise<Added> {
  const added = { id, name, way, invited: null, enrollment: null, failure: null };
  try {
    if (way === 'invitation')
      return { ...added, invited: await make<Invited>(invitationOf(id, hours, false)) };
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
          <HandOver
            says={words.linkText(timeText(invited.expiresAt))}
            text={invited.url}
            file={{ name: fileName(name, 'txt'), type: 'text/plain' }}
          />
          <SameChange command={['invite', id]} change={invitationOf(id, hours, false)} />
        </Card>
      )}
      {enrollment?.jwt !== undefined && (
        <Card id="device" title={words.how}>
          <HandOver
            says={words.fileText(timeText(enrollment.expiresAt))}
            text={enrollment.jwt}
            file={{ name: fileName(name, 'jwt'), type: 'application/jwt' }}
          />
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
