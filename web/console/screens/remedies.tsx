// Remedies for a refusal, on the attempt itself, for administrators who may use them.

import { Link } from '@tanstack/react-router';
import { oidcClientEntity } from '../../../src/model/entities/oidc-client.ts';
import { updateCommand } from '../forms/command.ts';
import { mayHelp, useMe } from '../me.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useRead } from '../queries.ts';
import { texts } from '../texts/texts.ts';
import type { Identity, IdentityDetail, LoginAttempt, OidcClient, Reason } from '../types.ts';
import { InviteAction } from './invite-action.tsx';
import { Enable, ResetMfa, Unlock } from './person-actions.tsx';

const { remedies: words } = texts;

/** An action that lets a person sign in again. */
type Remedy = 'unlock' | 'enable' | 'invite' | 'reset-mfa' | 'policy' | 'authenticators' | 'edit';
/** A screen on which administrators correct settings that other people depend on. */
type Place = 'signers' | 'cas' | 'clients' | 'enrollments' | 'people' | 'nodes';

/** Nothing here helps: the client, the person, the provider or the operator of the host has to do it. */
const theirs: readonly (Remedy | Place)[] = [];

/** The actions, by the reason of the refusal. */
const byReason: Readonly<Record<Reason, readonly (Remedy | Place)[]>> = {
  locked: ['unlock', 'invite'],
  // It ends by itself.
  throttled: theirs,
  'identity-disabled': ['enable'],
  'method-not-allowed': ['policy'],
  // The attempt offers to add the person.
  'no-identity-for-claim': theirs,
  'newcomer-refused': ['signers'],
  'too-many-newcomers': theirs,
  'changed-meanwhile': theirs,
  'client-not-allowed': ['edit', 'clients'],
  'dpop-required': ['policy'],
  'unknown-user': ['people'],
  'wrong-password': ['invite'],
  'password-change-required': ['invite'],
  'no-certificate': theirs,
  'untrusted-chain': ['cas'],
  'ca-not-verified': ['cas'],
  'ca-auth-off': ['cas'],
  'broken-chain': theirs,
  'authority-expired': ['cas'],
  'certificate-algorithm': theirs,
  'certificate-key-usage': theirs,
  'certificate-is-authority': theirs,
  'certificate-expired': ['authenticators', 'policy'],
  'certificate-revoked': ['authenticators'],
  'revocation-unknown': ['cas'],
  'certificate-not-yet-valid': theirs,
  'certificate-usage': theirs,
  'unknown-thumbprint': ['people'],
  'certificate-claim-missing': ['cas'],
  'no-token': theirs,
  'malformed-token': theirs,
  'token-encrypted': theirs,
  'token-unsigned': theirs,
  'token-type': theirs,
  'token-without-issuer': theirs,
  'no-signer-for-issuer': ['signers'],
  'signer-disabled': ['signers'],
  'signer-not-allowed': ['policy'],
  'signer-not-independent': ['policy'],
  'ambiguous-signer': ['signers'],
  'token-algorithm': theirs,
  'token-without-key-id': theirs,
  'unknown-key': ['signers'],
  'unusable-key': ['signers'],
  'key-algorithm': theirs,
  'keys-unavailable': ['signers'],
  'signer-certificate-expired': ['signers'],
  // Keys are fetched again for it, so it is the signer that has those of another provider.
  'token-signature': ['signers'],
  'token-audience': ['signers'],
  'token-expired': theirs,
  'token-not-yet-valid': theirs,
  'token-without-expiry': theirs,
  'token-without-issue-time': ['signers'],
  'token-times': theirs,
  'token-lifetime': ['signers'],
  'token-claim-missing': ['signers'],
  'reset-not-allowed': ['invite'],
  'email-not-verified': ['signers'],
  'reset-unverified': ['invite', 'edit'],
  'provider-unavailable': ['signers'],
  'provider-refused': ['signers'],
  'token-nonce': theirs,
  'secondary-token-missing': ['policy'],
  'secondary-wrong-identity': ['edit'],
  'passkey-unreadable': theirs,
  'passkey-question': theirs,
  'passkey-used-before': theirs,
  'passkey-origin': theirs,
  'passkey-site': ['authenticators', 'invite'],
  'passkey-absent': theirs,
  'passkey-signature': ['authenticators'],
  'passkey-key': theirs,
  'passkey-model': ['authenticators', 'policy'],
  'passkey-unknown': theirs,
  'passkey-other-identity': theirs,
  'passkey-unverified': ['policy'],
  'passkey-cloned': ['authenticators'],
  'passkey-not-independent': ['policy'],
  'passkey-required': ['policy'],
  'passkey-not-added': ['authenticators'],
  'enrollment-token-unknown': ['enrollments'],
  'enrollment-other-method': ['enrollments'],
  'invitation-unknown': ['invite'],
  'invitation-expired': ['invite'],
  'invitation-not-allowed': ['invite'],
  'enrollment-expired': ['enrollments'],
  'enrollment-not-allowed': ['cas', 'signers'],
  'enrollment-other-ca': ['cas'],
  'enrollment-name-refused': ['cas', 'signers'],
  'enrollment-external-id-refused': ['cas', 'signers'],
  'enrollment-password-refused': theirs,
  'enrollment-request-refused': theirs,
  'already-enrolled': ['authenticators'],
  'totp-not-enrolled': theirs,
  'wrong-code': ['reset-mfa'],
  'replayed-code': ['reset-mfa'],
  // The attempt offers to allow the address.
  'redirect-uri-unknown': theirs,
  'unknown-client': ['clients'],
  'sign-in-expired': theirs,
  'setup-link-dead': theirs,
  'device-code-unknown': theirs,
  'not-permitted': theirs,
  conflict: theirs,
  'nothing-there': theirs,
  'request-refused': theirs,
  'server-unavailable': ['nodes'],
  'server-failed': theirs,
};

const isPlace = (one: Remedy | Place): one is Place => one in texts.screens;

/** Nothing for viewers who may do none of it. */
export function Remedies({ attempt }: { attempt: LoginAttempt }) {
  const me = useMe().data;
  const { reason, subject, identityId, checks } = attempt;
  if (me === undefined || reason === null) return null;
  if (reason === 'redirect-uri-unknown') {
    const address = checks.find(({ check }) => check === 'redirect_uri')?.saw ?? null;
    if (!me.isAdmin || subject === null || address === null) return null;
    return <AllowAddress clientId={subject} address={address} />;
  }
  const remedies = byReason[reason];
  const places = me.isAdmin ? remedies.filter(isPlace) : [];
  const forPerson = remedies.filter((one) => !isPlace(one));
  if (places.length === 0 && (identityId === null || forPerson.length === 0)) return null;
  return (
    <div className="buttons">
      {identityId !== null && forPerson.length > 0 && (
        <ForPerson me={me} id={identityId} remedies={forPerson} />
      )}
      {places.map((place) => (
        <Link key={place} className="button" to={`/${place}`}>
          {texts.screens[place]}
        </Link>
      ))}
    </div>
  );
}

function ForPerson({ me, id, remedies }: { me: Identity; id: string; remedies: readonly Remedy[] }) {
  const person = useRead<IdentityDetail>(`identities/${encodeURIComponent(id)}`).data;
  if (person === undefined || !mayHelp(me, person)) return null;
  const buttons: Readonly<Record<Remedy, React.ReactNode>> = {
    unlock: <Unlock key="unlock" person={person} />,
    enable: me.isAdmin && person.disabled && <Enable key="enable" person={person} />,
    invite: <InviteAction key="invite" person={person} />,
    'reset-mfa': <ResetMfa key="reset-mfa" person={person} />,
    policy: me.isAdmin && (
      <Link key="policy" className="button" to="/policies/$id" params={{ id: person.authPolicyId }}>
        {words.editPolicy(person.authPolicy.name)}
      </Link>
    ),
    authenticators: (
      <Link key="authenticators" className="button" to="/people/$id" params={{ id }} hash="authenticators">
        {words.theirCertificates}
      </Link>
    ),
    edit: me.isAdmin && (
      <Link key="edit" className="button" to="/people/$id/edit" params={{ id }}>
        {words.editPerson}
      </Link>
    ),
  };
  return remedies.map((remedy) => buttons[remedy]);
}

/** Adds an address that was refused to the redirect URIs of its application. */
function AllowAddress({ clientId, address }: { clientId: string; address: string }) {
  const path = `oidc-clients/${encodeURIComponent(clientId)}`;
  const application = useRead<OidcClient>(path).data;
  // The built-in clients have their addresses in the configuration.
  if (application === undefined) return null;
  const { name, redirectUris } = application;
  if (redirectUris.includes(address)) return <p className="answer good">{words.allowedNow(name)}</p>;
  const changes = { redirectUris: [...redirectUris, address] };
  const isOfKnownHost = redirectUris.some((known) => originOf(known) === originOf(address));
  return (
    <div className="buttons">
      <Confirm
        id="allow-address"
        label={words.allow}
        title={words.allowTitle(name)}
        ends={isOfKnownHost ? words.allowText(address) : words.allowOtherHost(address)}
        isDestructive={!isOfKnownHost}
        change={() => ({ method: 'PATCH', path, body: changes })}
        command={updateCommand(oidcClientEntity, clientId, changes)}
        done={words.allowedNow(name)}
      />
    </div>
  );
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}
