// Passkeys: which there are, adding, renaming and removing them.

import { type ClientSchemas, Refusal } from '@overlay-auth/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { announce } from '../parts/announce.tsx';
import { timeText } from '../parts/language.ts';
import { Card, Screen } from '../parts/screen.tsx';
import { deviceName, hasPasskeys, makePasskey, passkeyProblem, rememberPasskey } from '../passkey.js';
import { Fault, Field, Form } from './form.tsx';
import { Loaded } from './loaded.tsx';
import { Folded, type OfferedProof, ProvenForm } from './proven-form.tsx';
import { useAuthenticators, useIdentity, usePasskeys } from './reading.ts';
import { api } from './session.ts';
import { texts } from './texts.ts';

type Passkey = ClientSchemas['schemas']['Passkey'];

const path = '/current-identity/passkeys';

interface Changing {
  readonly hasPassword: boolean;
  /** Shows the present passkeys of the server. */
  readonly whenChanged: (said: string) => Promise<void>;
}

export function PasskeysPart() {
  // The used form disappears, so the focus moves to the heading.
  const [changes, setChanges] = useState(0);
  const queries = useQueryClient();
  const authenticators = useAuthenticators();
  const identity = useIdentity();
  const passkeys = usePasskeys();
  const changing: Changing = {
    hasPassword: authenticators.data?.some(({ method }) => method === 'updb') ?? false,
    async whenChanged(said) {
      await queries.invalidateQueries({ queryKey: ['passkeys'] });
      setChanges(changes + 1);
      announce(said);
    },
  };
  return (
    <Screen key={changes} title={texts.passkeys} lead={texts.passkeysText}>
      <Loaded query={passkeys}>
        {(found) => (
          <>
            {found.length === 0 && <p>{texts.noPasskeys}</p>}
            <ul className="cards">
              {found.map((passkey) => (
                <PasskeyCard key={passkey.id} passkey={passkey} {...changing} />
              ))}
            </ul>
            <Card id="add" title={texts.addPasskey}>
              <Loaded query={identity}>
                {({ mayAddPasskey }) => {
                  if (!mayAddPasskey) return <p>{texts.passkeysNotAllowed}</p>;
                  return hasPasskeys() ? <AddPasskey {...changing} /> : <p>{texts.passkeysNotHere}</p>;
                }}
              </Loaded>
            </Card>
          </>
        )}
      </Loaded>
    </Screen>
  );
}

function PasskeyCard({ passkey, hasPassword, whenChanged }: Changing & { readonly passkey: Passkey }) {
  const { id, name, createdAt, lastUsedAt, isBackedUp, clonedAt } = passkey;
  const [isLast, setIsLast] = useState(false);
  const params = { path: { id } };
  const rename = async (values: FormData) => {
    await api.PATCH(`${path}/{id}`, { params, body: { name: String(values.get('name')) } });
    await whenChanged(texts.passkeyRenamed);
  };
  const remove = async (_values: FormData, proof: OfferedProof) => {
    try {
      await api.DELETE(`${path}/{id}`, { params, body: { ...proof, ...(isLast && { evenIfLast: true }) } });
    } catch (error) {
      if (!(error instanceof Refusal) || error.field !== 'evenIfLast') throw error;
      setIsLast(true);
      announce(texts.lastPasskey);
      return;
    }
    await whenChanged(texts.passkeyRemoved);
  };
  return (
    <li className="card">
      <strong>
        <bdi>{name}</bdi>
      </strong>
      <p>{texts.passkeyLine(timeText(createdAt), lastUsedAt === null ? null : timeText(lastUsedAt))}</p>
      <p className="hint">{isBackedUp ? texts.passkeySynced : texts.passkeyOfDevice}</p>
      {clonedAt !== null && <p className="note">{texts.passkeyCloned(timeText(clonedAt))}</p>}
      <Folded id={`rename-${id}`} label={texts.rename} isInCard>
        <Form id={`rename-${id}-form`} submit={texts.rename} kind="plain" action={rename}>
          <Field
            id={`name-${id}`}
            name="name"
            label={texts.passkey.name}
            defaultValue={name}
            maxLength={100}
          />
        </Form>
      </Folded>
      <Folded id={`remove-${id}`} label={texts.removePasskey} isInCard>
        <p>{texts.removePasskeyText}</p>
        <ProvenForm
          id={`remove-${id}-form`}
          submit={isLast ? texts.removeLastPasskey : texts.removePasskey}
          kind="danger"
          hasPassword={hasPassword}
          action={remove}
        >
          {isLast && <p className="note">{texts.lastPasskey}</p>}
        </ProvenForm>
      </Folded>
    </li>
  );
}

function AddPasskey({ hasPassword, whenChanged }: Changing) {
  const { data: proposed } = useQuery({ queryKey: ['device-name'], queryFn: deviceName });
  const add = async (values: FormData, proof: OfferedProof) => {
    const { data } = await api.POST(`${path}/options`, { body: proof });
    const response = await makePasskey(data.data).catch((error) => {
      const problem = passkeyProblem(error);
      throw new Fault('name', texts.passkey.problems[problem === 'cancelled' ? 'cancelledNew' : problem]);
    });
    await api.POST(path, { body: { response, name: String(values.get('name')) } });
    rememberPasskey(false);
    await whenChanged(texts.passkeyAdded);
  };
  return (
    <ProvenForm id="add-passkey" submit={texts.addPasskey} hasPassword={hasPassword} action={add}>
      <Field
        key={proposed}
        id="passkey-name"
        name="name"
        label={texts.passkey.name}
        defaultValue={proposed}
        maxLength={100}
        autoComplete="off"
      />
    </ProvenForm>
  );
}
