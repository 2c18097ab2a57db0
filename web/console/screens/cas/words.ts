// The texts of the screens for third-party CAs, loaded with them.

import { count, wordsOf } from '../../../parts/language.ts';

export const words = wordsOf({
  text: [
    'Certificate authorities outside this server. People sign in and enroll with their certificates, once it is proved that you hold the key of the CA.',
    'Zertifizierungsstellen außerhalb dieses Servers. Mit ihren Zertifikaten kann man sich anmelden und registrieren, sobald bewiesen ist, dass Sie den Schlüssel der CA haben.',
  ],
  create: ['Add a CA', 'CA hinzufügen'],
  nothing: ['No CA matches.', 'Keine CA passt dazu.'],
  none: ['No CA yet.', 'Noch keine CA.'],
  noneText: [
    'Add the CA of your organisation, and people sign in with its certificates. You need its certificate, and for a moment its key, to prove that it is yours.',
    'Fügen Sie die CA Ihrer Organisation hinzu, und Personen melden sich mit deren Zertifikaten an. Sie brauchen ihr Zertifikat und für einen Moment ihren Schlüssel, um zu beweisen, dass sie Ihre ist.',
  ],
  verified: ['Verified', 'Bestätigt'],
  notVerified: ['Not verified', 'Nicht bestätigt'],
  since: (time: string) => [`Verified ${time}`, `Bestätigt ${time}`],
  what: ['Allowed uses of its certificates', 'Erlaubte Verwendung ihrer Zertifikate'],
  rule: ['The person that a certificate names', 'Die Person, die ein Zertifikat nennt'],
  ruleText: [
    'A certificate that was added to a person names that person. With a rule, other certificates name the person whose external id they contain.',
    'Ein Zertifikat, das einer Person hinzugefügt wurde, nennt diese Person. Mit einer Regel nennen andere Zertifikate die Person, deren externe Id sie enthalten.',
  ],
  hasRule: ['Read an external id from its certificates', 'Eine externe Id aus ihren Zertifikaten lesen'],
  enrolling: ['New identities', 'Neue Identitäten'],
  revocation: ['Revocation', 'Widerruf'],
  lists: ['Revocation lists', 'Sperrlisten'],
  noList: ['None yet', 'Noch keine'],
  delta: ['adds to another list', 'ergänzt eine andere Liste'],
  outdated: ['Outdated', 'Veraltet'],
  entriesOf: (issuer: string, entries: number) => [
    `${issuer}: ${count(entries, 'revoked certificate', 'revoked certificates')}`,
    `${issuer}: ${count(entries, 'widerrufenes Zertifikat', 'widerrufene Zertifikate')}`,
  ],
  listTimes: (from: string, until: string, fetched: string) => [
    `From ${from}, the next one by ${until}. Last had ${fetched}.`,
    `Vom ${from}, die nächste bis ${until}. Zuletzt geholt ${fetched}.`,
  ],
  listProblem: (time: string, problem: string) => [
    `Not had ${time}: ${problem}`,
    `Nicht geholt ${time}: ${problem}`,
  ],
  sentence: {
    which: {
      PREFIX: (text: string) => [` that begins with “${text}”`, ` (beginnt mit „${text}“)`],
      SUFFIX: (text: string) => [` that ends with “${text}”`, ` (endet mit „${text}“)`],
      SCHEME: (text: string) => [` with the scheme “${text}”`, ` (Schema „${text}“)`],
    },
    whole: (what: string) => [`The external id is ${what}.`, `Als externe Id gilt ${what}.`],
    part: (what: string, index: number, at: string) => [
      `The external id is part ${index} of ${what}, split at “${at}”. The first part is 0.`,
      `Als externe Id gilt ${what}, davon bei Trennung an „${at}“ Teil ${index} (der erste ist 0).`,
    ],
  },
  prove: ['Prove that you hold its key', 'Beweisen Sie, dass Sie ihren Schlüssel haben'],
  proveText: ['Until then its certificates are refused.', 'Bis dahin werden ihre Zertifikate abgelehnt.'],
  step1: ['Make a certificate with this common name:', 'Erzeugen Sie ein Zertifikat mit diesem Common Name:'],
  step2: [
    'Let the CA sign it. With openssl, where ca.crt and ca.key are its certificate and key:',
    'Lassen Sie es von der CA signieren. Mit openssl, wenn ca.crt und ca.key ihr Zertifikat und Schlüssel sind:',
  ],
  step3: [
    'Submit that certificate. It proves nothing else, and you can delete it afterwards.',
    'Reichen Sie dieses Zertifikat ein. Es beweist sonst nichts, und Sie können es danach löschen.',
  ],
  proof: ['The certificate, PEM', 'Das Zertifikat, PEM'],
  verify: ['Verify', 'Bestätigen'],
  isVerified: ['The CA is verified', 'Die CA ist bestätigt'],
  jwt: ['JWT for devices that enroll', 'JWT für Geräte, die sich registrieren'],
  jwtText: [
    'Give it to devices with a certificate of this CA, for “overlay-auth enroll” or an SDK. It is not secret and works as often as needed.',
    'Geben Sie es Geräten mit einem Zertifikat dieser CA, für „overlay-auth enroll“ oder ein SDK. Es ist nicht geheim und gilt so oft wie nötig.',
  ],
  disableEnds: [
    'Its certificates are refused, and sessions that they opened stop working.',
    'Ihre Zertifikate werden abgelehnt, und Sitzungen, die sie eröffnet haben, gelten nicht mehr.',
  ],
  ruleEnds: [
    'Sessions opened by the old rule end at once.',
    'Sitzungen, die auf der alten Regel beruhen, enden sofort.',
  ],
  deleteEnds: [
    'Its certificates are refused, and sessions that they opened stop working. If you add it again, you have to prove the key again.',
    'Ihre Zertifikate werden abgelehnt, und Sitzungen, die sie eröffnet haben, gelten nicht mehr. Wenn Sie sie wieder hinzufügen, müssen Sie den Schlüssel neu nachweisen.',
  ],
});
