import type { RefusalReason } from '../model/refusal-reason.ts';
import { type Explanation, said } from './explanation.ts';

/** Every reason in words: what happened, and below it what to do. */
export const english: Readonly<Record<RefusalReason, Explanation>> = {
  locked: said`This factor is locked for a while after too many failures in a row. Even the right answer is refused.
    Wait until the lock ends, or end it by unlocking the identity. Other methods still work.`,
  throttled: said`Too many attempts came from this network address, counting all identities.
    Wait a few minutes. If many people share the address, look for a program that keeps trying.`,
  'identity-disabled': said`The identity is disabled. Its credentials were right.
    Enable it if it should be used again.`,
  'method-not-allowed': said`The auth policy of the identity does not allow this way of logging in. The credentials were right.
    Allow the method in the policy, or give the identity another policy.`,
  'no-identity-for-claim': said`The certificate or token is valid, but no identity has the id that it names.
    Set the external id of the identity to the value that was seen, or correct the claim that is compared.`,
  'newcomer-refused': said`The token names an unknown person, for whom the signer wants an identity created, and that is not possible.
    The details say why. A claim that is nothing is not in the token: let the provider add it there, not only to its userinfo. Otherwise choose other claims in "createIdentities" of the signer, such as email as the name, or another auth policy there; or add the person yourself.`,
  'too-many-newcomers': said`The token names an unknown person, and tokens of this signer have created very many identities within a short time.
    If that is right, raise edge.externalJwtSigners.maxNewIdentities and reload the configuration, or wait an hour. If not, remove "createIdentities" from the signer and turn off its enrollment, look at the newest identities, and at who can sign up at the provider.`,
  'changed-meanwhile': said`The identity, its policy or its credentials changed during this login.
    Log in again.`,
  'client-not-allowed': said`The login succeeded, but the application is only for identities with certain role attributes, and this identity has none of them.
    Give the identity one of the role attributes of the application, or change "allowedRoleAttributes" of the application.`,
  'dpop-required': said`The credentials were right, but the application or the auth policy demands tokens that are bound to a key (DPoP, RFC 9449), and the client sent no proof of one. A session that was opened without a key cannot be continued either.
    Log in again with a client that supports DPoP, or turn off "requireDpop" of what the failed check names.`,
  'unknown-user': said`No identity has the user name that was entered. It is not stored, because it may be a password.
    Ask for the spelling. The list of authenticators shows the user names; they may differ from the names of identities. The same mark (#…) means the same text was typed.`,
  'wrong-password': said`The user name is known, the password was wrong.
    Try again, or give the person a new way in: an invitation, or a password that you set.`,
  'password-change-required': said`The password was right but has to be replaced first, and the program that sent it cannot do that.
    Let the person sign in with a browser, for example at /account, and choose a new password there. You can also withdraw the requirement from the identity.`,
  'no-certificate': said`The connection had no client certificate.
    Give the client its certificate and key. No proxy may terminate TLS in between, and the listener must ask for certificates (clientCertificates: request).`,
  'untrusted-chain': said`The certificate does not lead to a certificate authority that is trusted for logins. The failed check names the issuer that is missing.
    Add the authority as a third-party CA with authentication on and verified, or let the client send the intermediate certificates too.`,
  'ca-not-verified': said`The certificate leads to a CA that is registered here but not verified, so its certificates do not count yet.
    Have the CA, or an authority below it, issue a certificate whose common name is the verification token of the CA, and submit it.`,
  'ca-auth-off': said`The certificate leads to a CA that is registered here with authentication off, so its certificates are not for logins.
    Turn it on if certificates of this CA should log in.`,
  'broken-chain': said`A certificate of the path to a trusted authority breaks a rule. The failed check says which certificate and which rule.
    Have the certificate that is named issued anew, without what the check objects to. Let the client send its own certificate and the intermediates, and nothing else.`,
  'authority-expired': said`An authority in the path of the certificate has expired or is not valid yet. The failed check says which, and since when.
    Let the client send the renewed certificate of that authority; if it is registered here, register the renewed one. If it is not valid yet, compare the clocks.`,
  'certificate-algorithm': said`A certificate of the path has a key or a signature algorithm that is not accepted. The failed check says which.
    Have it issued with RSA of 2048 bits or more, P-256, P-384, P-521 or Ed25519, and signed with SHA-256 or stronger.`,
  'certificate-key-usage': said`The key usage of the certificate lacks digitalSignature, and a client signs the handshake.
    Have it issued with the key usage digitalSignature.`,
  'certificate-is-authority': said`The client presented the certificate of a trusted authority. Authorities do not log in.
    Let the client use a certificate that the authority has issued for it.`,
  'certificate-expired': said`The certificate has expired.
    Enroll the identity again, or extend its certificate, so that its certificate is valid. The auth policy can also allow expired certificates.`,
  'certificate-revoked': said`The authority that issued the certificate has revoked it. The failed check says when, why, and who said so.
    Let the authority issue another certificate. If it was revoked by mistake, the authority has to publish a new list.`,
  'revocation-unknown': said`It could not be found out whether the certificate was revoked, and the CA is set to refuse it then (revocation mode hard). The failed check says what was missing.
    Let the address of the list or the OCSP responder be reachable from here, and see the CA in the console. In an emergency, set the mode to soft.`,
  'certificate-not-yet-valid': said`The certificate is not valid yet.
    Compare the clocks of this server and of the authority that issued it.`,
  'certificate-usage': said`The extended key usage of the certificate does not include client authentication.
    Have it issued with the extended key usage "client authentication".`,
  'unknown-thumbprint': said`The certificate is trusted but belongs to no identity. Perhaps the client presented an older certificate.
    Enroll the identity again, or extend its certificate, so that its certificate is valid.`,
  'certificate-claim-missing': said`The certificate does not contain the external id where the third-party CA expects it.
    Change the external id claim of the CA, or have certificates issued that contain it.`,
  'no-token': said`The request had no bearer token.
    Let the client send the token of the identity provider in the Authorization header.`,
  'malformed-token': said`The token is not a JWT that can be read. The details say why.
    Check that the client sends the JWT itself. Some providers' access tokens are no JWTs, or only for certain audiences: then let the client send the ID token.`,
  'token-encrypted': said`The token is encrypted for another party, so that it cannot be read here.
    Turn off the encryption of this token for the client at the provider, or let the client send the other kind of token (access or ID token).`,
  'token-unsigned': said`The token has no signature (alg "none"), so any stranger could have written it.
    Configure the provider to sign the tokens of this client, for example with RS256 or ES256.`,
  'token-type': said`The token is of a kind that does not prove an identity here: its header names another type (typ), or it reports events.
    Let the client send the token that the signer asks for (targetToken). Its type is JWT or JOSE, left out, or at+jwt for access tokens.`,
  'token-without-issuer': said`The token does not name its issuer (iss), so it is unknown whose it is.
    Configure the provider to add its issuer, or let the client send the ID token, which has it.`,
  'no-signer-for-issuer': said`No external JWT signer has the issuer that the token names.
    Compare the issuer that was seen with that of the signer, character by character; a final slash counts.`,
  'signer-disabled': said`The external JWT signer of this issuer is disabled.
    Enable the signer if its tokens should be accepted.`,
  'signer-not-allowed': said`The auth policy allows only other external JWT signers.
    Add this signer to the allowed signers of the policy, or give the identity another policy.`,
  'signer-not-independent': said`The token was sent as the first proof, but the auth policy requires a token of the same issuer as the second proof. Two tokens of one issuer are one factor.
    Log in with another first proof: the password, a certificate or a token of another issuer. The token of this issuer comes in addition.`,
  'ambiguous-signer': said`The token names the audiences of several external JWT signers, so that it is unclear which of them vouches for it.
    Let the client ask the provider for a token for one of these audiences, or delete or disable all of these signers but one.`,
  'token-algorithm': said`The token is signed with an algorithm that is not accepted.
    Configure the provider to sign with RS256, PS256, ES256, EdDSA or a stronger algorithm of the same family. Algorithms with a shared secret (HS256) are never accepted.`,
  'token-without-key-id': said`The token does not name its key (kid), and several keys of the signer fit.
    Configure the provider to add the key id to the header of its tokens.`,
  'unknown-key': said`The signer has no key with the id that the token names. The details say whether its keys were fetched again.
    Check the JWKS address of the signer; a fixed key needs the same key id as the tokens. If the keys were not fetched again, try again in ten seconds.`,
  'unusable-key': said`The key that the token names is in the key set but cannot be used. The details say why.
    Have the provider publish the key as the details require, or sign with another of its keys.`,
  'key-algorithm': said`The token is signed with an algorithm that the key it names is not for.
    Compare the algorithm (alg) of the token with that of the key in the key set of the provider, and change either of them there.`,
  'keys-unavailable': said`The keys of the signer could not be fetched, so no token of it can be checked, and logins with one are refused until they can.
    The details say when that was tried and what failed. Check name, address, certificate and the limits in edge.externalJwtSigners.jwksFetch, then try again.`,
  'signer-certificate-expired': said`The certificate of the signer is not valid now, so its key is not used.
    Give the signer the current certificate of the provider, or the address of its keys instead.`,
  'token-signature': said`The signature of the token is wrong.
    The token was changed, or signed by another key under the same id. Check the keys of the signer: they may be those of another provider or environment.`,
  'token-audience': said`The token is for another audience than the one of the signer.
    Set the audience of the signer to the one that was seen, if such tokens are meant. Otherwise let the client ask the provider for a token for the audience of the signer.`,
  'token-expired': said`The token has expired.
    Let the client get a new one. If it is new, compare the clocks.`,
  'token-not-yet-valid': said`The token is not valid yet.
    Compare the clocks of this server and of the identity provider.`,
  'token-without-expiry': said`The token never expires. Such tokens are not accepted.
    Configure the provider to set an expiry (exp).`,
  'token-without-issue-time': said`The ID token does not say when it was issued (iat), which every ID token has to.
    Configure the provider to add iat. If the tokens are access tokens, set targetToken of the signer to ACCESS.`,
  'token-times': said`A time in the token (exp, nbf or iat) is not a number of seconds.
    Have the provider send them as numbers of seconds since 1970, not as texts or milliseconds.`,
  'token-lifetime': said`The token is valid for longer than the signer allows, or does not say since when.
    Shorten the lifetime of the tokens at the provider, or raise maxLifetimeSeconds of the signer.`,
  'token-claim-missing': said`The claim that names the identity is missing in the token, or is not a text.
    Set claimsProperty of the signer to a claim that the tokens have, or configure the provider to add the claim: often a scope or a mapper adds it.`,
  'reset-not-allowed': said`A mail with which to choose a new password was requested, and the configuration allows none for this account: mail.passwordReset says for whom. Administrators and people with permissions get none unless mail.passwordReset.administrators is true.
    Send the person an invitation, which replaces the password.`,
  'email-not-verified': said`The address was not verified by the provider.
    Let the provider verify it and send email_verified: true. For a provider that verifies addresses and never sends that, set requireVerifiedEmail of the signer to false; or name the identity by another claim, such as sub.`,
  'reset-unverified': said`A mail for a new password was asked for, and the address of the identity is not verified.
    Set email and emailVerified of the identity, or invite the person by mail.`,
  'provider-unavailable': said`The provider did not deliver its discovery document or the tokens of a sign-in.
    Check externalAuthUrl and clientId of the signer, that the provider knows the callback address of this server, and the limits of edge.externalJwtSigners.`,
  'provider-refused': said`The provider refused the person or this service, or its answer does not belong to this sign-in. The failed check has its words.
    After invalid_client, compare clientId, clientAuthMethod and the secret of the signer with the registration at the provider. Otherwise ask the person to try again; if it fails again, read the log of the provider.`,
  'token-nonce': said`The ID token is not for this sign-in: its nonce is missing or another one.
    Ask the person to try again. If it fails again, the provider or a proxy does not return the nonce that it was sent.`,
  'secondary-token-missing': said`The auth policy also requires a token of an external JWT signer, and the request had none.
    Let the client send it in a separate Authorization header.`,
  'secondary-wrong-identity': said`The second token belongs to another identity than the one that is logging in.
    Both must belong to the same person. Check the external id of the identity.`,
  'passkey-unreadable': said`The answer of the browser or authenticator was not what WebAuthn describes.
    Ask the person to try again. If it fails again, try another browser; the check says what was not readable.`,
  'passkey-question': said`The answer was not to the question of this step: it is too old, or of another login, browser or step.
    Ask the person to try again. If the person did not do this, another person may have tried to use an answer of theirs.`,
  'passkey-used-before': said`The answer was accepted before. It works once.
    Ask the person to try again. If they did not send it twice, another person may have recorded it.`,
  'passkey-origin': said`A page of another address asked for the passkey, or a page inside another page.
    If it is an address of this service, add it to the bind points. Otherwise the person may have been on a page that imitates this one.`,
  'passkey-site': said`The passkey belongs to another domain than this address.
    Passkeys belong to the host under which they were added, or to edge.passkeys.rpId. After a change of the host, people add new ones.`,
  'passkey-absent': said`The authenticator answered without being touched.
    Every passkey has to be confirmed by its owner. Try another authenticator.`,
  'passkey-signature': said`The signature of the answer does not fit the key that was registered.
    Ask the person to try again. If it fails again, remove the passkey and let the person add it again.`,
  'passkey-key': said`The key of the passkey is of an algorithm that is not accepted, or too weak.
    Accepted are ES256, EdDSA (Ed25519) and RS256 with 2048 to 8192 bits. Use another authenticator.`,
  'passkey-model': said`The auth policy allows certain models of authenticators (primary.passkey.allowedAuthenticators), and this passkey is in another one, or its maker did not confirm the model when it was added.
    Let the person add a passkey in an allowed model, also if one was added before the policy had the list; the authorities of its maker stand in edge.passkeys.trustedRoots. Or change the list.`,
  'passkey-unknown': said`No identity has this passkey; it was removed, or belongs to another service. Or the identity has none.
    Let the person sign in another way and add a passkey on the account page, then delete the old one on the device.`,
  'passkey-other-identity': said`The passkey belongs to another identity than the one that is logging in.
    Let the person choose a passkey of their own account.`,
  'passkey-unverified': said`The authenticator did not check who used it, and the auth policy requires that.
    Let the person set a PIN, finger or face on the authenticator; or set primary.passkey.userVerification of the policy to preferred.`,
  'passkey-cloned': said`The counter of the passkey was not higher than at the last login: two devices seem to have the same key.
    Ask the person whether they lost or copied the authenticator. If in doubt, remove it; that ends what it opened.`,
  'passkey-not-independent': said`The auth policy requires a passkey as the second proof, so a passkey cannot be the first one too.
    Let the person sign in with another method first; or set primary.passkey.satisfiesSecondary, if a passkey with PIN, finger or face is enough.`,
  'passkey-required': said`The auth policy requires a passkey (secondary.requirePasskey), and the legacy mechanism has no step for it.
    Use a client that logs in by OIDC, or give the identity another policy.`,
  'passkey-not-added': said`The passkey is registered already, or the identity has as many as it may have (20).
    Use another authenticator, or remove a passkey that is no longer needed.`,
  'enrollment-token-unknown': said`The enrollment token was already used, replaced or deleted, or this service never issued it.
    If the device did not enroll itself, find out who used its token. Otherwise issue a new one.`,
  'enrollment-other-method': said`The token is for another enrollment method than the one used.
    The claim "em" of the JWT names the right one. Create an enrollment of the other method if that was meant.`,
  'invitation-unknown': said`The link no longer works, or this service never issued it. The checks say which, and whom it was for.
    Make another link. If it was used and the person did not use it, the audit trail of the identity says when and from where.`,
  'invitation-expired': said`The link was opened too late.
    Make another link, valid for longer if need be.`,
  'invitation-not-allowed': said`An identity with only the permission helpdesk made the link, and the identity is an administrator or has a permission now.
    Let an administrator make another link.`,
  'enrollment-expired': said`The enrollment token has expired.
    Give it a new token and a new expiry, and hand out the new JWT.`,
  'enrollment-not-allowed': said`The CA or the external JWT signer does not allow this kind of enrollment.
    Allow it at the CA (isOttCaEnrollmentEnabled, isAutoCaEnrollmentEnabled) or at the signer (enrollToCertEnabled, enrollToTokenEnabled), if that is wanted.`,
  'enrollment-other-ca': said`The certificate leads to another authority than the one that may enroll this identity.
    Let the CA of the enrollment issue the certificate, or create an enrollment for the other CA.`,
  'enrollment-name-refused': said`The name that the new identity would have is taken, empty or not acceptable.
    Change the rule that makes names: identityNameFormat of the CA, enrollNameClaimsSelector of the signer. Delete the identity that has the name, if it is the same device.`,
  'enrollment-external-id-refused': said`The external id that the new identity would have is longer than 255 characters, or has invisible characters.
    Ask the issuer of the certificate or JWT for another value, or use another field: externalIdClaim of the CA, claimsProperty of the signer.`,
  'enrollment-password-refused': said`The password or the user name was not acceptable. The token is still valid.
    The person was told why, and can try again.`,
  'enrollment-request-refused': said`The certificate signing request could not be processed. The token is still valid.
    Keys must be RSA of at least 2048 bits, P-256, P-384, P-521 or Ed25519, and sign their own request.`,
  'already-enrolled': said`The certificate, the user name or the external id belongs to an identity already, or the identity has a password.
    Delete the authenticator that has it, or enroll with another certificate or user name.`,
  'totp-not-enrolled': said`A code was sent, but the identity has no authenticator app enrolled.
    Let the person set one up; the login offers it if the policy requires TOTP.`,
  'wrong-code': said`The code was wrong, or too old or too new at that moment.
    Set the clock of the phone to automatic. If the app is lost, use a recovery code, or remove it from the identity.`,
  'replayed-code': said`The code was right, but it or a newer one had already been used.
    Wait for the next code. If the person did not use this code, another person may have seen it.`,
  'redirect-uri-unknown': said`The application asked for an answer at an address that is not registered for it, so the person got a page instead of a sign-in. The checks name the application, the address and the registered ones.
    If the address is one of the application, add it to its redirect URIs. Compare character by character; a final slash counts. An unknown address may be an attempt to steal a sign-in: leave it out.`,
  'unknown-client': said`No application has the client id of the request.
    Correct the client id in the settings of the application, or register it.`,
  'sign-in-expired': said`The sign-in that the page belonged to is not open any more: it took too long, was finished, or continued in another browser. The failed check says more where it is known.
    Let the person begin again in the application, in one browser and within ten minutes.`,
  'setup-link-dead': said`The set-up link was already used, has expired, was replaced by a newer one, or is not of this server. The checks say which.
    Make another link on the host. If an administrator exists, sign in instead.`,
  'device-code-unknown': said`No device waits with the code that was entered. Codes work once and for ten minutes.
    Let the person compare the code with the one on the device, or begin again on the device.`,
  'not-permitted': said`The request came without a valid session, or its caller lacks the right or the factor that the endpoint requires. The failed check says which.
    Sign in again, or let an administrator give the caller the permission.`,
  conflict: said`The request contradicts what exists: a name is taken, an entity is still referred to, or it was changed meanwhile. The failed check says which.
    Read the entity again, then repeat the change, or remove what is in the way.`,
  'nothing-there': said`No endpoint or entity has the address of the request, or the server does not serve its host name.
    Compare the address. An entity may have been deleted; a host name needs an address in the configuration (web, bindPoints).`,
  'request-refused': said`The request was not one that the endpoint accepts. The failed check says why.
    Correct the program or form that sent it; of an application, compare the settings with its registration. The pages /oidc/docs, /edge/client/v1/docs and /edge/management/v1/docs say what is accepted.`,
  'server-unavailable': said`The server could not answer at that moment: it was busy, starting or stopping, or its database was not reachable.
    Try again. If it repeats, see the state of the nodes and the log.`,
  'server-failed': said`The request met a defect of the server.
    The log has the error under the same reference id. Please report it.`,
};
