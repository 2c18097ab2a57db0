import type { authPolicyEntity } from '../../../src/model/entities/auth-policy.ts';
import type { Draft } from '../forms/entity-fields.ts';
import { EntityField } from '../forms/fields.tsx';
import { useNames } from '../forms/names.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy } from '../types.ts';
import { policySentences } from '../words.ts';
import { words } from './policies-words.ts';

export type PolicyDraft = Draft<AuthPolicy, typeof authPolicyEntity>;

/** The edited rules in words. */
export function PolicySentences({ draft }: { draft: PolicyDraft }) {
  const names = useNames('ext-jwt-signer');
  return (
    <div className="note" id="sentences">
      {policySentences(draft, names).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

export function PolicyRules() {
  const { steps } = texts.attempts;
  return (
    <div className="columns">
      <Rules
        of="primary.updb"
        legend={steps.password}
        names={[
          ...['allowed', 'minPasswordLength', 'requireMixedCase', 'requireNumberChar', 'requireSpecialChar'],
          ...['maxAttempts', 'lockoutDurationMinutes', 'mustChangeAfter'],
        ]}
      />
      <div>
        <Rules of="primary.cert" legend={steps.cert} names={['allowed', 'allowExpiredCerts']} />
        <Rules of="primary.extJwt" legend={steps['ext-jwt']} names={['allowed', 'allowedSigners']} />
        <Rules
          of="primary.passkey"
          legend={steps.passkey}
          names={['allowed', 'userVerification', 'satisfiesSecondary']}
        />
        <Rules
          of="secondary"
          legend={words.second}
          names={['requireTotp', 'requirePasskey', 'requireExtJwt']}
        />
        <EntityField name="requireDpop" />
      </div>
    </div>
  );
}

function Rules({
  of,
  legend,
  names,
}: {
  /** The path of the group. */
  of: string;
  legend: string;
  names: readonly string[];
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {names.map((name) => (
        <EntityField key={name} name={`${of}.${name}`} />
      ))}
    </fieldset>
  );
}
