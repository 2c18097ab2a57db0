import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { list } from '../session/api.ts';
import { texts } from '../texts/texts.ts';
import type { AuthPolicy, PolicyDraft, Signer } from '../types.ts';
import { policySentences } from '../words.ts';

const { policies: words } = texts;

export function draftOf({ name, primary, secondary, tags }: AuthPolicy): PolicyDraft {
  const { requireTotp, requireExtJwt } = secondary;
  return { name, primary, secondary: { requireTotp, requireExtJwt }, tags };
}

function useSigners(): readonly Signer[] {
  const signers = useQuery({
    queryKey: ['signers', 'names'],
    queryFn: ({ signal }) => list<Signer>('external-jwt-signers', { limit: 500 }, signal),
  });
  return signers.data?.items ?? [];
}

/** Names of signers by id; empty until they are read. */
export function useSignerNames(): ReadonlyMap<string, string> {
  return new Map(useSigners().map(({ id, name }) => [id, name]));
}

/** The rules in words, as they are edited. */
export function PolicySentences({
  draft,
  id = 'sentences',
}: {
  readonly draft: PolicyDraft;
  readonly id?: string;
}) {
  const names = useSignerNames();
  return (
    <div className="note" id={id}>
      {policySentences(draft, names).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

interface FormProps {
  readonly draft: PolicyDraft;
  readonly change: (draft: PolicyDraft) => void;
}

export function PolicyForm(props: FormProps) {
  return (
    <div className="columns">
      <PasswordRules {...props} />
      <div>
        <CertificateRules {...props} />
        <TokenRules {...props} />
        <SecondFactors {...props} />
      </div>
    </div>
  );
}

function PasswordRules({ draft, change }: FormProps) {
  const { updb } = draft.primary;
  const set = (some: Partial<typeof updb>) =>
    change({ ...draft, primary: { ...draft.primary, updb: { ...updb, ...some } } });
  return (
    <fieldset>
      <legend>{texts.person.methods.password}</legend>
      <Check id="updb" isOn={updb.allowed} set={(allowed) => set({ allowed })}>
        {words.allowed}
      </Check>
      <Count
        id="min-length"
        label={words.minLength}
        range={[5, 256]}
        value={updb.minPasswordLength}
        set={(minPasswordLength) => set({ minPasswordLength })}
      />
      <Check id="mixed" isOn={updb.requireMixedCase} set={(requireMixedCase) => set({ requireMixedCase })}>
        {words.mixed}
      </Check>
      <Check
        id="number"
        isOn={updb.requireNumberChar}
        set={(requireNumberChar) => set({ requireNumberChar })}
      >
        {words.number}
      </Check>
      <Check
        id="special"
        isOn={updb.requireSpecialChar}
        set={(requireSpecialChar) => set({ requireSpecialChar })}
      >
        {words.special}
      </Check>
      <Count
        id="attempts"
        label={words.maxAttempts}
        range={[0, 1000]}
        value={updb.maxAttempts}
        set={(maxAttempts) => set({ maxAttempts })}
      />
      <Count
        id="lockout"
        label={words.lockout}
        range={[0, 527_040]}
        value={updb.lockoutDurationMinutes}
        set={(lockoutDurationMinutes) => set({ lockoutDurationMinutes })}
      />
    </fieldset>
  );
}

function CertificateRules({ draft, change }: FormProps) {
  const { cert } = draft.primary;
  const set = (some: Partial<typeof cert>) =>
    change({ ...draft, primary: { ...draft.primary, cert: { ...cert, ...some } } });
  return (
    <fieldset>
      <legend>{texts.person.methods.cert}</legend>
      <Check id="cert" isOn={cert.allowed} set={(allowed) => set({ allowed })}>
        {words.allowed}
      </Check>
      <Check
        id="expired"
        isOn={cert.allowExpiredCerts}
        set={(allowExpiredCerts) => set({ allowExpiredCerts })}
      >
        {words.allowExpired}
      </Check>
    </fieldset>
  );
}

function TokenRules({ draft, change }: FormProps) {
  const signers = useSigners();
  const { extJwt } = draft.primary;
  const { allowedSigners } = extJwt;
  const set = (some: Partial<typeof extJwt>) =>
    change({ ...draft, primary: { ...draft.primary, extJwt: { ...extJwt, ...some } } });
  return (
    <fieldset>
      <legend>{texts.person.methods['ext-jwt']}</legend>
      <Check id="ext-jwt" isOn={extJwt.allowed} set={(allowed) => set({ allowed })}>
        {words.allowed}
      </Check>
      {signers.length > 0 && <p className="hint">{words.signersHint}</p>}
      {signers.map(({ id, name }) => (
        <Check
          key={id}
          id={`signer-${id}`}
          isOn={allowedSigners.includes(id)}
          set={(isOn) =>
            set({
              allowedSigners: isOn ? [...allowedSigners, id] : allowedSigners.filter((one) => one !== id),
            })
          }
        >
          {name}
        </Check>
      ))}
    </fieldset>
  );
}

function SecondFactors({ draft, change }: FormProps) {
  const signers = useSigners();
  const { secondary } = draft;
  const set = (some: Partial<typeof secondary>) => change({ ...draft, secondary: { ...secondary, ...some } });
  return (
    <fieldset>
      <legend>{words.second}</legend>
      <Check id="totp" isOn={secondary.requireTotp} set={(requireTotp) => set({ requireTotp })}>
        {words.requireTotp}
      </Check>
      <div className="field">
        <label htmlFor="second-signer">{words.requireExtJwt}</label>
        <select
          id="second-signer"
          value={secondary.requireExtJwt ?? ''}
          onChange={(event) => set({ requireExtJwt: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">{texts.none}</option>
          {signers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </fieldset>
  );
}

function Check({
  id,
  isOn,
  set,
  children,
}: {
  readonly id: string;
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <label className="check">
      <input
        id={`rule-${id}`}
        type="checkbox"
        checked={isOn}
        onChange={(event) => set(event.target.checked)}
      />
      {children}
    </label>
  );
}

function Count({
  id,
  label,
  range: [least, most],
  value,
  set,
}: {
  readonly id: string;
  readonly label: string;
  readonly range: readonly [number, number];
  readonly value: number;
  readonly set: (value: number) => void;
}) {
  return (
    <div className="field">
      <label htmlFor={`rule-${id}`}>{label}</label>
      <input
        id={`rule-${id}`}
        type="number"
        required
        min={least}
        max={most}
        value={value}
        onChange={(event) => set(Number(event.target.value))}
      />
    </div>
  );
}
