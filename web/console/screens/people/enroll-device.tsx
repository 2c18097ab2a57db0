import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { list } from '../../session/api.ts';
import { texts, timeText } from '../../texts/texts.ts';
import type { Authority, Enrollment, IdentityDetail } from '../../types.ts';
import { type EnrollmentWish, enroll, enrollmentOf } from './first-access.ts';
import { fileName, HandOver } from './hand-over.tsx';
import { words } from './words.ts';

interface Props {
  readonly person: IdentityDetail;
  readonly refresh: () => unknown;
}

/** A token with which a device gets what it signs in with. */
export function EnrollDevice(props: Props) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger id="enroll" className="button plain">
        {words.enroll}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <EnrollForm {...props} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

type Method = Enrollment['method'];

function EnrollForm({ person, refresh }: Props) {
  const [method, setMethod] = useState<Method>('ott');
  const [caId, setCaId] = useState('');
  const [username, setUsername] = useState(person.name);
  const wish: EnrollmentWish = {
    method,
    ...(method === 'ottca' && { caId }),
    ...(method === 'updb' && { username }),
  };
  const made = useMutation({ mutationFn: () => enroll(person.id, wish), onSuccess: () => refresh() });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!made.isPending) made.mutate();
  };
  const options = { ott: [], ottca: ['--ca', caId], updb: ['--username', username] }[method];
  const file = fileName(person.name, 'jwt');
  return (
    <form onSubmit={submit}>
      <AlertDialog.Title className="dialog-title">{words.enrollTitle(person.name)}</AlertDialog.Title>
      <AlertDialog.Description>{words.enrollText}</AlertDialog.Description>
      <div className="field">
        <label htmlFor="enroll-method">{words.method}</label>
        <select
          id="enroll-method"
          value={method}
          onChange={(event) => setMethod(event.target.value as Method)}
        >
          {Object.entries(words.methods).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {method === 'ottca' && <AuthorityField value={caId} set={setCaId} />}
      {method === 'updb' && (
        <div className="field">
          <label htmlFor="enroll-username">{words.username}</label>
          <input
            id="enroll-username"
            required
            autoComplete="off"
            value={username}
            onChange={(event) => setUsername(event.target.value)}
          />
        </div>
      )}
      {made.error !== null && <Failure error={made.error} />}
      {made.data?.jwt !== undefined && (
        <HandOver
          says={words.fileText(timeText(made.data.expiresAt))}
          text={made.data.jwt}
          file={{ name: file, type: 'application/jwt' }}
        />
      )}
      <p className="buttons">
        <Button id="enroll-confirm" type="submit" kind="main" isBusy={made.isPending}>
          {words.make}
        </Button>
        <AlertDialog.Close className="button plain">{texts.close}</AlertDialog.Close>
      </p>
      <SameChange
        command={['create', 'enrollment', method, person.id, ...options, '--output-jwt', file]}
        change={enrollmentOf(person.id, wish)}
      />
    </form>
  );
}

function AuthorityField({ value, set }: { readonly value: string; readonly set: (id: string) => void }) {
  const authorities = useQuery({
    queryKey: ['authorities', 'names'],
    queryFn: ({ signal }) => list<Authority>('cas', { limit: 500, sort: 'name asc' }, signal),
  });
  return (
    <div className="field">
      <label htmlFor="enroll-ca">{words.ca}</label>
      <select id="enroll-ca" required value={value} onChange={(event) => set(event.target.value)}>
        <option value="">{texts.none}</option>
        {(authorities.data?.items ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
