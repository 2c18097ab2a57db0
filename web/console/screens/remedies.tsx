// What can be done about a refusal, on the attempt itself, by those who may.

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

type Remedy = 'unlock' | 'enable' | 'invite' | 'reset-mfa' | 'policy' | 'authenticators';

/** What lets a person in again, by the reason of the refusal. */
const byReason: Readonly<Partial<Record<Reason, readonly Remedy[]>>> = {
  locked: ['unlock', 'invite'],
  'identity-disabled': ['enable'],
  'method-not-allowed': ['policy'],
  'signer-not-allowed': ['policy'],
  'signer-not-independent': ['policy'],
  'secondary-token-missing': ['policy'],
  'wrong-password': ['invite'],
  'password-change-required': ['invite'],
  'wrong-code': ['reset-mfa'],
  'replayed-code': ['reset-mfa'],
  'certificate-expired': ['authenticators', 'policy'],
  'invitation-expired': ['invite'],
  'invitation-unknown': ['invite'],
  'invitation-not-allowed': ['invite'],
  'already-enrolled': ['authenticators'],
  'certificate-revoked': ['authenticators'],
  'dpop-required': ['policy'],
  'passkey-not-independent': ['policy'],
  'passkey-unverified': ['policy'],
  'passkey-required': ['policy'],
  'passkey-model': ['authenticators', 'policy'],
  'passkey-site': ['authenticators', 'invite'],
  'passkey-cloned': ['authenticators'],
  'reset-not-allowed': ['invite'],
  'reset-unverified': ['invite'],
};

/** Where administrators set right what the server was told of another party. */
const placeOf: Readonly<Partial<Record<Reason, 'signers' | 'cas'>>> = {
  'signer-disabled': 'signers',
  'no-signer-for-issuer': 'signers',
  'ambiguous-signer': 'signers',
  'unknown-key': 'signers',
  'unusable-key': 'signers',
  'keys-unavailable': 'signers',
  'signer-certificate-expired': 'signers',
  'token-audience': 'signers',
  'token-lifetime': 'signers',
  'token-claim-missing': 'signers',
  'provider-unavailable': 'signers',
  'provider-refused': 'signers',
  'untrusted-chain': 'cas',
  'ca-not-verified': 'cas',
  'ca-auth-off': 'cas',
  'authority-expired': 'cas',
  'revocation-unknown': 'cas',
  'certificate-claim-missing': 'cas',
  'enrollment-other-ca': 'cas',
};

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
  const place = placeOf[reason];
  if (place !== undefined)
    return (
      me.isAdmin && (
        <div className="buttons">
          <Link className="button" to={`/${place}`}>
            {texts.screens[place]}
          </Link>
        </div>
      )
    );
  const remedies = byReason[reason];
  if (identityId === null || remedies === undefined) return null;
  return <ForPerson me={me} id={identityId} remedies={remedies} />;
}

function ForPerson({ me, id, remedies }: { me: Identity; id: string; remedies: readonly Remedy[] }) {
  const person = useRead<IdentityDetail>(['person', id], `identities/${encodeURIComponent(id)}`).data;
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
  };
  return <div className="buttons">{remedies.map((remedy) => buttons[remedy])}</div>;
}

/** Adds an address that was refused to the redirect URIs of its application. */
function AllowAddress({ clientId, address }: { clientId: string; address: string }) {
  const path = `oidc-clients/${encodeURIComponent(clientId)}`;
  const application = useRead<OidcClient>(['client', clientId], path).data;
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
