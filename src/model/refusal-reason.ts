/**
 * Why a step of a login was refused, with a few words for lists. The client sees none of it; explain/ says of each what
 * happened and what to do. The closed list of reasons.
 */
export const reasonLabels = {
  // any method
  locked: ['Locked', 'Gesperrt'],
  throttled: ['Too many attempts', 'Zu viele Versuche'],
  'identity-disabled': ['Account disabled', 'Konto deaktiviert'],
  'method-not-allowed': ['Method not allowed by the policy', 'Richtlinie erlaubt die Methode nicht'],
  'no-identity-for-claim': ['No identity has this external id', 'Keine Identität hat diese externe Id'],
  'newcomer-refused': ['No identity created', 'Keine Identität angelegt'],
  'too-many-newcomers': ['Too many new identities', 'Zu viele neue Identitäten'],
  'changed-meanwhile': ['Account changed meanwhile', 'Konto inzwischen geändert'],
  'client-not-allowed': ['Not allowed in this application', 'In dieser Anwendung nicht erlaubt'],
  'dpop-required': ['Tokens not bound to a key', 'Token nicht an Schlüssel gebunden'],
  // password
  'unknown-user': ['Unknown user name', 'Unbekannter Benutzername'],
  'wrong-password': ['Wrong password', 'Falsches Passwort'],
  'password-change-required': ['New password required', 'Neues Passwort nötig'],
  // certificate
  'no-certificate': ['No certificate', 'Kein Zertifikat'],
  'untrusted-chain': ['Certificate not trusted', 'Zertifikat nicht vertrauenswürdig'],
  'ca-not-verified': ['CA not verified', 'CA nicht überprüft'],
  'ca-auth-off': ['CA not for sign-in', 'CA nicht für Anmeldungen'],
  'broken-chain': ['Path of the certificate breaks a rule', 'Pfad des Zertifikats verletzt eine Regel'],
  'authority-expired': ['Issuing authority not valid', 'Ausstellende CA nicht gültig'],
  'certificate-algorithm': [
    'Key or algorithm of the certificate not accepted',
    'Schlüssel oder Verfahren des Zertifikats nicht zulässig',
  ],
  'certificate-key-usage': [
    'Key usage of the certificate not for sign-in',
    'Schlüsselverwendung nicht für Anmeldungen',
  ],
  'certificate-is-authority': ['Certificate of an authority', 'Zertifikat einer CA'],
  'certificate-expired': ['Certificate expired', 'Zertifikat abgelaufen'],
  'certificate-revoked': ['Certificate revoked', 'Zertifikat widerrufen'],
  'revocation-unknown': [
    'Cannot tell whether the certificate was revoked',
    'Widerruf des Zertifikats nicht feststellbar',
  ],
  'certificate-not-yet-valid': ['Certificate not valid yet', 'Zertifikat noch nicht gültig'],
  'certificate-usage': ['Certificate not for sign-in', 'Zertifikat nicht für Anmeldungen'],
  'unknown-thumbprint': ['No identity uses this certificate', 'Keine Identität verwendet dieses Zertifikat'],
  'certificate-claim-missing': ['External id missing in the certificate', 'Externe Id fehlt im Zertifikat'],
  // external JWT
  'no-token': ['No token', 'Kein Token'],
  'malformed-token': ['Token not readable', 'Token nicht lesbar'],
  'token-encrypted': ['Token encrypted', 'Token verschlüsselt'],
  'token-unsigned': ['Token not signed', 'Token nicht signiert'],
  'token-type': ['Token of another type', 'Token von anderem Typ'],
  'token-without-issuer': ['Token without issuer', 'Token ohne Aussteller'],
  'no-signer-for-issuer': ['No signer for this issuer', 'Kein Signer für diesen Aussteller'],
  'signer-disabled': ['Signer disabled', 'Signer deaktiviert'],
  'signer-not-allowed': ['Signer not allowed by the policy', 'Richtlinie erlaubt den Signer nicht'],
  'signer-not-independent': ['Not independent of the second token', 'Nicht unabhängig vom zweiten Token'],
  'ambiguous-signer': ['Several signers accept the token', 'Mehrere Signer nehmen das Token an'],
  'token-algorithm': ['Algorithm of the token not accepted', 'Algorithmus des Tokens nicht zulässig'],
  'token-without-key-id': ['Token without key id', 'Token ohne Schlüsselkennung'],
  'unknown-key': ['Unknown signing key', 'Unbekannter Signaturschlüssel'],
  'unusable-key': ['Signing key not usable', 'Signaturschlüssel nicht verwendbar'],
  'key-algorithm': ['Algorithm does not fit the key', 'Algorithmus passt nicht zum Schlüssel'],
  'keys-unavailable': ['Signing keys not available', 'Signaturschlüssel nicht erreichbar'],
  'signer-certificate-expired': [
    'Certificate of the signer not valid',
    'Zertifikat des Signers nicht gültig',
  ],
  'token-signature': ['Wrong signature of the token', 'Signatur des Tokens falsch'],
  'token-audience': ['Token for another audience', 'Token für eine andere Audience'],
  'token-expired': ['Token expired', 'Token abgelaufen'],
  'token-not-yet-valid': ['Token not valid yet', 'Token noch nicht gültig'],
  'token-without-expiry': ['Token without expiry', 'Token ohne Ablaufdatum'],
  'token-without-issue-time': ['Token without time of issue', 'Token ohne Ausstellungszeit'],
  'token-times': ['Times of the token not usable', 'Zeiten des Tokens nicht verwendbar'],
  'token-lifetime': ['Token valid for too long', 'Token zu lange gültig'],
  'token-claim-missing': ['Claim missing in the token', 'Angabe fehlt im Token'],
  'reset-not-allowed': [
    'No password reset by mail for this account',
    'Kein Zurücksetzen per E-Mail für dieses Konto',
  ],
  'email-not-verified': ['E-mail address not verified', 'E-Mail-Adresse nicht bestätigt'],
  'reset-unverified': [
    'New password for an address not verified',
    'Neues Passwort für nicht bestätigte Adresse',
  ],
  // signing in at a provider from a page
  'provider-unavailable': ['Provider not reachable', 'Anbieter nicht erreichbar'],
  'provider-refused': ['Refused by the provider', 'Vom Anbieter abgelehnt'],
  'token-nonce': ['Token of another sign-in', 'Token einer anderen Anmeldung'],
  // secondary external JWT
  'secondary-token-missing': ['Second token missing', 'Zweites Token fehlt'],
  'secondary-wrong-identity': ['Second token of another identity', 'Zweites Token einer anderen Identität'],
  // passkey
  'passkey-unreadable': ['Answer of the passkey not readable', 'Antwort des Passkeys nicht lesbar'],
  'passkey-question': ['Answer to another question', 'Antwort auf eine andere Frage'],
  'passkey-used-before': ['Answer used before', 'Antwort schon benutzt'],
  'passkey-origin': ['Passkey asked for by a foreign page', 'Passkey von fremder Seite verlangt'],
  'passkey-site': ['Passkey of another domain', 'Passkey einer anderen Domain'],
  'passkey-absent': ['The authenticator was not touched', 'Authenticator nicht berührt'],
  'passkey-signature': ['Wrong signature of the passkey', 'Signatur des Passkeys falsch'],
  'passkey-key': ['Key of the passkey not accepted', 'Schlüssel des Passkeys nicht zulässig'],
  'passkey-model': ['Model of the authenticator not allowed', 'Modell des Authenticators nicht erlaubt'],
  'passkey-unknown': ['Unknown passkey', 'Unbekannter Passkey'],
  'passkey-other-identity': ['Passkey of another identity', 'Passkey einer anderen Identität'],
  'passkey-unverified': ['No PIN, finger or face', 'Weder PIN noch Finger noch Gesicht'],
  'passkey-cloned': ['Counter of the passkey went back', 'Zähler des Passkeys zurückgegangen'],
  'passkey-not-independent': [
    'Passkey is asked for as the second proof',
    'Passkey ist als zweiter Nachweis verlangt',
  ],
  'passkey-required': ['Passkey required', 'Passkey nötig'],
  'passkey-not-added': ['Passkey could not be added', 'Passkey nicht hinzugefügt'],
  // enrollment
  'enrollment-token-unknown': ['Unknown enrollment', 'Unbekannte Registrierung'],
  'enrollment-other-method': ['Enrollment by another method', 'Registrierung mit anderer Methode'],
  'invitation-unknown': ['Unknown invitation', 'Unbekannte Einladung'],
  'invitation-expired': ['Invitation expired', 'Einladung abgelaufen'],
  'invitation-not-allowed': ['Invitation not allowed', 'Einladung nicht erlaubt'],
  'enrollment-expired': ['Enrollment expired', 'Registrierung abgelaufen'],
  'enrollment-not-allowed': ['Enrollment not allowed', 'Registrierung nicht erlaubt'],
  'enrollment-other-ca': ['Certificate of another CA', 'Zertifikat einer anderen CA'],
  'enrollment-name-refused': ['Name refused', 'Name abgelehnt'],
  'enrollment-external-id-refused': ['External id refused', 'Externe Id abgelehnt'],
  'enrollment-password-refused': ['Password refused', 'Passwort abgelehnt'],
  'enrollment-request-refused': ['Certificate request refused', 'Zertifikatsantrag abgelehnt'],
  'already-enrolled': ['Already enrolled', 'Schon registriert'],
  // TOTP
  'totp-not-enrolled': ['No authenticator app', 'Keine Authenticator-App'],
  'wrong-code': ['Wrong code', 'Falscher Code'],
  'replayed-code': ['Code used before', 'Code schon benutzt'],
  // a request that was refused before any step of a login
  'redirect-uri-unknown': ['Redirect URI not registered', 'Redirect-URI nicht registriert'],
  'unknown-client': ['Unknown application', 'Unbekannte Anwendung'],
  'sign-in-expired': ['Sign-in no longer open', 'Anmeldung nicht mehr offen'],
  'setup-link-dead': ['Set-up link does not work', 'Einrichtungslink funktioniert nicht'],
  'device-code-unknown': ['Unknown device code', 'Unbekannter Gerätecode'],
  'not-permitted': ['Not signed in, or not permitted', 'Nicht angemeldet oder nicht berechtigt'],
  conflict: ['Conflict with what exists', 'Widerspruch zu Vorhandenem'],
  'nothing-there': ['Nothing at this address', 'Nichts unter dieser Adresse'],
  'request-refused': ['Request not acceptable', 'Anfrage nicht zulässig'],
  'server-unavailable': ['Server busy or not ready', 'Server ausgelastet oder nicht bereit'],
  'server-failed': ['Failure of the server', 'Fehler des Servers'],
} as const satisfies Readonly<Record<string, readonly [english: string, german: string]>>;

export type RefusalReason = keyof typeof reasonLabels;
export const refusalReasons = Object.keys(reasonLabels) as readonly RefusalReason[];

/** The checks beside `no-identity-for-claim` that say what a valid token says about the person whom it names. */
export const newcomerChecks = { name: 'name in the token', email: 'email in the token' } as const;

/** The details of `certificate-expired`: when it ended (RFC 3339), its serial number (hex), its SHA-256. */
export const expiredCertificateChecks = {
  end: 'end of the certificate',
  serialNumber: 'serial number of the certificate',
  fingerprint: 'fingerprint of the certificate',
} as const;
