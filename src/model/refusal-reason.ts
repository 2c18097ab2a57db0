/**
 * Why a step of a login was refused, with a few words for lists. The client sees none of it; explain/ says of each what
 * happened and what to do. The closed list of reasons.
 */
export const reasonLabels = {
  // any method
  locked: { en: 'Locked', de: 'Gesperrt' },
  throttled: { en: 'Too many attempts', de: 'Zu viele Versuche' },
  'identity-disabled': { en: 'Account disabled', de: 'Konto deaktiviert' },
  'method-not-allowed': {
    en: 'Method not allowed by the policy',
    de: 'Richtlinie erlaubt die Methode nicht',
  },
  'no-identity-for-claim': {
    en: 'No identity has this external id',
    de: 'Keine Identität hat diese externe Id',
  },
  'newcomer-refused': { en: 'No identity created', de: 'Keine Identität angelegt' },
  'too-many-newcomers': { en: 'Too many new identities', de: 'Zu viele neue Identitäten' },
  'changed-meanwhile': { en: 'Account changed meanwhile', de: 'Konto inzwischen geändert' },
  'client-not-allowed': { en: 'Not allowed in this application', de: 'In dieser Anwendung nicht erlaubt' },
  'dpop-required': { en: 'Tokens not bound to a key', de: 'Token nicht an Schlüssel gebunden' },
  // password
  'unknown-user': { en: 'Unknown user name', de: 'Unbekannter Benutzername' },
  'wrong-password': { en: 'Wrong password', de: 'Falsches Passwort' },
  'password-change-required': { en: 'New password required', de: 'Neues Passwort nötig' },
  // certificate
  'no-certificate': { en: 'No certificate', de: 'Kein Zertifikat' },
  'untrusted-chain': { en: 'Certificate not trusted', de: 'Zertifikat nicht vertrauenswürdig' },
  'ca-not-verified': { en: 'CA not verified', de: 'CA nicht überprüft' },
  'ca-auth-off': { en: 'CA not for sign-in', de: 'CA nicht für Anmeldungen' },
  'broken-chain': {
    en: 'Path of the certificate breaks a rule',
    de: 'Pfad des Zertifikats verletzt eine Regel',
  },
  'authority-expired': { en: 'Issuing authority not valid', de: 'Ausstellende CA nicht gültig' },
  'certificate-algorithm': {
    en: 'Key or algorithm of the certificate not accepted',
    de: 'Schlüssel oder Verfahren des Zertifikats nicht zulässig',
  },
  'certificate-key-usage': {
    en: 'Key usage of the certificate not for sign-in',
    de: 'Schlüsselverwendung nicht für Anmeldungen',
  },
  'certificate-is-authority': { en: 'Certificate of an authority', de: 'Zertifikat einer CA' },
  'certificate-expired': { en: 'Certificate expired', de: 'Zertifikat abgelaufen' },
  'certificate-revoked': { en: 'Certificate revoked', de: 'Zertifikat widerrufen' },
  'revocation-unknown': {
    en: 'Cannot tell whether the certificate was revoked',
    de: 'Widerruf des Zertifikats nicht feststellbar',
  },
  'certificate-not-yet-valid': { en: 'Certificate not valid yet', de: 'Zertifikat noch nicht gültig' },
  'certificate-usage': { en: 'Certificate not for sign-in', de: 'Zertifikat nicht für Anmeldungen' },
  'unknown-thumbprint': {
    en: 'No identity uses this certificate',
    de: 'Keine Identität verwendet dieses Zertifikat',
  },
  'certificate-claim-missing': {
    en: 'External id missing in the certificate',
    de: 'Externe Id fehlt im Zertifikat',
  },
  // external JWT
  'no-token': { en: 'No token', de: 'Kein Token' },
  'malformed-token': { en: 'Token not readable', de: 'Token nicht lesbar' },
  'token-encrypted': { en: 'Token encrypted', de: 'Token verschlüsselt' },
  'token-unsigned': { en: 'Token not signed', de: 'Token nicht signiert' },
  'token-type': { en: 'Token of another type', de: 'Token von anderem Typ' },
  'token-without-issuer': { en: 'Token without issuer', de: 'Token ohne Aussteller' },
  'no-signer-for-issuer': { en: 'No signer for this issuer', de: 'Kein Signer für diesen Aussteller' },
  'signer-disabled': { en: 'Signer disabled', de: 'Signer deaktiviert' },
  'signer-not-allowed': { en: 'Signer not allowed by the policy', de: 'Richtlinie erlaubt den Signer nicht' },
  'signer-not-independent': {
    en: 'Not independent of the second token',
    de: 'Nicht unabhängig vom zweiten Token',
  },
  'ambiguous-signer': { en: 'Several signers accept the token', de: 'Mehrere Signer nehmen das Token an' },
  'token-algorithm': {
    en: 'Algorithm of the token not accepted',
    de: 'Algorithmus des Tokens nicht zulässig',
  },
  'token-without-key-id': { en: 'Token without key id', de: 'Token ohne Schlüsselkennung' },
  'unknown-key': { en: 'Unknown signing key', de: 'Unbekannter Signaturschlüssel' },
  'unusable-key': { en: 'Signing key not usable', de: 'Signaturschlüssel nicht verwendbar' },
  'key-algorithm': { en: 'Algorithm does not fit the key', de: 'Algorithmus passt nicht zum Schlüssel' },
  'keys-unavailable': { en: 'Signing keys not available', de: 'Signaturschlüssel nicht erreichbar' },
  'signer-certificate-expired': {
    en: 'Certificate of the signer not valid',
    de: 'Zertifikat des Signers nicht gültig',
  },
  'token-signature': { en: 'Wrong signature of the token', de: 'Signatur des Tokens falsch' },
  'token-audience': { en: 'Token for another audience', de: 'Token für eine andere Audience' },
  'token-expired': { en: 'Token expired', de: 'Token abgelaufen' },
  'token-not-yet-valid': { en: 'Token not valid yet', de: 'Token noch nicht gültig' },
  'token-without-expiry': { en: 'Token without expiry', de: 'Token ohne Ablaufdatum' },
  'token-without-issue-time': { en: 'Token without time of issue', de: 'Token ohne Ausstellungszeit' },
  'token-times': { en: 'Times of the token not usable', de: 'Zeiten des Tokens nicht verwendbar' },
  'token-lifetime': { en: 'Token valid for too long', de: 'Token zu lange gültig' },
  'token-claim-missing': { en: 'Claim missing in the token', de: 'Angabe fehlt im Token' },
  'reset-not-allowed': {
    en: 'No password reset by mail for this account',
    de: 'Kein Zurücksetzen per E-Mail für dieses Konto',
  },
  'email-not-verified': { en: 'E-mail address not verified', de: 'E-Mail-Adresse nicht bestätigt' },
  'reset-unverified': {
    en: 'New password for an address not verified',
    de: 'Neues Passwort für nicht bestätigte Adresse',
  },
  // signing in at a provider from a page
  'provider-unavailable': { en: 'Provider not reachable', de: 'Anbieter nicht erreichbar' },
  'provider-refused': { en: 'Refused by the provider', de: 'Vom Anbieter abgelehnt' },
  'token-nonce': { en: 'Token of another sign-in', de: 'Token einer anderen Anmeldung' },
  // secondary external JWT
  'secondary-token-missing': { en: 'Second token missing', de: 'Zweites Token fehlt' },
  'secondary-wrong-identity': {
    en: 'Second token of another identity',
    de: 'Zweites Token einer anderen Identität',
  },
  // passkey
  'passkey-unreadable': { en: 'Answer of the passkey not readable', de: 'Antwort des Passkeys nicht lesbar' },
  'passkey-question': { en: 'Answer to another question', de: 'Antwort auf eine andere Frage' },
  'passkey-used-before': { en: 'Answer used before', de: 'Antwort schon benutzt' },
  'passkey-origin': { en: 'Passkey asked for by a foreign page', de: 'Passkey von fremder Seite verlangt' },
  'passkey-site': { en: 'Passkey of another domain', de: 'Passkey einer anderen Domain' },
  'passkey-absent': { en: 'Nobody touched the authenticator', de: 'Authenticator nicht berührt' },
  'passkey-signature': { en: 'Wrong signature of the passkey', de: 'Signatur des Passkeys falsch' },
  'passkey-key': { en: 'Key of the passkey not accepted', de: 'Schlüssel des Passkeys nicht zulässig' },
  'passkey-model': {
    en: 'Model of the authenticator not allowed',
    de: 'Modell des Authenticators nicht erlaubt',
  },
  'passkey-unknown': { en: 'Unknown passkey', de: 'Unbekannter Passkey' },
  'passkey-other-identity': {
    en: 'Passkey of another identity',
    de: 'Passkey einer anderen Identität',
  },
  'passkey-unverified': { en: 'No PIN, finger or face', de: 'Weder PIN noch Finger noch Gesicht' },
  'passkey-cloned': { en: 'Counter of the passkey went back', de: 'Zähler des Passkeys zurückgegangen' },
  'passkey-not-independent': {
    en: 'Passkey is asked for as the second proof',
    de: 'Passkey ist als zweiter Nachweis verlangt',
  },
  'passkey-required': { en: 'Passkey required', de: 'Passkey nötig' },
  'passkey-not-added': { en: 'Passkey could not be added', de: 'Passkey nicht hinzugefügt' },
  // enrollment
  'enrollment-token-unknown': { en: 'Unknown enrollment', de: 'Unbekannte Registrierung' },
  'enrollment-other-method': { en: 'Enrollment by another method', de: 'Registrierung mit anderer Methode' },
  'invitation-unknown': { en: 'Unknown invitation', de: 'Unbekannte Einladung' },
  'invitation-expired': { en: 'Invitation expired', de: 'Einladung abgelaufen' },
  'invitation-not-allowed': { en: 'Invitation not allowed', de: 'Einladung nicht erlaubt' },
  'enrollment-expired': { en: 'Enrollment expired', de: 'Registrierung abgelaufen' },
  'enrollment-not-allowed': { en: 'Enrollment not allowed', de: 'Registrierung nicht erlaubt' },
  'enrollment-other-ca': { en: 'Certificate of another CA', de: 'Zertifikat einer anderen CA' },
  'enrollment-name-refused': { en: 'Name refused', de: 'Name abgelehnt' },
  'enrollment-external-id-refused': { en: 'External id refused', de: 'Externe Id abgelehnt' },
  'enrollment-password-refused': { en: 'Password refused', de: 'Passwort abgelehnt' },
  'enrollment-request-refused': { en: 'Certificate request refused', de: 'Zertifikatsantrag abgelehnt' },
  'already-enrolled': { en: 'Already enrolled', de: 'Schon registriert' },
  // TOTP
  'totp-not-enrolled': { en: 'No authenticator app', de: 'Keine Authenticator-App' },
  'wrong-code': { en: 'Wrong code', de: 'Falscher Code' },
  'replayed-code': { en: 'Code used before', de: 'Code schon benutzt' },
  // a request that was refused before any step of a login
  'redirect-uri-unknown': { en: 'Redirect URI not registered', de: 'Redirect-URI nicht registriert' },
  'unknown-client': { en: 'Unknown application', de: 'Unbekannte Anwendung' },
  'sign-in-expired': { en: 'Sign-in no longer open', de: 'Anmeldung nicht mehr offen' },
  'setup-link-dead': { en: 'Set-up link does not work', de: 'Einrichtungslink funktioniert nicht' },
  'device-code-unknown': { en: 'Unknown device code', de: 'Unbekannter Gerätecode' },
  'not-permitted': { en: 'Not signed in, or not permitted', de: 'Nicht angemeldet oder nicht berechtigt' },
  conflict: { en: 'Conflict with what exists', de: 'Widerspruch zu Vorhandenem' },
  'nothing-there': { en: 'Nothing at this address', de: 'Nichts unter dieser Adresse' },
  'request-refused': { en: 'Request not acceptable', de: 'Anfrage nicht zulässig' },
  'server-unavailable': { en: 'Server busy or not ready', de: 'Server ausgelastet oder nicht bereit' },
  'server-failed': { en: 'Failure of the server', de: 'Fehler des Servers' },
} as const satisfies Readonly<Record<string, Readonly<Record<'en' | 'de', string>>>>;

export type RefusalReason = keyof typeof reasonLabels;
export const refusalReasons = Object.keys(reasonLabels) as readonly RefusalReason[];

/** The checks beside `no-identity-for-claim` that say what a valid token says about the person whom it names. */
export const newcomerChecks = { name: 'name in the token', email: 'email in the token' } as const;

/** What is seen beside `certificate-expired`: when it ended (RFC 3339), its serial number (hex), its SHA-256. */
export const expiredCertificateChecks = {
  end: 'end of the certificate',
  serialNumber: 'serial number of the certificate',
  fingerprint: 'fingerprint of the certificate',
} as const;
