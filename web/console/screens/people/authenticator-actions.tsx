import { useState } from 'react';
import { Confirm } from '../../parts/confirm.tsx';
import { CheckField } from '../../parts/field.tsx';
import type { Authenticator } from '../../types.ts';
import { words } from './words.ts';

interface Props {
  readonly authenticator: Authenticator;
}

/** What an administrator may do with an authenticator. */
export function AuthenticatorActions({ authenticator }: Props) {
  const { id, method, identity } = authenticator;
  return (
    <div className="buttons">
      {method === 'cert' && <AskForReplacement authenticator={authenticator} />}
      <Confirm
        id={`remove-${id}`}
        label={words.remove}
        title={(method === 'cert' ? words.removeCertificate : words.removePassword)(identity.name)}
        ends={words.removeEnds}
        isDestructive
        change={() => ({ method: 'DELETE', path: `authenticators/${id}` })}
        command={['delete', 'authenticator', id]}
        done={words.removed}
      />
    </div>
  );
}

function AskForReplacement({ authenticator: { id } }: Props) {
  const [rollKeys, setRollKeys] = useState(false);
  return (
    <Confirm
      id={`replace-${id}`}
      label={words.replace}
      title={words.replaceTitle}
      ends={words.replaceEnds}
      fields={
        <CheckField id={`replace-${id}-roll`} label={words.rollKeys} isOn={rollKeys} set={setRollKeys} />
      }
      change={() => ({ method: 'POST', path: `authenticators/${id}/request-extend`, body: { rollKeys } })}
      command={null}
      done={words.replaceDone}
    />
  );
}
