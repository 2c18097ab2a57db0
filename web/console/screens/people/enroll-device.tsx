import { useState } from 'react';
import { useNames } from '../../forms/names.ts';
import { DialogButton } from '../../parts/dialog.tsx';
import { InputField, SelectField } from '../../parts/field.tsx';
import { MakeForm } from '../../parts/submit-form.tsx';
import { refresh } from '../../queries.ts';
import { fieldWords } from '../../texts/fields.ts';
import { texts } from '../../texts/texts.ts';
import type { Enrollment, OfPerson } from '../../types.ts';
import { type EnrollmentWish, enroll, enrollmentOf } from './first-access.ts';
import { DeviceToken, fileName } from './hand-over.tsx';
import { words } from './words.ts';

/** A token with which a device gets its certificate. */
export function EnrollDevice(props: OfPerson) {
  return (
    <DialogButton
      id="enroll"
      label={words.enroll}
      title={words.enrollTitle(props.person.name)}
      text={words.enrollText}
    >
      <EnrollForm {...props} />
    </DialogButton>
  );
}

type Method = Enrollment['method'];

function EnrollForm({ person: { id, name } }: OfPerson) {
  const [method, setMethod] = useState<Method>('ott');
  const [caId, setCaId] = useState('');
  const [username, setUsername] = useState(name);
  const authorities = useNames('ca');
  const wish: EnrollmentWish = {
    method,
    ...(method === 'ottca' && { caId }),
    ...(method === 'updb' && { username }),
  };
  const options = { ott: [], ottca: ['--ca', caId], updb: ['--username', username] }[method];
  return (
    <MakeForm
      id="enroll-confirm"
      label={words.make}
      action={() => enroll(id, wish)}
      done={refresh}
      result={(made) => <DeviceToken name={name} enrollment={made} />}
      command={['create', 'enrollment', method, id, ...options, '--output-jwt', fileName(name, 'jwt')]}
      change={enrollmentOf(id, wish)}
    >
      <SelectField
        id="enroll-method"
        label={texts.whatIf.method}
        value={method}
        set={(chosen) => setMethod(chosen as Method)}
        choices={words.methods}
      />
      {method === 'ottca' && (
        <SelectField
          id="enroll-ca"
          label={words.ca}
          isRequired
          value={caId}
          set={setCaId}
          choices={authorities}
          first={texts.none}
        />
      )}
      {method === 'updb' && (
        <InputField
          id="enroll-username"
          label={fieldWords('authenticator').labels.username ?? ''}
          required
          autoComplete="off"
          value={username}
          set={setUsername}
        />
      )}
    </MakeForm>
  );
}
