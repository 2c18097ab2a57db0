// The same for the other entities.

import { wordsOf } from '../../parts/language.ts';
import { authMethods } from './fields-of-sign-ins.ts';

export const fieldsOfOthers = wordsOf({
  ca: {
    labels: {
      certPem: ['Certificate of the CA, PEM', 'Zertifikat der CA, PEM'],
      thumbprint: ['Fingerprint', 'Fingerabdruck'],
      isAuthEnabled: [
        'People sign in with its certificates',
        'Personen melden sich mit ihren Zertifikaten an',
      ],
      isAutoCaEnrollmentEnabled: [
        'Any of its certificates can enroll',
        'Jedes ihrer Zertifikate kann sich registrieren',
      ],
      isOttCaEnrollmentEnabled: [
        'People with an enrollment may use one of its certificates',
        'Personen mit einer Registrierung dürfen eines ihrer Zertifikate verwenden',
      ],
      identityRoles: ['Role attributes of new identities', 'Rollenattribute neuer Identitäten'],
      identityNameFormat: ['Names of new identities', 'Namen neuer Identitäten'],
      externalIdClaim: ['Rule for the external id', 'Regel für die externe Id'],
      'externalIdClaim.location': ['Where it is', 'Wo sie steht'],
      'externalIdClaim.matcher': ['Which one', 'Welche davon'],
      'externalIdClaim.matcherCriteria': 'Text',
      'externalIdClaim.parser': ['How much of it', 'Wie viel davon'],
      'externalIdClaim.parserCriteria': ['Split at', 'Trennen bei'],
      'externalIdClaim.index': ['Which part (the first is 0)', 'Welcher Teil (der erste ist 0)'],
      'externalIdClaim.removeMatched': ['Without the matched text', 'Ohne den gefundenen Text'],
      'revocation.mode': ['Revoked certificates', 'Widerrufene Zertifikate'],
      'revocation.crlUrls': ['Addresses of its revocation lists (CRLs)', 'Adressen ihrer Sperrlisten (CRLs)'],
      'revocation.crlPem': ['Revocation lists, PEM', 'Sperrlisten, PEM'],
      'revocation.ocsp': ['OCSP responder', 'OCSP-Dienst'],
      verifiedAt: ['Verified', 'Bestätigt'],
      isVerified: ['Verified', 'Bestätigt'],
      verificationToken: ['Verification token', 'Token zur Bestätigung'],
    },
    columns: { verifiedAt: ['State', 'Zustand'], isAuthEnabled: ['Signs in', 'Für Anmeldungen'] },
    hints: {
      identityNameFormat: [
        'A template of [caName], [commonName], [identityId], [requestedName]. Empty: [caName]-[commonName].',
        'Eine Vorlage aus [caName], [commonName], [identityId], [requestedName]. Leer: [caName]-[commonName].',
      ],
      'revocation.crlUrls': [
        'One in each line: of the CA and of those below it. Lists are signed, so http will do.',
        'Eine je Zeile: die der CA und der Stellen unter ihr. Listen sind signiert, http genügt also.',
      ],
      'revocation.crlPem': [
        'Instead of addresses. Put in a new list before this one ends.',
        'Anstelle von Adressen. Fügen Sie eine neue Liste ein, bevor diese endet.',
      ],
      'revocation.ocsp': [
        'Asked if no current list decides. Empty: the responder that each certificate names.',
        'Wird gefragt, wenn keine gültige Liste entscheidet. Leer: der Dienst, den jedes Zertifikat nennt.',
      ],
    },
    choices: {
      'revocation.mode': {
        off: ['Not looked for', 'Danach wird nicht gesucht'],
        soft: [
          'Refused; if the status cannot be found out, people sign in',
          'Abgelehnt; ist der Stand nicht festzustellen, gilt die Anmeldung',
        ],
        hard: [
          'Refused, and also if the status cannot be found out',
          'Abgelehnt, auch wenn der Stand nicht festzustellen ist',
        ],
      },
      'externalIdClaim.location': {
        COMMON_NAME: ['The common name', 'Der Common Name'],
        SAN_URI: [
          'An address (URI) among the alternative names',
          'Eine Adresse (URI) unter den alternativen Namen',
        ],
        SAN_EMAIL: [
          'An email address among the alternative names',
          'Eine E-Mail-Adresse unter den alternativen Namen',
        ],
      },
      'externalIdClaim.matcher': {
        ALL: ['Any', 'Alle'],
        PREFIX: ['One that begins with', 'Was so beginnt'],
        SUFFIX: ['One that ends with', 'Was so endet'],
        SCHEME: ['One with the scheme', 'Was dieses Schema hat'],
      },
      'externalIdClaim.parser': { NONE: ['All of it', 'Alles'], SPLIT: ['A part of it', 'Ein Teil davon'] },
    },
  },
  'oidc-client': {
    labels: {
      id: ['Client id', 'Client-Id'],
      type: ['Kind', 'Art'],
      clientUri: ['Start page', 'Startseite'],
      initiateLoginUri: ['Where it begins a sign-in', 'Wo sie eine Anmeldung beginnt'],
      logoUri: 'Logo',
      redirectUris: ['Redirect URIs', 'Redirect-URIs'],
      postLogoutRedirectUris: ['Addresses after sign-out', 'Adressen nach dem Abmelden'],
      tokenEndpointAuthMethod: ['How it authenticates', 'Wie sie sich ausweist'],
      jwks: ['Its keys', 'Ihre Schlüssel'],
      jwksUri: ['Address of its keys', 'Adresse ihrer Schlüssel'],
      requirePkce: ['Refuse sign-ins without PKCE', 'Anmeldungen ohne PKCE ablehnen'],
      requireDpop: [
        'Give it only tokens that are bound to a key (DPoP, RFC 9449)',
        'Nur Token geben, die an einen Schlüssel gebunden sind (DPoP, RFC 9449)',
      ],
      requirePushedAuthorizationRequests: [
        'Refuse sign-ins that it has not announced (PAR, RFC 9126)',
        'Anmeldungen ablehnen, die sie nicht angekündigt hat (PAR, RFC 9126)',
      ],
      idTokenSigningAlg: ['Algorithm of ID tokens', 'Algorithmus der ID-Token'],
      backchannelLogoutUri: [
        'Where it is told that a session has ended',
        'Wo sie erfährt, dass eine Sitzung geendet hat',
      ],
      backchannelLogoutSessionRequired: [
        'It needs the session (sid) for that',
        'Sie braucht dafür die Sitzung (sid)',
      ],
      scopes: 'Scopes',
      droppedScopes: ['Asked for and not allowed', 'Verlangt und nicht erlaubt'],
      apiAccess: ['Its tokens work at the Edge APIs too', 'Ihre Token gelten auch an den Edge-APIs'],
      resources: ['Resources it may request tokens for', 'Ressourcen, für die sie Token verlangen darf'],
      allowedRoleAttributes: [
        'Only for people with one of these role attributes',
        'Nur für Personen mit einem dieser Rollenattribute',
      ],
      claims: 'Claims',
      secrets: ['Secrets', 'Geheimnisse'],
      accessTokenDuration: ['Lifetime of access tokens', 'Lebensdauer der Access-Token'],
      refreshTokenDuration: ['Lifetime of refresh tokens', 'Lebensdauer der Refresh-Token'],
    },
    columns: { apiAccess: ['Edge APIs', 'Edge-APIs'] },
    hints: {
      id: ['Leave it empty for a new one.', 'Leer lassen für eine neue.'],
      clientUri: [
        'People find it on their account page. Empty: it is not offered there.',
        'Personen finden sie auf ihrer Kontoseite. Leer: Sie wird dort nicht angeboten.',
      ],
      initiateLoginUri: [
        'Where the application begins a sign-in (https). The account page opens it instead of the start page.',
        'Wo die Anwendung eine Anmeldung beginnt (https). Die Kontoseite öffnet sie statt der Startseite.',
      ],
      logoUri: [
        'A picture, which is made small here. People see it on their account page.',
        'Ein Bild, das hier verkleinert wird. Personen sehen es auf ihrer Kontoseite.',
      ],
      redirectUris: [
        'Where codes may be sent. One per line, compared exactly; * may stand for the port.',
        'Wohin Codes geschickt werden dürfen. Je Zeile eine, genau verglichen; * darf den Port ersetzen.',
      ],
      tokenEndpointAuthMethod: [
        'A secret is accepted in a header and in the form, whichever of both you choose.',
        'Ein Geheimnis wird im Header und im Formular angenommen, gleich welches von beiden Sie wählen.',
      ],
      jwksUri: ['For private_key_jwt. It begins with https.', 'Für private_key_jwt. Sie beginnt mit https.'],
      backchannelLogoutUri: [
        'An https address (Back-Channel Logout). Empty: it is not told.',
        'Eine https-Adresse (Back-Channel Logout). Leer: Sie erfährt es nicht.',
      ],
      backchannelLogoutSessionRequired: ['It always gets it.', 'Sie bekommt sie immer.'],
      scopes: [
        'One per line: openid, profile, email, groups, offline_access.',
        'Je Zeile einer: openid, profile, email, groups, offline_access.',
      ],
      apiAccess: [
        'For consoles and tools that call this server. Other applications do not need it.',
        'Für Konsolen und Werkzeuge, die diesen Server aufrufen. Andere Anwendungen brauchen es nicht.',
      ],
      resources: ['Absolute URIs, one per line.', 'Absolute URIs, je Zeile eine.'],
      allowedRoleAttributes: ['One per line. None: all people.', 'Je Zeile eines. Keines: alle Personen.'],
      claims: ['One per line, such as email=tags.mail.', 'Je Zeile einer, etwa email=tags.mail.'],
      accessTokenDuration: [
        'Such as 5m. Empty: that of the server, which is also the longest.',
        'Etwa 5m. Leer: die des Servers; länger geht nicht.',
      ],
      refreshTokenDuration: [
        'Such as 5m. Empty: that of the server, which is also the longest.',
        'Etwa 5m. Leer: die des Servers; länger geht nicht.',
      ],
    },
    choices: {
      type: {
        public: [
          'Public: runs on people’s devices, cannot keep a secret',
          'Öffentlich: läuft auf Geräten der Benutzer, kann kein Geheimnis bewahren',
        ],
        confidential: [
          'Confidential: runs on a server, can keep a secret',
          'Vertraulich: läuft auf einem Server, kann ein Geheimnis bewahren',
        ],
      },
      tokenEndpointAuthMethod: authMethods,
    },
    shortChoices: {
      type: { public: ['Public', 'Öffentlich'], confidential: ['Confidential', 'Vertraulich'] },
    },
  },
  'config-type': { labels: {}, hints: {}, choices: {} },
  'event-subscription': {
    labels: {
      type: ['Kind', 'Art'],
      url: ['Address', 'Adresse'],
      enabled: ['Send events', 'Ereignisse senden'],
      events: ['Events', 'Ereignisse'],
      filter: 'Filter',
      trustedRoots: ['Trusted certificates', 'Vertraute Zertifikate'],
      clientCertPem: ['Client certificate', 'Client-Zertifikat'],
      clientKey: ['Its private key', 'Sein privater Schlüssel'],
      secret: ['Secret', 'Geheimnis'],
      secretCreatedAt: ['Secret made', 'Geheimnis angelegt'],
      formerSecretUntil: ['Former secret signs until', 'Früheres Geheimnis signiert bis'],
    },
    hints: {
      url: [
        'It begins with https; that of syslog with tls, such as tls://logs.example.com:6514.',
        'Sie beginnt mit https, die von Syslog mit tls, zum Beispiel tls://logs.example.com:6514.',
      ],
      enabled: [
        'While it is off, nothing is collected for it.',
        'Solange es aus ist, wird nichts dafür gesammelt.',
      ],
      events: [
        'The events to send. None selected: all.',
        'Die Ereignisse, die gesendet werden. Keines ausgewählt: alle.',
      ],
      filter: [
        'As in lists, such as: entity = "identity" and action = "delete". Empty: all.',
        'Wie in Listen, zum Beispiel: entity = "identity" and action = "delete". Leer: alle.',
      ],
      trustedRoots: [
        'PEM. Of authorities that the receiver may have its certificate from, in addition to the usual ones.',
        'PEM. Von Zertifizierungsstellen, von denen der Empfänger sein Zertifikat haben darf, neben den üblichen.',
      ],
      clientCertPem: [
        'PEM, with its chain. For a receiver that asks for one.',
        'PEM, mit seiner Kette. Für einen Empfänger, der eines verlangt.',
      ],
      clientKey: [
        'PEM. It is never shown. Empty: it stays as it is.',
        'PEM. Er wird nie gezeigt. Leer: Er bleibt, wie er ist.',
      ],
    },
    choices: { type: { webhook: 'Webhook', syslog: 'Syslog (TLS)', otlp: ['OTLP logs', 'OTLP-Logs'] } },
  },
});
