// The words for the fields of managed entities. They have the names of the tables in src/model/entities/; members of
// groups and objects have the path.

import { words, wordsOf } from '../../parts/language.ts';

/** How a client authenticates. */
export const authMethods = wordsOf({
  none: ['Not at all (public)', 'Gar nicht (öffentlich)'],
  client_secret_basic: [
    'Secret in a header (client_secret_basic)',
    'Geheimnis im Header (client_secret_basic)',
  ],
  client_secret_post: [
    'Secret in the form (client_secret_post)',
    'Geheimnis im Formular (client_secret_post)',
  ],
  private_key_jwt: ['Signed assertion (private_key_jwt)', 'Signierte Aussage (private_key_jwt)'],
});

/** Of people, policies and signers. */
export const fieldsOfSignIns = wordsOf({
  common: { name: words.name, tags: 'Tags', updatedAt: ['Changed', 'Geändert'], id: 'Id' },
  tagsHint: ['One per line: name=value', 'Je Zeile: Name=Wert'],
  onePerLine: ['One per line.', 'Je Zeile ein Eintrag.'],
  identity: {
    labels: {
      type: ['Type', 'Art'],
      externalId: ['External id', 'Externe Id'],
      email: ['Email address', 'E-Mail-Adresse'],
      emailVerified: ['The email address is verified', 'Die E-Mail-Adresse ist bestätigt'],
      authPolicyId: ['Auth policy', 'Auth-Richtlinie'],
      authPolicyFrom: ['Why this policy', 'Warum diese Richtlinie'],
      isAdmin: words.administrator,
      permissions: ['Permission', 'Berechtigung'],
      passwordMustChange: [
        'Ask for a new password at the next sign-in',
        'Bei der nächsten Anmeldung ein neues Passwort verlangen',
      ],
      disabled: ['Disabled: they cannot sign in', 'Deaktiviert: Anmeldung nicht möglich'],
      disabledAt: ['Disabled since', 'Deaktiviert seit'],
      disabledUntil: ['Disabled until', 'Deaktiviert bis'],
      roleAttributes: ['Role attributes', 'Rollenattribute'],
      lastLoginAt: ['Last sign-in', 'Letzte Anmeldung'],
      isMfaEnabled: words.app,
      hasPasskey: words.passkeys,
    },
    hints: {
      name: [
        'A person who chooses a password by a link signs in with this name.',
        'Wählt die Person über einen Link ein Passwort, meldet sie sich mit diesem Namen an.',
      ],
      externalId: [
        'The id that identifies this person in other providers’ tokens and in certificates.',
        'Die Id, mit der Token anderer Anbieter und Zertifikate diese Person bezeichnen.',
      ],
      authPolicyId: [
        'By role attributes: the first policy by name that is assigned to one of theirs, otherwise “Default”.',
        'Nach Rollenattributen: die dem Namen nach erste Richtlinie, die einem davon zugewiesen ist, sonst „Default“.',
      ],
      roleAttributes: [
        'One per line. Applications and services may ask for one of them, and an auth policy may be assigned to it.',
        'Je Zeile eines. Anwendungen und Dienste können eines davon verlangen, und eine Auth-Richtlinie kann ihm zugewiesen sein.',
      ],
      disabledUntil: [
        'By the clock of this browser. Empty: until the account is enabled again.',
        'Nach der Uhr dieses Browsers. Leer: bis das Konto wieder aktiviert wird.',
      ],
    },
    choices: {
      type: {
        Default: ['Default', 'Standard'],
        User: ['User', 'Benutzer'],
        Device: ['Device', 'Gerät'],
        Service: ['Service', 'Dienst'],
        Router: 'Router',
      },
      authPolicyFrom: {
        identity: ['Chosen for this person', 'Für diese Person gewählt'],
        roleAttributes: ['Assigned to a role attribute', 'Einem Rollenattribut zugewiesen'],
        default: ['No other one applies', 'Keine andere gilt'],
      },
    },
  },
  authenticator: {
    labels: { username: words.username, password: words.password, certPem: ['Certificate', 'Zertifikat'] },
    hints: {},
    choices: {},
  },
  'auth-policy': {
    labels: {
      'primary.updb.allowed': ['Passwords are allowed', 'Passwörter sind erlaubt'],
      'primary.updb.minPasswordLength': ['Minimum length of passwords', 'Mindestlänge von Passwörtern'],
      'primary.updb.requireMixedCase': [
        'Upper and lower case in passwords',
        'Groß- und Kleinbuchstaben im Passwort',
      ],
      'primary.updb.requireNumberChar': ['A digit in passwords', 'Eine Ziffer im Passwort'],
      'primary.updb.requireSpecialChar': [
        'A special character in passwords',
        'Ein Sonderzeichen im Passwort',
      ],
      'primary.updb.maxAttempts': [
        'Wrong passwords until it is locked (0: never)',
        'Falsche Passwörter bis zur Sperre (0: nie)',
      ],
      'primary.updb.lockoutDurationMinutes': [
        'Minutes it is locked (0: until an administrator unlocks it)',
        'Dauer der Sperre in Minuten (0: bis ein Administrator entsperrt)',
      ],
      'primary.updb.mustChangeAfter': ['Longest age of a password', 'Höchstes Alter eines Passworts'],
      'primary.cert.allowed': ['Certificates are allowed', 'Zertifikate sind erlaubt'],
      'primary.cert.allowExpiredCerts': ['Accept expired certificates', 'Abgelaufene Zertifikate annehmen'],
      'primary.extJwt.allowed': ['External JWTs are allowed', 'Externe JWTs sind erlaubt'],
      'primary.extJwt.allowedSigners': ['Accepted signers', 'Angenommene Signer'],
      'primary.passkey.allowed': ['Passkeys are allowed', 'Passkeys sind erlaubt'],
      'primary.passkey.userVerification': ['PIN, finger or face', 'PIN, Finger oder Gesicht'],
      'primary.passkey.satisfiesSecondary': [
        'A passkey with PIN, finger or face counts as both factors',
        'Ein Passkey mit PIN, Finger oder Gesicht zählt als beide Faktoren',
      ],
      'primary.passkey.allowedAuthenticators': [
        'Allowed models of authenticators',
        'Erlaubte Modelle von Authenticatoren',
      ],
      'secondary.requireTotp': ['A code from an authenticator app', 'Ein Code einer Authenticator-App'],
      'secondary.requirePasskey': ['A passkey', 'Ein Passkey'],
      'secondary.requireExtJwt': [
        'A token of another provider, from',
        'Ein Token eines anderen Anbieters, von',
      ],
      assignTo: ['Assigned to role attributes', 'Rollenattributen zugewiesen'],
      requireDpop: [
        'Give only tokens that are bound to a key (DPoP, RFC 9449)',
        'Nur Token geben, die an einen Schlüssel gebunden sind (DPoP, RFC 9449)',
      ],
    },
    hints: {
      'primary.updb.mustChangeAfter': [
        'Such as 90d. Older ones have to be replaced at sign-in; empty: never.',
        'Etwa 90d. Ältere sind beim Anmelden zu ersetzen; leer: nie.',
      ],
      'primary.extJwt.allowedSigners': [
        'Choose the signers that are accepted. If none is chosen, every enabled one is.',
        'Wählen Sie die Signer, die gelten. Ist keiner gewählt, gilt jeder aktive.',
      ],
      'primary.passkey.allowedAuthenticators': [
        'AAGUIDs, one a line; empty: every model. The authorities of the makers stand in the configuration (edge.passkeys.trustedRoots). Passkeys from before have to be added again.',
        'AAGUIDs, eine je Zeile; leer: jedes Modell. Die Stammzertifikate der Hersteller stehen in der Konfiguration (edge.passkeys.trustedRoots). Frühere Passkeys müssen neu hinzugefügt werden.',
      ],
      'primary.passkey.satisfiesSecondary': [
        'It needs no code and no other passkey then. A token of another provider stays required.',
        'Dann braucht er weder Code noch einen weiteren Passkey. Ein Token eines anderen Anbieters bleibt nötig.',
      ],
      assignTo: [
        'One per line. People with one of them have this policy, unless one was chosen for them. If several policies fit, the first by name applies.',
        'Je Zeile eines. Personen mit einem davon haben diese Richtlinie, wenn keine für sie gewählt wurde. Passen mehrere, gilt die dem Namen nach erste.',
      ],
      requireDpop: [
        'Programs that cannot do this are refused. A session that was opened without a key cannot be refreshed.',
        'Programme, die das nicht können, werden abgewiesen. Eine Sitzung, die ohne Schlüssel begann, lässt sich nicht erneuern.',
      ],
      'secondary.requirePasskey': [
        'People without one add it at their next sign-in. A passkey cannot be both the first and the second proof, unless it counts as both factors.',
        'Wer keinen hat, fügt ihn bei der nächsten Anmeldung hinzu. Ein Passkey kann nicht erster und zweiter Nachweis zugleich sein, außer er zählt als beide Faktoren.',
      ],
    },
    choices: {
      'primary.passkey.userVerification': {
        required: ['Required', 'Verlangt'],
        preferred: ['Asked for, where the device can', 'Gefragt, wo das Gerät es kann'],
        discouraged: ['Not asked for', 'Nicht gefragt'],
      },
    },
  },
  'ext-jwt-signer': {
    labels: {
      enabled: ['Accept its tokens', 'Seine Token annehmen'],
      issuer: ['Issuer', 'Aussteller'],
      audience: 'Audience',
      certPem: ['Certificate with its key', 'Zertifikat mit seinem Schlüssel'],
      jwksEndpoint: ['Address of its keys (JWKS)', 'Adresse seiner Schlüssel (JWKS)'],
      discovery: [
        "Follow the provider's discovery document for its keys",
        'Schlüssel laut Discovery-Dokument des Anbieters',
      ],
      kid: ['Key id of the certificate', 'Schlüssel-Id des Zertifikats'],
      fingerprint: ['Fingerprint', 'Fingerabdruck'],
      commonName: ['Common name', 'Common Name'],
      notBefore: ['Valid from', 'Gültig ab'],
      notAfter: ['Valid until', 'Gültig bis'],
      claimsProperty: ['Claim that names the person', 'Claim, der die Person nennt'],
      useExternalId: [
        'The claim is the external id of the person',
        'Der Claim ist die externe Id der Person',
      ],
      leewaySeconds: ['Seconds its clock may be off', 'Sekunden, um die seine Uhr abweichen darf'],
      maxLifetimeSeconds: [
        'Longest lifetime of a token in seconds',
        'Längste Lebensdauer eines Tokens in Sekunden',
      ],
      externalAuthUrl: ['Where people sign in', 'Wo sich Personen anmelden'],
      clientId: ['Client id at the provider', 'Client-Id beim Anbieter'],
      clientAuthMethod: [
        'How this service proves there that it is this client',
        'Wie dieser Dienst dort beweist, dass er dieser Client ist',
      ],
      clientSecret: ['Secret of the client', 'Geheimnis des Clients'],
      hasClientSecret: ['Secret of the client is set', 'Geheimnis des Clients ist gesetzt'],
      scopes: 'Scopes',
      targetToken: ['Which token counts', 'Welches Token zählt'],
      enrollToCertEnabled: [
        'A token enrolls a device for a certificate',
        'Ein Token registriert ein Gerät für ein Zertifikat',
      ],
      enrollToTokenEnabled: [
        'A first token creates the identity; later ones sign in',
        'Ein erstes Token legt die Identität an; spätere melden sie an',
      ],
      enrollAuthPolicyId: ['Auth policy of new identities', 'Auth-Richtlinie neuer Identitäten'],
      enrollNameClaimsSelector: [
        'Claim with the name of new identities',
        'Claim mit dem Namen neuer Identitäten',
      ],
      enrollAttributeClaimsSelector: [
        'Claim with role attributes of new identities',
        'Claim mit Rollenattributen neuer Identitäten',
      ],
      createIdentities: [
        'People who sign in for the first time',
        'Personen, die sich zum ersten Mal anmelden',
      ],
      'createIdentities.name': ['Claim with their name', 'Claim mit ihrem Namen'],
      'createIdentities.email': ['Claim with their email address', 'Claim mit ihrer E-Mail-Adresse'],
      'createIdentities.roleAttributes': [
        'Claim with their role attributes',
        'Claim mit ihren Rollenattributen',
      ],
      'createIdentities.allowedRoleAttributes': [
        'Role attributes that they may get',
        'Rollenattribute, die sie bekommen dürfen',
      ],
      'createIdentities.authPolicyId': ['Their auth policy', 'Ihre Auth-Richtlinie'],
      requireVerifiedEmail: [
        'Accept an email address only if the provider has verified it',
        'Eine E-Mail-Adresse zählt nur, wenn der Anbieter sie geprüft hat',
      ],
    },
    columns: { enabled: ['State', 'Zustand'] },
    hints: {
      issuer: ['Exactly as in its tokens.', 'Genau wie er in den Token steht.'],
      audience: [
        'The audience that its tokens must name. In ID tokens this is the client id.',
        'Die Audience, die seine Token nennen müssen. In ID-Token ist das die Client-Id.',
      ],
      jwksEndpoint: ['Either this, or a certificate.', 'Entweder das, oder ein Zertifikat.'],
      certPem: [
        'PEM. Either this, or the address of the keys.',
        'PEM. Entweder das, oder die Adresse der Schlüssel.',
      ],
      claimsProperty: [
        'Such as sub or email, or a JSON pointer that begins with a slash.',
        'Etwa sub oder email, oder ein JSON-Pointer, der mit einem Schrägstrich beginnt.',
      ],
      useExternalId: [
        'Otherwise it is the id of the identity here.',
        'Sonst ist er die Id der Identität hier.',
      ],
      maxLifetimeSeconds: ['Empty: any.', 'Leer: beliebig.'],
      requireVerifiedEmail: [
        'Turn it off only for a provider that never says whether an address is verified.',
        'Nur für einen Anbieter ausschalten, der nie sagt, ob eine Adresse geprüft ist.',
      ],
      externalAuthUrl: [
        'The address of the provider. Empty: the sign-in pages do not offer it.',
        'Die Adresse des Anbieters. Leer: Die Anmeldeseiten bieten ihn nicht an.',
      ],
      clientAuthMethod: [
        'For a signed assertion, register the address of the keys of this service (jwks_uri) at the provider.',
        'Für eine signierte Aussage muss beim Anbieter die Adresse der Schlüssel dieses Dienstes (jwks_uri) eingetragen sein.',
      ],
      clientSecret: [
        'Never shown. Empty: as it is. Set it again where issuer, client id or address change.',
        'Wird nie angezeigt. Leer: wie bisher. Nach einer Änderung von Aussteller, Client-Id oder Adresse neu eingeben.',
      ],
      'createIdentities.name': [
        'Unique here: if two people may have the same, take the claim of a user name or the email address.',
        'Hier eindeutig: Wenn zwei Personen denselben haben können, nehmen Sie den Claim des Benutzernamens oder der E-Mail-Adresse.',
      ],
      'createIdentities.roleAttributes': ['Empty: none.', 'Leer: keine.'],
      'createIdentities.allowedRoleAttributes': [
        'One per line. Empty: all that the claim contains.',
        'Eines je Zeile. Leer: alle, die der Claim enthält.',
      ],
      enrollNameClaimsSelector: [
        'Such as sub or email, or a JSON pointer that begins with a slash.',
        'Etwa sub oder email, oder ein JSON-Pointer, der mit einem Schrägstrich beginnt.',
      ],
      enrollAttributeClaimsSelector: ['Empty: none.', 'Leer: keiner.'],
    },
    choices: {
      clientAuthMethod: authMethods,
      targetToken: { ACCESS: ['Access token', 'Access-Token'], ID: ['ID token', 'ID-Token'] },
      enabled: { true: ['Enabled', 'Aktiv'], false: ['Disabled', 'Deaktiviert'] },
    },
  },
});
