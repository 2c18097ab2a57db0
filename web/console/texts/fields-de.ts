// Die Wörter für die Felder der verwalteten Dinge.

import { german } from '../../parts/words.ts';
import type { Fields } from './fields-en.ts';

const authMethods = {
  none: 'Gar nicht (öffentlich)',
  client_secret_basic: 'Geheimnis im Header (client_secret_basic)',
  client_secret_post: 'Geheimnis im Formular (client_secret_post)',
  private_key_jwt: 'Signierte Aussage (private_key_jwt)',
};

export const fields: Fields = {
  common: { name: german.name, tags: 'Tags', updatedAt: 'Geändert', id: 'Id' },
  tagsHint: 'Je Zeile: Name=Wert',
  onePerLine: 'Je Zeile ein Eintrag.',
  identity: {
    labels: {
      type: 'Art',
      externalId: 'Externe Id',
      email: 'E-Mail-Adresse',
      emailVerified: 'Die E-Mail-Adresse ist bestätigt',
      authPolicyId: 'Auth-Richtlinie',
      authPolicyFrom: 'Warum diese Richtlinie',
      isAdmin: german.administrator,
      permissions: 'Berechtigung',
      passwordMustChange: 'Bei der nächsten Anmeldung ein neues Passwort verlangen',
      disabled: 'Deaktiviert: Anmeldung nicht möglich',
      disabledAt: 'Deaktiviert seit',
      disabledUntil: 'Deaktiviert bis',
      roleAttributes: 'Rollenattribute',
      lastLoginAt: 'Letzte Anmeldung',
      isMfaEnabled: german.app,
      hasPasskey: german.passkeys,
    },
    hints: {
      name: 'Wählt die Person über einen Link ein Passwort, meldet sie sich mit diesem Namen an.',
      externalId: 'Die Id, mit der Token anderer Anbieter und Zertifikate diese Person bezeichnen.',
      authPolicyId:
        'Nach Rollenattributen: die dem Namen nach erste Richtlinie, die einem davon zugewiesen ist, sonst „Default“.',
      roleAttributes:
        'Je Zeile eines. Anwendungen und Dienste können eines davon verlangen, und eine Auth-Richtlinie kann ihm zugewiesen sein.',
      disabledUntil: 'Nach der Uhr dieses Browsers. Leer: bis das Konto wieder aktiviert wird.',
    },
    choices: {
      type: {
        Default: 'Standard',
        User: 'Benutzer',
        Device: 'Gerät',
        Service: 'Dienst',
        Router: 'Router',
      },
      authPolicyFrom: {
        identity: 'Für diese Person gewählt',
        roleAttributes: 'Einem Rollenattribut zugewiesen',
        default: 'Keine andere gilt',
      },
    },
  },
  authenticator: {
    labels: { username: german.username, password: german.password, certPem: 'Zertifikat' },
    hints: {},
    choices: {},
  },
  'auth-policy': {
    labels: {
      'primary.updb.allowed': 'Passwörter sind erlaubt',
      'primary.updb.minPasswordLength': 'Mindestlänge von Passwörtern',
      'primary.updb.requireMixedCase': 'Groß- und Kleinbuchstaben im Passwort',
      'primary.updb.requireNumberChar': 'Eine Ziffer im Passwort',
      'primary.updb.requireSpecialChar': 'Ein Sonderzeichen im Passwort',
      'primary.updb.maxAttempts': 'Falsche Passwörter bis zur Sperre (0: nie)',
      'primary.updb.lockoutDurationMinutes':
        'Dauer der Sperre in Minuten (0: bis ein Administrator entsperrt)',
      'primary.updb.mustChangeAfter': 'Höchstes Alter eines Passworts',
      'primary.cert.allowed': 'Zertifikate sind erlaubt',
      'primary.cert.allowExpiredCerts': 'Abgelaufene Zertifikate annehmen',
      'primary.extJwt.allowed': 'Externe JWTs sind erlaubt',
      'primary.extJwt.allowedSigners': 'Angenommene Signer',
      'primary.passkey.allowed': 'Passkeys sind erlaubt',
      'primary.passkey.userVerification': 'PIN, Finger oder Gesicht',
      'primary.passkey.satisfiesSecondary':
        'Ein Passkey mit PIN, Finger oder Gesicht zählt als beide Faktoren',
      'primary.passkey.allowedAuthenticators': 'Erlaubte Modelle von Authenticatoren',
      'secondary.requireTotp': 'Ein Code einer Authenticator-App',
      'secondary.requirePasskey': 'Ein Passkey',
      'secondary.requireExtJwt': 'Ein Token eines anderen Anbieters, von',
      assignTo: 'Rollenattributen zugewiesen',
      requireDpop: 'Nur Token geben, die an einen Schlüssel gebunden sind (DPoP, RFC 9449)',
    },
    hints: {
      'primary.updb.mustChangeAfter': 'Etwa 2160h. Ältere sind beim Anmelden zu ersetzen; leer: nie.',
      'primary.extJwt.allowedSigners':
        'Wählen Sie die Signer, die gelten. Ist keiner gewählt, gilt jeder aktive.',
      'primary.passkey.allowedAuthenticators':
        'AAGUIDs, eine je Zeile; leer: jedes Modell. Die Stammzertifikate der Hersteller stehen in der Konfiguration (edge.passkeys.trustedRoots). Frühere Passkeys müssen neu hinzugefügt werden.',
      'primary.passkey.satisfiesSecondary':
        'Dann braucht er weder Code noch einen weiteren Passkey. Ein Token eines anderen Anbieters bleibt nötig.',
      assignTo:
        'Je Zeile eines. Personen mit einem davon haben diese Richtlinie, wenn keine für sie gewählt wurde. Passen mehrere, gilt die dem Namen nach erste.',
      requireDpop:
        'Programme, die das nicht können, werden abgewiesen. Eine Sitzung, die ohne Schlüssel begann, lässt sich nicht erneuern.',
      'secondary.requirePasskey':
        'Wer keinen hat, fügt ihn bei der nächsten Anmeldung hinzu. Ein Passkey kann nicht erster und zweiter Nachweis zugleich sein, außer er zählt als beide Faktoren.',
    },
    choices: {
      'primary.passkey.userVerification': {
        required: 'Verlangt',
        preferred: 'Gefragt, wo das Gerät es kann',
        discouraged: 'Nicht gefragt',
      },
    },
  },
  'ext-jwt-signer': {
    labels: {
      enabled: 'Seine Token annehmen',
      issuer: 'Aussteller',
      audience: 'Audience',
      certPem: 'Zertifikat mit seinem Schlüssel',
      jwksEndpoint: 'Adresse seiner Schlüssel (JWKS)',
      discovery: 'Schlüssel laut Discovery-Dokument des Anbieters',
      kid: 'Schlüssel-Id des Zertifikats',
      fingerprint: 'Fingerabdruck',
      commonName: 'Common Name',
      notBefore: 'Gültig ab',
      notAfter: 'Gültig bis',
      claimsProperty: 'Claim, der die Person nennt',
      useExternalId: 'Der Claim ist die externe Id der Person',
      leewaySeconds: 'Sekunden, um die seine Uhr abweichen darf',
      maxLifetimeSeconds: 'Längste Lebensdauer eines Tokens in Sekunden',
      externalAuthUrl: 'Wo sich Personen anmelden',
      clientId: 'Client-Id beim Anbieter',
      clientAuthMethod: 'Wie dieser Dienst dort beweist, dass er dieser Client ist',
      clientSecret: 'Geheimnis des Clients',
      hasClientSecret: 'Geheimnis des Clients ist gesetzt',
      scopes: 'Scopes',
      targetToken: 'Welches Token zählt',
      enrollToCertEnabled: 'Ein Token registriert ein Gerät für ein Zertifikat',
      enrollToTokenEnabled: 'Ein erstes Token legt die Identität an; spätere melden sie an',
      enrollAuthPolicyId: 'Auth-Richtlinie neuer Identitäten',
      enrollNameClaimsSelector: 'Claim mit dem Namen neuer Identitäten',
      enrollAttributeClaimsSelector: 'Claim mit Rollenattributen neuer Identitäten',
      createIdentities: 'Personen, die sich zum ersten Mal anmelden',
      'createIdentities.name': 'Claim mit ihrem Namen',
      'createIdentities.email': 'Claim mit ihrer E-Mail-Adresse',
      'createIdentities.roleAttributes': 'Claim mit ihren Rollenattributen',
      'createIdentities.allowedRoleAttributes': 'Rollenattribute, die sie bekommen dürfen',
      'createIdentities.authPolicyId': 'Ihre Auth-Policy',
      requireVerifiedEmail: 'Eine E-Mail-Adresse zählt nur, wenn der Anbieter sie geprüft hat',
    },
    columns: { enabled: 'Zustand' },
    hints: {
      issuer: 'Genau wie er in den Token steht.',
      audience: 'Die Audience, die seine Token nennen müssen. In ID-Token ist das die Client-Id.',
      jwksEndpoint: 'Entweder das, oder ein Zertifikat.',
      certPem: 'PEM. Entweder das, oder die Adresse der Schlüssel.',
      claimsProperty: 'Etwa sub oder email, oder ein JSON-Pointer, der mit einem Schrägstrich beginnt.',
      useExternalId: 'Sonst ist er die Id der Identität hier.',
      maxLifetimeSeconds: 'Leer: beliebig.',
      requireVerifiedEmail: 'Nur für einen Anbieter ausschalten, der nie sagt, ob eine Adresse geprüft ist.',
      externalAuthUrl: 'Die Adresse des Anbieters. Leer: Die Anmeldeseiten bieten ihn nicht an.',
      clientAuthMethod:
        'Für eine signierte Aussage muss beim Anbieter die Adresse der Schlüssel dieses Dienstes (jwks_uri) eingetragen sein.',
      clientSecret:
        'Wird nie angezeigt. Leer: wie bisher. Nach einer Änderung von Issuer, Client-Id oder Adresse neu eingeben.',
      'createIdentities.name':
        'Hier eindeutig: Wenn zwei Personen denselben haben können, nehmen Sie den Claim des Benutzernamens oder der E-Mail-Adresse.',
      'createIdentities.roleAttributes': 'Leer: keine.',
      'createIdentities.allowedRoleAttributes': 'Eines je Zeile. Leer: alle, die der Claim enthält.',
      enrollNameClaimsSelector:
        'Etwa sub oder email, oder ein JSON-Pointer, der mit einem Schrägstrich beginnt.',
      enrollAttributeClaimsSelector: 'Leer: keiner.',
    },
    choices: {
      clientAuthMethod: authMethods,
      targetToken: { ACCESS: 'Access-Token', ID: 'ID-Token' },
      enabled: { true: 'Aktiv', false: 'Deaktiviert' },
    },
  },
  ca: {
    labels: {
      certPem: 'Zertifikat der CA, PEM',
      thumbprint: 'Fingerabdruck',
      isAuthEnabled: 'Personen melden sich mit ihren Zertifikaten an',
      isAutoCaEnrollmentEnabled: 'Jedes ihrer Zertifikate kann sich registrieren',
      isOttCaEnrollmentEnabled: 'Personen mit einer Registrierung dürfen eines ihrer Zertifikate verwenden',
      identityRoles: 'Rollenattribute neuer Identitäten',
      identityNameFormat: 'Namen neuer Identitäten',
      externalIdClaim: 'Regel für die externe Id',
      'externalIdClaim.location': 'Wo sie steht',
      'externalIdClaim.matcher': 'Welche davon',
      'externalIdClaim.matcherCriteria': 'Text',
      'externalIdClaim.parser': 'Wie viel davon',
      'externalIdClaim.parserCriteria': 'Trennen bei',
      'externalIdClaim.index': 'Welcher Teil (der erste ist 0)',
      'externalIdClaim.removeMatched': 'Ohne den gefundenen Text',
      'revocation.mode': 'Widerrufene Zertifikate',
      'revocation.crlUrls': 'Adressen ihrer Sperrlisten (CRLs)',
      'revocation.crlPem': 'Sperrlisten, PEM',
      'revocation.ocsp': 'OCSP-Dienst',
      verifiedAt: 'Bestätigt',
      isVerified: 'Bestätigt',
      verificationToken: 'Token zur Bestätigung',
    },
    columns: { verifiedAt: 'Zustand', isAuthEnabled: 'Für Anmeldungen' },
    hints: {
      identityNameFormat:
        'Eine Vorlage aus [caName], [commonName], [identityId], [requestedName]. Leer: [caName]-[commonName].',
      'revocation.crlUrls':
        'Eine je Zeile: die der CA und der Stellen unter ihr. Listen sind signiert, http genügt also.',
      'revocation.crlPem': 'Anstelle von Adressen. Fügen Sie eine neue Liste ein, bevor diese endet.',
      'revocation.ocsp':
        'Wird gefragt, wenn keine gültige Liste entscheidet. Leer: der Dienst, den jedes Zertifikat nennt.',
    },
    choices: {
      'revocation.mode': {
        off: 'Danach wird nicht gesucht',
        soft: 'Abgelehnt; ist der Stand nicht festzustellen, gilt die Anmeldung',
        hard: 'Abgelehnt, auch wenn der Stand nicht festzustellen ist',
      },
      'externalIdClaim.location': {
        COMMON_NAME: 'Der Common Name',
        SAN_URI: 'Eine Adresse (URI) unter den alternativen Namen',
        SAN_EMAIL: 'Eine E-Mail-Adresse unter den alternativen Namen',
      },
      'externalIdClaim.matcher': {
        ALL: 'Alle',
        PREFIX: 'Was so beginnt',
        SUFFIX: 'Was so endet',
        SCHEME: 'Was dieses Schema hat',
      },
      'externalIdClaim.parser': { NONE: 'Alles', SPLIT: 'Ein Teil davon' },
    },
  },
  'oidc-client': {
    labels: {
      id: 'Client-Id',
      type: 'Art',
      redirectUris: 'Redirect-URIs',
      postLogoutRedirectUris: 'Adressen nach dem Abmelden',
      tokenEndpointAuthMethod: 'Wie sie sich ausweist',
      jwks: 'Ihre Schlüssel',
      jwksUri: 'Adresse ihrer Schlüssel',
      requirePkce: 'Anmeldungen ohne PKCE ablehnen',
      requireDpop: 'Nur Token geben, die an einen Schlüssel gebunden sind (DPoP, RFC 9449)',
      requirePushedAuthorizationRequests:
        'Anmeldungen ablehnen, die sie nicht angekündigt hat (PAR, RFC 9126)',
      idTokenSigningAlg: 'Algorithmus der ID-Token',
      backchannelLogoutUri: 'Wo sie erfährt, dass eine Sitzung geendet hat',
      backchannelLogoutSessionRequired: 'Sie braucht dafür die Sitzung (sid)',
      scopes: 'Scopes',
      apiAccess: 'Ihre Token gelten auch an den Edge-APIs',
      resources: 'Ressourcen, für die sie Token verlangen darf',
      allowedRoleAttributes: 'Nur für Personen mit einem dieser Rollenattribute',
      claims: 'Claims',
      secrets: 'Geheimnisse',
      accessTokenDuration: 'Lebensdauer der Access-Token',
      refreshTokenDuration: 'Lebensdauer der Refresh-Token',
    },
    columns: { apiAccess: 'Edge-APIs' },
    hints: {
      id: 'Leer lassen für eine neue.',
      redirectUris:
        'Wohin Codes geschickt werden dürfen. Je Zeile eine, genau verglichen; * darf den Port ersetzen.',
      jwksUri: 'Für private_key_jwt. Sie beginnt mit https.',
      backchannelLogoutUri: 'Eine https-Adresse (Back-Channel Logout). Leer: Sie erfährt es nicht.',
      backchannelLogoutSessionRequired: 'Sie bekommt sie immer.',
      scopes: 'Je Zeile einer: openid, profile, email, groups, offline_access.',
      apiAccess:
        'Für Konsolen und Werkzeuge, die diesen Server aufrufen. Andere Anwendungen brauchen es nicht.',
      resources: 'Absolute URIs, je Zeile eine.',
      allowedRoleAttributes: 'Je Zeile eines. Keines: alle Personen.',
      claims: 'Je Zeile einer, etwa email=tags.mail.',
      accessTokenDuration: 'Etwa 5m. Leer: die des Servers; länger geht nicht.',
      refreshTokenDuration: 'Etwa 5m. Leer: die des Servers; länger geht nicht.',
    },
    choices: {
      type: {
        public: 'Öffentlich: läuft auf Geräten der Benutzer, kann kein Geheimnis bewahren',
        confidential: 'Vertraulich: läuft auf einem Server, kann ein Geheimnis bewahren',
      },
      tokenEndpointAuthMethod: authMethods,
    },
    shortChoices: { type: { public: 'Öffentlich', confidential: 'Vertraulich' } },
  },
  'config-type': { labels: {}, hints: {}, choices: {} },
  'event-subscription': {
    labels: {
      type: 'Art',
      url: 'Adresse',
      enabled: 'Ereignisse senden',
      events: 'Ereignisse',
      filter: 'Filter',
      trustedRoots: 'Vertraute Zertifikate',
      clientCertPem: 'Client-Zertifikat',
      clientKey: 'Sein privater Schlüssel',
      secret: 'Geheimnis',
      secretCreatedAt: 'Geheimnis angelegt',
      formerSecretUntil: 'Früheres Geheimnis signiert bis',
    },
    hints: {
      url: 'Sie beginnt mit https, die von Syslog mit tls, zum Beispiel tls://logs.example.com:6514.',
      enabled: 'Solange es aus ist, wird nichts dafür gesammelt.',
      events: 'Eines je Zeile, zum Beispiel admin.changed. Keines: alle.',
      filter: 'Wie in Listen, zum Beispiel: entity = "identity" and action = "delete". Leer: alle.',
      trustedRoots:
        'PEM. Von Zertifizierungsstellen, von denen der Empfänger sein Zertifikat haben darf, neben den üblichen.',
      clientCertPem: 'PEM, mit seiner Kette. Für einen Empfänger, der eines verlangt.',
      clientKey: 'PEM. Er wird nie gezeigt. Leer: Er bleibt, wie er ist.',
    },
    choices: { type: { webhook: 'Webhook', syslog: 'Syslog (TLS)', otlp: 'OTLP-Logs' } },
  },
};
