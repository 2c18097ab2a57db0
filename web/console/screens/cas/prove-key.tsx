import { useState } from 'react';
import { announce } from '../../../parts/announce.tsx';
import { CopyButton } from '../../../parts/keep.tsx';
import { Card } from '../../../parts/screen.tsx';
import { SameChange } from '../../parts/same-change.tsx';
import { SubmitForm } from '../../parts/submit-form.tsx';
import { refresh } from '../../queries.ts';
import { make } from '../../session/api.ts';
import { PemField } from './pem-field.tsx';
import { words } from './words.ts';

/**
 * Leads through the proof that the administrator who adds a CA holds its key: a certificate issued by it with the token
 * as common name.
 */
export function ProveKey({ id, token }: { id: string; token: string }) {
  const [certPem, setCertPem] = useState('');
  const path = `cas/${id}/verify`;
  const commands = commandsFor(token);
  return (
    <Card id="prove" title={words.prove}>
      <p>{words.proveText}</p>
      <SubmitForm
        id="verify"
        label={words.verify}
        action={() => make({ method: 'POST', path, body: { certPem } })}
        done={async () => {
          announce(words.isVerified);
          await refresh();
        }}
      >
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
            <PemField id="proof" label={words.proof} value={certPem} set={setCertPem} />
          </li>
        </ol>
      </SubmitForm>
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
