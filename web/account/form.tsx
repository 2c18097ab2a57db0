// Forms that show their failures above the fields, and focus the faulty field.

import { Refusal } from '@overlay-auth/client';
import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type InputHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useAction } from '../parts/action.ts';
import { Button } from '../parts/screen.tsx';
import { Failure, failureText } from './failure.tsx';
import { texts } from './texts.ts';

/** A mistake that the person can correct: the name of the field, and what to say. */
export class Fault extends Error {
  readonly field: string;
  readonly content: ReactNode;

  constructor(field: string, content: ReactNode) {
    super(field);
    this.field = field;
    this.content = content;
  }
}

/** The name of the faulty field, and the id of the message about it. */
const CurrentFault = createContext<{ readonly field: string; readonly describedBy: string } | null>(null);

interface FormProps {
  readonly id: string;
  readonly submit: string;
  readonly kind?: 'main' | 'danger' | 'plain';
  /** Never runs twice at once. @throws Fault for a mistake in a field */
  readonly action: (values: FormData, form: HTMLFormElement) => Promise<unknown>;
  /** Next to the submit button. */
  readonly others?: ReactNode;
  readonly children: ReactNode;
}

export function Form({ id, submit, kind = 'main', action, others, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, error, isPending } = useAction({
    mutationFn: (made: HTMLFormElement) => action(new FormData(made), made),
  });
  const fault = error instanceof Fault ? error : null;
  useEffect(() => {
    const input = fault === null ? null : form.current?.elements.namedItem(fault.field);
    if (input instanceof HTMLInputElement) input.focus();
  }, [fault]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(event.currentTarget);
  };
  const describedBy = `${id}-failure`;
  return (
    <form id={id} ref={form} onSubmit={send}>
      {error !== null && (
        <div id={describedBy} className="failure" role="alert">
          {fault === null ? failureText(error) : fault.content}
        </div>
      )}
      <CurrentFault.Provider value={fault === null ? null : { field: fault.field, describedBy }}>
        {children}
      </CurrentFault.Provider>
      <p className="buttons">
        <Button id={`${id}-submit`} type="submit" kind={kind} isBusy={isPending}>
          {submit}
        </Button>
        {others}
      </p>
    </form>
  );
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly id: string;
  readonly label: string;
}

/** A labelled input, with `children` below it. Its name defaults to its id. */
export function Field({ label, id, name = id, children, ...rest }: FieldProps) {
  const fault = useContext(CurrentFault);
  const isFaulty = fault?.field === name;
  const describedBy = isFaulty ? fault.describedBy : rest['aria-describedby'];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        required
        {...rest}
        id={id}
        name={name}
        aria-invalid={isFaulty || undefined}
        aria-describedby={describedBy}
      />
      {children}
    </div>
  );
}

/** With a button that shows the password, and a hint at Caps Lock, as on the login pages (web/pages.js). */
export function PasswordField(field: FieldProps & { readonly autoComplete: string }) {
  const [isShown, setShown] = useState(false);
  const [isCapsLock, setCapsLock] = useState(false);
  useEffect(() => {
    const form = document.querySelector<HTMLInputElement>(`#${field.id}`)?.form;
    const hide = () => setShown(false);
    form?.addEventListener('submit', hide);
    return () => form?.removeEventListener('submit', hide);
  }, [field.id]);
  const look = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'));
  return (
    <Field
      {...field}
      type={isShown ? 'text' : 'password'}
      onKeyDown={look}
      onKeyUp={look}
      onBlur={() => setCapsLock(false)}
    >
      <span className="hint" role="status">
        {isCapsLock && texts.capsLock}
      </span>
      <Button kind="link" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {texts.showPassword}
      </Button>
    </Field>
  );
}

/** A code of the app, or a recovery code. `codeIn` reads it. */
export function CodeField({ id, label }: { id: string; label: string }) {
  return (
    <Field
      id={id}
      name="code"
      label={label}
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
    />
  );
}

/** @param values of a form with a `CodeField` */
export function codeIn(values: FormData): string {
  return String(values.get('code') ?? '').trim();
}

export const proofId = 'proof-password';

/** For changes that need a fresh proof: appears, and gets the focus, above the button that was pressed. */
export function ProofField() {
  useEffect(() => document.getElementById(proofId)?.focus(), []);
  return <PasswordField id={proofId} label={texts.currentPassword} autoComplete="current-password" />;
}

/** The mistake in a code or a proof, for a refusal that says so; other errors unchanged. */
export function factorFault(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  if (error.field === 'currentPassword') return new Fault(proofId, texts.wrongPassword);
  return error.code === 'INVALID_TOTP_CODE' ? new Fault('code', texts.wrongCode) : error;
}

interface ActionButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick' | 'isBusy'> {
  readonly label: string;
  readonly action: () => Promise<unknown>;
}

/** A button that acts at once, with its failure next to it. */
export function ActionButton({ label, action, ...button }: ActionButtonProps) {
  const { mutate, error, isPending } = useAction({ mutationFn: action });
  return (
    <div className="action">
      <Button {...button} isBusy={isPending} onClick={() => mutate()}>
        {label}
      </Button>
      {error !== null && <Failure error={error} />}
    </div>
  );
}
