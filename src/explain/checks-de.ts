/** Findings of the checks of a login, in German. See `in-language.ts`. */
export const checksInGerman: Readonly<Record<string, string>> = {
  // any method
  '{1} allows {2}': '{=1} erlaubt {=2}',
  '{1} does not allow {2}': '{=1} erlaubt {=2} nicht',
  '=password': 'Passwort',
  '=cert': 'Zertifikat',
  '=ext-jwt': 'externes JWT',
  '=passkey': 'Passkey',
  'policy {1} (by role attribute {2})': 'Richtlinie {1} (durch Rollenattribut {2})',
  'policy {1}': 'Richtlinie {1}',
  '{1} is disabled{2}': '{1} ist deaktiviert{=2}',
  '{1} is disabled until {2}': '{1} ist bis {2} deaktiviert',
  'until {1}': 'bis {1}',
  'since {1}': 'seit {1}',
  'too many failures in a row': 'zu viele Fehlversuche hintereinander',
  'the external id, its signer or its CA was changed during the login':
    'die externe Id, ihr Signer oder ihre CA wurde während der Anmeldung geändert',
  'the authenticator was deleted, or its CA changed, during the login':
    'das Anmeldemittel wurde während der Anmeldung gelöscht oder seine CA geändert',
  'a credential or the signer was changed during the login':
    'Zugangsdaten oder der Signer wurden während der Anmeldung geändert',
  'the password was changed during the login': 'das Passwort wurde während der Anmeldung geändert',
  'the authenticator was deleted during the login': 'das Anmeldemittel wurde während der Anmeldung gelöscht',
  '{1} during the login': '{=1}, während der Anmeldung',
  'the identity was deleted': 'die Identität wurde gelöscht',
  'the authenticator was deleted': 'das Anmeldemittel wurde gelöscht',
  'the authority was disabled during the login': 'die CA wurde während der Anmeldung deaktiviert',
  'the password was changed while it was checked': 'das Passwort wurde während der Prüfung geändert',
  '{1} is for {2}': '{1} ist nur für {2}',
  '{1} got its code without a login': '{1} bekam einen Code ohne Anmeldung',
  'asked for, and not among those of the application: {1}':
    'verlangt, aber nicht unter denen der Anwendung: {1}',
  '{1} demands tokens that are bound to a key': '{=1} verlangt Token, die an einen Schlüssel gebunden sind',
  'the auth policy of the identity': 'die Auth-Richtlinie der Identität',
  'the application {1}': 'die Anwendung {1}',
  'the certificate belongs to another identity than before':
    'das Zertifikat gehört einer anderen Identität als zuvor',
  'the policy asks for it, which this mechanism cannot':
    'die Richtlinie verlangt ihn, und dieses Verfahren kann das nicht',
  'it has to be replaced, which this mechanism cannot':
    'es ist zu ersetzen, und dieses Verfahren kann das nicht',
  '{1} answered this request with a token': '{1} beantwortete diese Anfrage mit einem Token',
  'policy {1} demands tokens that are bound to a key: the application has to use DPoP':
    'Richtlinie {1} verlangt Token, die an einen Schlüssel gebunden sind: die Anwendung muss DPoP verwenden',
  // password and mail
  'it has no password: {1}': 'sie hat kein Passwort: {1}',
  'has to be replaced by a new one during the login': 'ist bei der Anmeldung durch ein neues zu ersetzen',
  'password reset by mail': 'Passwort per E-Mail zurücksetzen',
  'the mail is queued': 'die E-Mail wartet auf den Versand',
  'no password': 'kein Passwort',
  'no address in a claim': 'keine Adresse',
  // certificate
  'it has none: {1}': 'sie hat keines: {1}',
  'its issuer {1} is not registered: the client has to send the certificates up to a CA that is':
    'der Aussteller {1} ist nicht registriert: der Client muss die Zertifikate bis zu einer registrierten CA senden',
  'leads to {1}': 'führt zu {1}',
  'leads to the CA {1}, which is not verified': 'führt zur CA {1}, die nicht überprüft ist',
  'leads to the CA {1}, whose authentication is off': 'führt zur CA {1}, die nicht für Anmeldungen ist',
  'expired, which policy {1} allows': 'abgelaufen, was die Richtlinie {1} erlaubt',
  'policy {1} does not allow expired certificates': 'Richtlinie {1} erlaubt keine abgelaufenen Zertifikate',
  'rule of {1}: "{2}"': 'Regel von {1}: „{2}“',
  'rule of {1}: it has none: {2}': 'Regel von {1}: sie hat keine: {2}',
  'rule of {1}: no certificate gives "{2}"': 'Regel von {1}: kein Zertifikat ergibt „{2}“',
  'rule of {1}: no identity has the external id "{2}"':
    'Regel von {1}: keine Identität hat die externe Id „{2}“',
  'rule of {1}: {2}': 'Regel von {1}: {=2}',
  'the certificate has no name there': 'das Zertifikat hat dort keinen Namen',
  'the matcher accepts no name there': 'kein Name dort passt zum Matcher',
  'the matcher accepts several different names there': 'mehrere verschiedene Namen dort passen zum Matcher',
  'the name has no part with this index': 'der Name hat keinen Teil mit diesem Index',
  'the name, or its part, is empty': 'der Name oder sein Teil ist leer',
  'the name is longer than {1} characters': 'der Name ist länger als {1} Zeichen',
  'the name has control characters or is not Unicode text':
    'der Name enthält Steuerzeichen oder ist kein Unicode-Text',
  'a criterion of the rule is empty, or SCHEME is used without SAN_URI':
    'ein Kriterium der Regel ist leer, oder SCHEME steht ohne SAN_URI',
  'accepted by mode soft, although the status is unknown: {1}':
    'durch Modus soft zugelassen, obwohl der Stand nicht festzustellen ist: {=1}',
  'the status cannot be had: {1}': 'der Stand ist nicht festzustellen: {=1}',
  'not in the CRL of {1}': 'nicht in der CRL von {1}',
  'the CRL of {1} has been outdated since {2}': 'die CRL von {1} ist seit {2} veraltet',
  'there is no CRL of its issuer': 'es gibt keine CRL des Ausstellers',
  '{1} was revoked on {2} ({3}), by {4}': '{1} wurde am {2} widerrufen ({3}), laut {4}',
  'good, by {1}': 'gut, laut {1}',
  'nothing says it': 'nichts sagt es',
  'its certificates are not known': 'die Zertifikate sind nicht bekannt',
  "an authority of the overlay's own PKI": 'eine CA der eigenen PKI des Overlays',
  // a path to a trusted authority
  '{1} is malformed: {2}.': '{=1} ist fehlerhaft: {2}.',
  '{1} is self-signed and not among the trusted authorities.':
    '{=1} ist selbstsigniert und gehört nicht zu den vertrauenswürdigen Stellen.',
  'No trusted authority issued {1}; its issuer "{2}" is neither trusted nor was its certificate sent.':
    'Keine vertrauenswürdige Stelle hat es ausgestellt: {=1}; dem Aussteller „{2}“ wird nicht vertraut, und sein Zertifikat wurde nicht gesendet.',
  '{1} names "{2}" as its issuer, but was not signed with the key of that authority.':
    '{=1} nennt „{2}“ als Aussteller, ist aber nicht mit dessen Schlüssel signiert.',
  '{1} expired at {2}.': '{=1} ist am {2} abgelaufen.',
  '{1} is not valid before {2}.': '{=1} ist erst ab {2} gültig.',
  '{1} issued a certificate but is not an authority (basicConstraints).':
    '{=1} hat ein Zertifikat ausgestellt und ist keine CA (basicConstraints).',
  '{1} issued a certificate but its key usage does not allow that (keyCertSign).':
    '{=1} hat ein Zertifikat ausgestellt, was die Schlüsselverwendung nicht erlaubt (keyCertSign).',
  '{1} allows {2} further authorities below it, and there are more.':
    '{=1} erlaubt {2} weitere Stellen darunter, und es sind mehr.',
  '{1} may not be used by clients (extended key usage without clientAuth).':
    '{=1} ist nicht für Clients (erweiterte Schlüsselverwendung ohne clientAuth).',
  '{1} may not sign (key usage without digitalSignature).':
    '{=1} darf nicht signieren (Schlüsselverwendung ohne digitalSignature).',
  '{1} is itself a trusted authority, which does not log in.':
    '{=1} ist selbst eine vertrauenswürdige Stelle, und die meldet sich nicht an.',
  '{1} has a name ({2}) that {3} does not permit.': '{=1} hat einen Namen ({2}), den {=3} nicht zulässt.',
  '{1} has a critical extension that is not supported: {2}.':
    '{=1} hat eine kritische Erweiterung, die nicht unterstützt wird: {2}.',
  '{1} has policy constraints, which are not supported.':
    '{=1} hat Policy Constraints, die nicht unterstützt werden.',
  '{1} is signed with an algorithm that is not accepted: {2}.':
    '{=1} ist mit einem Verfahren signiert, das nicht zulässig ist: {2}.',
  '{1} has a key that is not accepted: {2}.': '{=1} hat einen Schlüssel, der nicht zulässig ist: {2}.',
  'The certificates sent exceed the limit of {1}.':
    'Die gesendeten Zertifikate überschreiten die Grenze ({1}).',
  'The certificates sent can be combined in too many ways.':
    'Die gesendeten Zertifikate lassen sich auf zu viele Weisen kombinieren.',
  'The client certificate "{1}"': 'das Clientzertifikat „{1}“',
  'the client certificate "{1}"': 'das Clientzertifikat „{1}“',
  'The intermediate certificate "{1}"': 'das Zwischenzertifikat „{1}“',
  'the intermediate certificate "{1}"': 'das Zwischenzertifikat „{1}“',
  'The trusted authority "{1}"': 'die vertrauenswürdige Stelle „{1}“',
  'the trusted authority "{1}"': 'die vertrauenswürdige Stelle „{1}“',
  'The client certificate': 'das Clientzertifikat',
  'The intermediate certificate': 'das Zwischenzertifikat',
  // external JWT
  'there is no external JWT signer': 'es gibt keinen externen JWT-Signer',
  'valid for signer {1}': 'gültig für Signer {1}',
  'signer {1}': 'Signer {1}',
  'signer {1}: "{2}"': 'Signer {1}: „{2}“',
  'signer {1}: {2}': 'Signer {1}: {=2}',
  'signer {1} is disabled': 'Signer {1} ist deaktiviert',
  'signer {1} takes tokens for {2}, and one for {3} (signer {4}) too is refused':
    'Signer {1} nimmt Token für {2}; eines, das auch für {3} (Signer {4}) ist, wird abgelehnt',
  'signer {1} with {2} = {3}': 'Signer {1} mit {2} = {3}',
  'signer {1} names external ids, and it has none: {2}':
    'Signer {1} nennt externe Ids, und sie hat keine: {2}',
  'signer {1}, which the policy requires, is not enabled':
    'Signer {1}, den die Richtlinie verlangt, ist nicht aktiv',
  'the signer that the policy requires is not enabled':
    'der Signer, den die Richtlinie verlangt, ist nicht aktiv',
  'signer {1} was changed during the login': 'Signer {1} wurde während der Anmeldung geändert',
  'signer {1} was changed meanwhile': 'Signer {1} wurde inzwischen geändert',
  'signer {1} was disabled or deleted': 'Signer {1} wurde deaktiviert oder gelöscht',
  'policy {1} allows signer {2}': 'Richtlinie {1} erlaubt Signer {2}',
  'policy {1} does not allow signer {2}': 'Richtlinie {1} erlaubt Signer {2} nicht',
  'policy {1} asks for a token of signer {2} besides another method':
    'Richtlinie {1} verlangt ein Token des Signers {2} neben einer anderen Methode',
  'policy {1} requires a token of the issuer of signer {2} as the second proof':
    'Richtlinie {1} verlangt ein Token des Ausstellers von Signer {2} als zweiten Nachweis',
  'none of signer {1}': 'keines von Signer {1}',
  'the token names "{1}"': 'das Token nennt „{1}“',
  'no identity has the {1} "{2}"': 'keine Identität hat „{2}“ ({=1})',
  '=external id': 'externe Id',
  '=id': 'Id',
  'its issuer is {1}': 'der Aussteller ist {1}',
  'its issuer is {1}; signer {2} has {3}': 'der Aussteller ist {1}; Signer {2} hat {3}',
  'its issuer is {1}; signer {2} is for {3}': 'der Aussteller ist {1}; Signer {2} ist für {3}',
  'it is signed with {1}': 'es ist mit {1} signiert',
  'it is signed with {1}, and {2} for {3}': 'es ist mit {1} signiert, und {2} für {3}',
  'its audience is {1}, and not {2}': 'die Audience ist {1} und nicht {2}',
  'its claim {1} is {2}': 'der Claim {1} ist {2}',
  'its claim {1} is {2}, and email_verified is {3}': 'der Claim {1} ist {2}, und email_verified ist {3}',
  'its key id is {1}, and that of the certificate {2}':
    'die Schlüsselkennung ist {1} und die des Zertifikats {2}',
  'the keys could not be fetched, {1} s ago: {2}':
    'die Schlüssel konnten nicht abgerufen werden, zuletzt vor {1} s: {=2}',
  'the answer is no key set, which is a JSON object with a list "keys" and no member twice':
    'die Antwort ist kein Schlüsselsatz, also ein JSON-Objekt mit einer Liste „keys“ und keinem doppelten Mitglied',
  'the key set has more than {1} keys': 'der Schlüsselsatz hat mehr als {1} Schlüssel',
  'the discovery document is none, is of another issuer, or names no keys':
    'das Discovery-Dokument ist keines, gehört einem anderen Aussteller oder nennt keine Schlüssel',
  'it names no key, and {1} keys fit its algorithm {2}':
    'es nennt keinen Schlüssel, und {1} Schlüssel passen zum Verfahren {2}',
  'the certificate is valid from {1} to {2}': 'das Zertifikat gilt von {1} bis {2}',
  '{1} is {2}, not a number of seconds since 1970': '{1} ist {2} und keine Anzahl von Sekunden seit 1970',
  'it was issued at {1} and expired at {2}': 'es wurde am {1} ausgestellt und lief am {2} ab',
  'it has no iat, and maxLifetimeSeconds is {1}': 'es hat kein iat, und maxLifetimeSeconds ist {1}',
  'it is valid for {1} s, and maxLifetimeSeconds is {2}': 'es gilt {1} s, und maxLifetimeSeconds ist {2}',
  'past its expiration: exp is {1}, and it is {2} here': 'abgelaufen: exp ist {1}, und hier ist es {2}',
  '{1} is {2}, and it is {3} here': '{1} ist {2}, und hier ist es {3}',
  '{1} was created, as signer {2} says': '{1} wurde angelegt, wie Signer {2} sagt',
  '{1} would be created': '{1} würde angelegt',
  '{1} of signer {2}': '{1} des Signers {2}',
  'the name {1} is taken': 'der Name {1} ist vergeben',
  'the name {1} passes for {2}': 'der Name {1} ist mit {2} zu verwechseln',
  // passkey
  'policy {1} asks for a passkey as the second proof':
    'Richtlinie {1} verlangt einen Passkey als zweiten Nachweis',
  'none: {1} adds one on the account page': 'keiner: {1} fügt auf der Kontoseite einen hinzu',
  'none yet: the login adds it': 'noch keiner: die Anmeldung fügt ihn hinzu',
  'a new passkey for {1}': 'ein neuer Passkey für {1}',
  'signed by {1}': 'signiert von {1}',
  'by PIN, finger or face': 'durch PIN, Finger oder Gesicht',
  'no, and the policy does not require it': 'nein, und die Richtlinie verlangt es nicht',
  'policy {1} requires user verification': 'Richtlinie {1} verlangt PIN, Finger oder Gesicht',
  'the passkey belongs to another identity': 'der Passkey gehört einer anderen Identität',
  'the challenge is too old, or of another login or step':
    'die Aufgabe ist zu alt oder gehört zu einer anderen Anmeldung oder einem anderen Schritt',
  'this answer was accepted before': 'diese Antwort wurde schon angenommen',
  'no passkey works at this address': 'unter dieser Adresse funktioniert kein Passkey',
  'it does not count': 'er zählt nicht',
  'it is {1}, and was as high before: another device has the key':
    'er ist {1} und war schon so hoch: ein anderes Gerät hat den Schlüssel',
  'it names another owner': 'er nennt einen anderen Besitzer',
  'it names no owner': 'er nennt keinen Besitzer',
  'it was deleted meanwhile': 'er wurde inzwischen gelöscht',
  'it is registered already': 'er ist schon registriert',
  'the identity has another one meanwhile': 'die Identität hat inzwischen einen anderen',
  'the identity has {1} already': 'die Identität hat schon {1}',
  '{1}, {2}; policy {3} allows certain models': '{1}, {=2}; Richtlinie {3} erlaubt bestimmte Modelle',
  // TOTP
  'is set up': 'ist eingerichtet',
  'none yet: the login sets it up': 'noch keine: die Anmeldung richtet sie ein',
  'this code, or a later one, was accepted before': 'dieser Code oder ein späterer wurde schon angenommen',
  'too many wrong codes in a row': 'zu viele falsche Codes hintereinander',
  'an unknown recovery code': 'ein unbekannter Wiederherstellungscode',
  '{1} were left': '{1} waren übrig',
  'not the code of this half minute, nor of the one before or after':
    'weder der Code dieser halben Minute noch der davor oder danach',
  'the first code of a new enrollment': 'der erste Code einer neuen App',
  'no enrollment was started in this login': 'in dieser Anmeldung wurde keine App eingerichtet',
  'another login enrolled first, or it was cancelled':
    'eine andere Anmeldung war schneller, oder das Einrichten wurde abgebrochen',
  // enrollment
  'enrollment {1} of {2}': 'Registrierung {1} von {2}',
  'the token is for {1}': 'das Token ist für {1}',
  'another request used it first': 'eine andere Anfrage hat es zuerst benutzt',
  'rules of policy {1}': 'Regeln der Richtlinie {1}',
  'must be {1}': 'muss {1} sein',
  'the policy does not allow it now, or the passkey would stand for a factor that the identity has':
    'die Richtlinie erlaubt es jetzt nicht, oder der Passkey stünde für einen Faktor, den die Identität hat',
  'made by a helper; the identity administers or has a permission now':
    'vom Support erzeugt; die Identität hat jetzt Rechte',
  '{1} is taken': '{1} ist vergeben',
  '{1} passes for {2}': '{1} ist mit {2} zu verwechseln',
};
