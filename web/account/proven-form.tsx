// Changes of authenticators, which need a fresh proof some time after the sign-in.

import { freshLoginAge } from '@overlay-auth/client';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { announce } from '../parts/announce.tsx';
import { ActionButton, Form, factorFault, ProofField, proofId } from './form.tsx';
import { signInAnew } from './session.ts';
import { texts } from './texts.ts';

/** Sent with the change; empty while none is asked for. */
export interface OfferedProof {
  readonly currentPassword?: string;
}

/** Asks for the current password, or for a new sign-in, once the server refuses the change without it. */
export function ProvenForm({
  hasPassword,
  action,
  children,
  ...form
}: Omit<ComponentProps<typeof Form>, 'action'> & {
  readonly hasPassword: boolean;
  readonly action: (values: FormData, proof: OfferedProof) => Promise<unknown>;
}) {
  const [needed, setNeeded] = useState<'nothing' | 'proof' | 'sign-in'>('nothing');
  const act = async (values: FormData) => {
    const currentPassword = values.get(proofId);
    try {
      await action(values, currentPassword === null ? {} : { currentPassword: String(currentPassword) });
    } catch (error) {
      if (freshLoginAge(error) === undefined) throw factorFault(error);
      // Asked for together with the rest, which was not used up.
      // Where the right password is not enough, the session lacks a factor that the account has by now.
      const isOffered = currentPassword !== null;
      setNeeded(isOffered ? 'sign-in' : 'proof');
      announce(hasPassword && !isOffered ? texts.proof : texts.proofBySignIn);
    }
  };
  if (needed === 'sign-in' || (needed === 'proof' && !hasPassword)) return <SignInAgain />;
  return (
    <Form {...form} action={act}>
      {children}
      {needed === 'proof' && (
        <>
          <p>{texts.proof}</p>
          <ProofField />
        </>
      )}
    </Form>
  );
}

/** Where no password proves enough, the person signs in again. */
function SignInAgain() {
  return (
    <>
      <p>{texts.proofBySignIn}</p>
      <ActionButton id="sign-in-again" label={texts.signInAgain} kind="main" action={signInAnew} />
    </>
  );
}

/** A part that the person opens first. @param isInCard whether a card is around it already */
export function Folded({
  id,
  label,
  isInCard = false,
  children,
}: {
  id: string;
  label: string;
  isInCard?: boolean;
  children: ReactNode;
}) {
  return (
    <details id={id} className={isInCard ? undefined : 'card'}>
      <summary>{label}</summary>
      {children}
    </details>
  );
}
