// The texts of the screens for external JWT signers, loaded with them.

import { wordsOf } from '../../texts/texts.ts';

const en = {
  text: 'Identity providers whose tokens are accepted here: for signing in, or as a second proof.',
  create: 'Connect a provider',
  nothing: 'No signer matches.',
  none: 'No signer yet.',
  noneText:
    'Connect the identity provider of your organisation, and people sign in with the account that they have there. All you need is its address.',
  lookUpText: 'Type the address of the provider. The settings that it publishes are filled in.',
  address: 'Address of the provider',
  addressHint: 'Such as login.example.com',
  addressCapitals: 'Replace what is written in capitals.',
  otherProvider: 'Another one',
  redirectLater: 'The redirect URI is shown here after saving.',
  documentationOf: (name: string) => `Documentation of ${name}`,
  lookUp: 'Look it up',
  byHand: 'Fill it in by hand',
  found: (issuer: string, keys: number) =>
    `Found ${issuer} with ${keys} usable ${keys === 1 ? 'key' : 'keys'}.`,
  registerThere:
    'Register this server there as an application without a secret (public, PKCE), and enter the client id that you get.',
  claimsFound: (claims: string) => `It has the claims ${claims}.`,
  provider: 'Provider',
  who: 'The person that a token names',
  people: 'Sign-in on the pages',
  newcomers: 'People who sign in for the first time',
  newcomersText:
    'They are refused unless an identity is created for them. It administers nothing, and the claim above becomes its external id. Test sign-in shows beforehand what would be created.',
  createThem: 'Create an identity for them',
  wouldCreate: 'It would create',
  enrolling: 'Enrollment with a token',
  redirectUri: 'Redirect URI to register there',
  endsText: 'Sessions that it opened end at once, and tokens that it signs are judged by the new rules.',
  disableEnds: 'Sessions that it opened end at once, and its tokens are refused until it is enabled again.',
  deleteEnds:
    'Sessions that it opened end at once, and its tokens are refused. While an auth policy names it, it cannot be deleted.',
  try: 'Test sign-in',
  signInText:
    'Sign in at the provider with an account that should work here. You see its token and the decision that a sign-in would get; no session is opened here.',
  signInThere: 'Sign in at the provider',
  waiting: 'Sign in in the other window. The result shows here.',
  giveUp: 'Stop waiting',
  noSignIn:
    'To test by a real sign-in, save where people sign in and the client id. Until then, paste a token.',
  paste: 'Check a token that you have',
  tryText:
    'Paste a token of the provider. The server judges it by the rules of a real sign-in; no session is opened.',
  token: 'Token',
  check: 'Check it',
  acceptedFor: 'Accepted. It signs in',
  secondFor: 'Accepted as the second proof of',
  refused: 'Refused:',
  named: 'It names',
  noPerson: 'No person was found.',
  decoded: 'Contents of the token',
  decodedText: 'Only read here: the checks above did not verify it.',
  verifiedText: 'The checks above verified it.',
  header: 'Header',
  payload: 'Claims',
  unreadable: 'This is not a JWT: it does not have three readable parts.',
};

const de: typeof en = {
  text: 'Identitätsanbieter, deren Token hier gelten: zum Anmelden oder als zweiter Nachweis.',
  create: 'Anbieter verbinden',
  nothing: 'Kein Signer passt dazu.',
  none: 'Noch kein Signer.',
  noneText:
    'Verbinden Sie den Identitätsanbieter Ihrer Organisation, und Personen melden sich mit dem Konto an, das sie dort haben. Sie brauchen nur seine Adresse.',
  lookUpText:
    'Geben Sie die Adresse des Anbieters ein. Die Einstellungen, die er veröffentlicht, werden ausgefüllt.',
  address: 'Adresse des Anbieters',
  addressHint: 'Etwa login.example.com',
  addressCapitals: 'Ersetzen Sie, was in Großbuchstaben steht.',
  otherProvider: 'Ein anderer',
  redirectLater: 'Die Redirect-URI steht nach dem Speichern hier.',
  documentationOf: (name) => `Dokumentation von ${name}`,
  lookUp: 'Nachsehen',
  byHand: 'Von Hand ausfüllen',
  found: (issuer, keys) =>
    `${issuer} gefunden, mit ${keys} ${keys === 1 ? 'brauchbarem Schlüssel' : 'brauchbaren Schlüsseln'}.`,
  registerThere:
    'Registrieren Sie diesen Server dort als Anwendung ohne Geheimnis (öffentlich, PKCE), und tragen Sie die Client-Id ein, die Sie bekommen.',
  claimsFound: (claims) => `Er hat die Claims ${claims}.`,
  provider: 'Anbieter',
  who: 'Die Person, die ein Token nennt',
  people: 'Anmelden auf den Seiten',
  newcomers: 'Personen, die sich zum ersten Mal anmelden',
  newcomersText:
    'Sie werden abgelehnt, außer für sie wird eine Identität angelegt. Die verwaltet nichts, und der Claim oben wird ihre externe Id. Die Test-Anmeldung zeigt vorher, was angelegt würde.',
  createThem: 'Eine Identität für sie anlegen',
  wouldCreate: 'Sie würde anlegen:',
  enrolling: 'Registrieren mit einem Token',
  redirectUri: 'Dort zu registrierende Redirect-URI',
  endsText:
    'Sitzungen, die er eröffnet hat, enden sofort, und seine Token werden nach den neuen Regeln beurteilt.',
  disableEnds:
    'Sitzungen, die er eröffnet hat, enden sofort, und seine Token werden abgelehnt, bis er wieder aktiv ist.',
  deleteEnds:
    'Sitzungen, die er eröffnet hat, enden sofort, und seine Token werden abgelehnt. Solange eine Auth-Richtlinie ihn nennt, kann er nicht gelöscht werden.',
  try: 'Anmeldung testen',
  signInText:
    'Melden Sie sich beim Anbieter mit einem Konto an, das hier gelten soll. Sie sehen sein Token und wie eine Anmeldung ausginge; hier entsteht keine Sitzung.',
  signInThere: 'Beim Anbieter anmelden',
  waiting: 'Melden Sie sich im anderen Fenster an. Das Ergebnis erscheint hier.',
  giveUp: 'Nicht mehr warten',
  noSignIn:
    'Um mit einer echten Anmeldung zu testen, speichern Sie, wo sich Personen anmelden, und die Client-Id. Bis dahin fügen Sie ein Token ein.',
  paste: 'Ein vorhandenes Token prüfen',
  tryText:
    'Fügen Sie ein Token des Anbieters ein. Der Server beurteilt es nach den Regeln einer echten Anmeldung; es entsteht keine Sitzung.',
  token: 'Token',
  check: 'Prüfen',
  acceptedFor: 'Angenommen. Es meldet an:',
  secondFor: 'Angenommen als zweiter Nachweis von',
  refused: 'Abgelehnt:',
  named: 'Es nennt',
  noPerson: 'Es wurde keine Person gefunden.',
  decoded: 'Inhalt des Tokens',
  decodedText: 'Hier nur gelesen: Die Prüfungen oben haben es nicht bestätigt.',
  verifiedText: 'Die Prüfungen oben haben es bestätigt.',
  header: 'Kopf',
  payload: 'Claims',
  unreadable: 'Das ist kein JWT: Es hat keine drei lesbaren Teile.',
};

export const words = wordsOf(en, de);
