import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { announce } from '../../../parts/announce.tsx';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/keep.tsx';
import { Card } from '../../../parts/screen.tsx';
import { refreshEntities } from '../../forms/entity.ts';
import { Failure } from '../../parts/failure.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { make } from '../../session/api.ts';
import { PemField } from './pem-field.tsx';
import { words } from './words.ts';

/**
 * Leads through the proof that whoever adds a CA holds its key: a certificate issued by it with the token as common
 * name.
 */
export function ProveKey({ id, token }: { readonly id: string; readonly token: string }) {
  const [certPem, setCertPem] = useState('');
  const path = `cas/${id}/verify`;
  const verifying = useMutation({
    mutationFn: () => make({ method: 'POST', path, body: { certPem } }),
    async onSuccess() {
      announce(words.isVerified);
      await refreshEntities();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!verifying.isPending) verifying.mutate();
  };
  const commands = commandsFor(token);
  return (
    <Card id="prove" title={words.prove}>
      <p>{words.proveText}</p>
      <form onSubmit={submit}>
        <ol className="steps">
          <li>
            <p>
              {words.step1} <code id="verification-token">{token}</code> <CopyButton text={token} />
            </p>
          </li>
          <li>
            <p>
              {words.step2} <CopyButton text={commands} />
            </p>
            <pre>{commands}</pre>
          </li>
          <li>
            <p>{words.step3}</p>
            <PemField
              id="proof"
              label={words.proof}
              value={certPem}
              set={(pem) => {
                setCertPem(pem);
                verifying.reset();
              }}
            />
          </li>
        </ol>
        {verifying.error !== null && <Failure error={verifying.error} />}
        <p className="buttons">
          <Button id="verify" type="submit" kind="main" isBusy={verifying.isPending}>
            {words.verify}
          </Button>
        </p>
      </form>
      <SameChange
        command={['ca', 'verify', id, '--cert', 'proof.crt']}
        change={{ method: 'POST', path, body: { certPem: '…' } }}
      />
    </Card>
  );
}

/** @param token hexadecimal, so a shell interprets nothing in it */
function commandsFor(token: string): string {
  return `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout proof.key -subj /CN=${token} -out proof.csr
openssl x509 -req -in proof.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 1 -out proof.crt`;
}
