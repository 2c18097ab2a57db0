// The texts of the screens for third-party CAs, loaded with them.

import { wordsOf } from '../../texts/texts.ts';

const en = {
  text: 'Certificate authorities outside this server. People sign in and enroll with their certificates, once it is proved that you hold the key of the CA.',
  create: 'Add a CA',
  nothing: 'No CA matches.',
  none: 'No CA yet.',
  noneText:
    'Add the CA of your organisation, and people sign in with its certificates. You need its certificate, and for a moment its key, to prove that it is yours.',
  verified: 'Verified',
  notVerified: 'Not verified',
  since: (time: string) => `Verified ${time}`,
  file: 'Or choose its file',
  what: 'Allowed uses of its certificates',
  rule: 'The person that a certificate names',
  ruleText:
    'A certificate that was added to a person names that person. With a rule, other certificates name the person whose external id they contain.',
  hasRule: 'Read an external id from its certificates',
  enrolling: 'New identities',
  revocation: 'Revocation',
  lists: 'Revocation lists',
  noList: 'None yet',
  delta: 'adds to another list',
  outdated: 'Outdated',
  entriesOf: (issuer: string, entries: number) => `${issuer}: ${entries} revoked certificates`,
  listTimes: (from: string, until: string, fetched: string) =>
    `From ${from}, the next one by ${until}. Last had ${fetched}.`,
  listProblem: (time: string, problem: string) => `Not had ${time}: ${problem}`,
  sentence: {
    which: {
      PREFIX: (text: string) => ` that begins with “${text}”`,
      SUFFIX: (text: string) => ` that ends with “${text}”`,
      SCHEME: (text: string) => ` with the scheme “${text}”`,
    },
    whole: (what: string) => `The external id is ${what}.`,
    part: (what: string, index: number, at: string) =>
      `The external id is part ${index} of ${what}, split at “${at}”. The first part is 0.`,
  },
  prove: 'Prove that you hold its key',
  proveText: 'Until then its certificates are refused.',
  step1: 'Make a certificate with this common name:',
  step2: 'Let the CA sign it. With openssl, where ca.crt and ca.key are its certificate and key:',
  step3: 'Submit that certificate. It proves nothing else, and you can delete it afterwards.',
  proof: 'The certificate, PEM',
  verify: 'Verify',
  isVerified: 'The CA is verified',
  jwt: 'JWT for devices that enroll',
  jwtText:
    'Give it to devices with a certificate of this CA, for “overlay-auth enroll” or an SDK. It is not secret and works as often as needed.',
  disableEnds: 'Its certificates are refused, and sessions that they opened stop working.',
  ruleEnds: 'Sessions opened by the old rule end at once.',
  deleteEnds:
    'Its certificates are refused, and sessions that they opened stop working. If you add it again, you have to prove the key again.',
};

const de: typeof en = {
  text: 'Zertifizierungsstellen außerhalb dieses Servers. Mit ihren Zertifikaten kann man sich anmelden und registrieren, sobald bewiesen ist, dass Sie den Schlüssel der CA haben.',
  create: 'CA hinzufügen',
  nothing: 'Keine CA passt dazu.',
  none: 'Noch keine CA.',
  noneText:
    'Fügen Sie die CA Ihrer Organisation hinzu, und Personen melden sich mit deren Zertifikaten an. Sie brauchen ihr Zertifikat und für einen Moment ihren Schlüssel, um zu beweisen, dass sie Ihre ist.',
  verified: 'Bestätigt',
  notVerified: 'Nicht bestätigt',
  since: (time) => `Bestätigt ${time}`,
  file: 'Oder wählen Sie die Datei',
  what: 'Erlaubte Verwendung ihrer Zertifikate',
  rule: 'Die Person, die ein Zertifikat nennt',
  ruleText:
    'Ein Zertifikat, das einer Person hinzugefügt wurde, nennt diese Person. Mit einer Regel nennen andere Zertifikate die Person, deren externe Id sie enthalten.',
  hasRule: 'Eine externe Id aus ihren Zertifikaten lesen',
  enrolling: 'Neue Identitäten',
  revocation: 'Widerruf',
  lists: 'Sperrlisten',
  noList: 'Noch keine',
  delta: 'ergänzt eine andere Liste',
  outdated: 'Veraltet',
  entriesOf: (issuer, entries) => `${issuer}: ${entries} widerrufene Zertifikate`,
  listTimes: (from, until, fetched) => `Vom ${from}, die nächste bis ${until}. Zuletzt geholt ${fetched}.`,
  listProblem: (time, problem) => `Nicht geholt ${time}: ${problem}`,
  sentence: {
    which: {
      PREFIX: (text) => ` (beginnt mit „${text}“)`,
      SUFFIX: (text) => ` (endet mit „${text}“)`,
      SCHEME: (text) => ` (Schema „${text}“)`,
    },
    whole: (what) => `Als externe Id gilt ${what}.`,
    part: (what, index, at) =>
      `Als externe Id gilt ${what}, davon bei Trennung an „${at}“ Teil ${index} (der erste ist 0).`,
  },
  prove: 'Beweisen Sie, dass Sie ihren Schlüssel haben',
  proveText: 'Bis dahin werden ihre Zertifikate abgelehnt.',
  step1: 'Erzeugen Sie ein Zertifikat mit diesem Common Name:',
  step2:
    'Lassen Sie es von der CA signieren. Mit openssl, wenn ca.crt und ca.key ihr Zertifikat und Schlüssel sind:',
  step3: 'Reichen Sie dieses Zertifikat ein. Es beweist sonst nichts, und Sie können es danach löschen.',
  proof: 'Das Zertifikat, PEM',
  verify: 'Bestätigen',
  isVerified: 'Die CA ist bestätigt',
  jwt: 'JWT für Geräte, die sich registrieren',
  jwtText:
    'Geben Sie es Geräten mit einem Zertifikat dieser CA, für „overlay-auth enroll“ oder ein SDK. Es ist nicht geheim und gilt so oft wie nötig.',
  disableEnds: 'Ihre Zertifikate werden abgelehnt, und Sitzungen, die sie eröffnet haben, gelten nicht mehr.',
  ruleEnds: 'Sitzungen, die auf der alten Regel beruhen, enden sofort.',
  deleteEnds:
    'Ihre Zertifikate werden abgelehnt, und Sitzungen, die sie eröffnet haben, gelten nicht mehr. Wenn Sie sie wieder hinzufügen, müssen Sie den Schlüssel neu nachweisen.',
};

export const words = wordsOf(en, de);
