// The texts of the screens for external JWT signers, loaded with them.

import { wordsOf } from '../../../parts/language.ts';

export const words = wordsOf({
  text: [
    'Identity providers with tokens that are accepted here: for signing in, or as a second proof.',
    'Identitätsanbieter, deren Token hier gelten: zum Anmelden oder als zweiter Nachweis.',
  ],
  create: ['Connect a provider', 'Anbieter verbinden'],
  nothing: ['No signer matches.', 'Kein Signer passt dazu.'],
  none: ['No signer yet.', 'Noch kein Signer.'],
  noneText: [
    'Connect the identity provider of your organisation, and people sign in with the account that they have there. All you need is its address.',
    'Verbinden Sie den Identitätsanbieter Ihrer Organisation, und Personen melden sich mit dem Konto an, das sie dort haben. Sie brauchen nur seine Adresse.',
  ],
  lookUpText: [
    'Type the address of the provider. The settings that it publishes are filled in.',
    'Geben Sie die Adresse des Anbieters ein. Die Einstellungen, die er veröffentlicht, werden ausgefüllt.',
  ],
  address: ['Address of the provider', 'Adresse des Anbieters'],
  addressHint: ['Such as login.example.com', 'Etwa login.example.com'],
  addressCapitals: ['Replace the words in capitals.', 'Ersetzen Sie, was in Großbuchstaben steht.'],
  otherProvider: ['Another one', 'Ein anderer'],
  redirectLater: [
    'The redirect URI is shown here after saving.',
    'Die Redirect-URI steht nach dem Speichern hier.',
  ],
  documentationOf: (name: string) => [`Documentation of ${name}`, `Dokumentation von ${name}`],
  lookUp: ['Look it up', 'Nachsehen'],
  byHand: ['Fill it in by hand', 'Von Hand ausfüllen'],
  found: (issuer: string, keys: number) => [
    `Found ${issuer} with ${keys} usable ${keys === 1 ? 'key' : 'keys'}.`,
    `${issuer} gefunden, mit ${keys} ${keys === 1 ? 'brauchbarem Schlüssel' : 'brauchbaren Schlüsseln'}.`,
  ],
  registerThere: [
    'Register this server there as an application without a secret (public, PKCE), and enter the client id that you get.',
    'Registrieren Sie diesen Server dort als Anwendung ohne Geheimnis (öffentlich, PKCE), und tragen Sie die Client-Id ein, die Sie bekommen.',
  ],
  claimsFound: (claims: string) => [`It has the claims ${claims}.`, `Er hat die Claims ${claims}.`],
  provider: ['Provider', 'Anbieter'],
  who: ['The person that a token names', 'Die Person, die ein Token nennt'],
  people: ['Sign-in on the pages', 'Anmelden auf den Seiten'],
  newcomers: ['People who sign in for the first time', 'Personen, die sich zum ersten Mal anmelden'],
  newcomersText: [
    'They are refused unless an identity is created for them. It administers nothing, and the claim above becomes its external id. Test sign-in shows beforehand what would be created.',
    'Sie werden abgelehnt, außer für sie wird eine Identität angelegt. Die verwaltet nichts, und der Claim oben wird ihre externe Id. Die Test-Anmeldung zeigt vorher, was angelegt würde.',
  ],
  createThem: ['Create an identity for them', 'Eine Identität für sie anlegen'],
  wouldCreate: ['It would create', 'Sie würde anlegen:'],
  enrolling: ['Enrollment with a token', 'Registrieren mit einem Token'],
  redirectUri: ['Redirect URI to register there', 'Dort zu registrierende Redirect-URI'],
  endsText: [
    'Sessions that it opened end at once, and tokens that it signs are judged by the new rules.',
    'Sitzungen, die er eröffnet hat, enden sofort, und seine Token werden nach den neuen Regeln beurteilt.',
  ],
  disableEnds: [
    'Sessions that it opened end at once, and its tokens are refused until it is enabled again.',
    'Sitzungen, die er eröffnet hat, enden sofort, und seine Token werden abgelehnt, bis er wieder aktiv ist.',
  ],
  deleteEnds: [
    'Sessions that it opened end at once, and its tokens are refused. While an auth policy names it, it cannot be deleted.',
    'Sitzungen, die er eröffnet hat, enden sofort, und seine Token werden abgelehnt. Solange eine Auth-Richtlinie ihn nennt, kann er nicht gelöscht werden.',
  ],
  try: ['Test sign-in', 'Anmeldung testen'],
  signInText: [
    'Sign in at the provider with an account that should work here. You see its token and the decision that a sign-in would get; no session is opened here.',
    'Melden Sie sich beim Anbieter mit einem Konto an, das hier gelten soll. Sie sehen sein Token und wie eine Anmeldung ausginge; hier entsteht keine Sitzung.',
  ],
  signInThere: ['Sign in at the provider', 'Beim Anbieter anmelden'],
  waiting: [
    'Sign in in the other window. The result shows here.',
    'Melden Sie sich im anderen Fenster an. Das Ergebnis erscheint hier.',
  ],
  giveUp: ['Stop waiting', 'Nicht mehr warten'],
  noSignIn: [
    'To test by a real sign-in, save where people sign in and the client id. Until then, paste a token.',
    'Um mit einer echten Anmeldung zu testen, speichern Sie, wo sich Personen anmelden, und die Client-Id. Bis dahin fügen Sie ein Token ein.',
  ],
  paste: ['Check a token that you have', 'Ein vorhandenes Token prüfen'],
  tryText: [
    'Paste a token of the provider. The server judges it by the rules of a real sign-in; no session is opened.',
    'Fügen Sie ein Token des Anbieters ein. Der Server beurteilt es nach den Regeln einer echten Anmeldung; es entsteht keine Sitzung.',
  ],
  token: 'Token',
  check: ['Check it', 'Prüfen'],
  acceptedFor: ['Accepted. It signs in', 'Angenommen. Es meldet an:'],
  secondFor: ['Accepted as the second proof of', 'Angenommen als zweiter Nachweis von'],
  refused: ['Refused:', 'Abgelehnt:'],
  named: ['It names', 'Es nennt'],
  noPerson: ['No person was found.', 'Es wurde keine Person gefunden.'],
  decoded: ['Contents of the token', 'Inhalt des Tokens'],
  decodedText: [
    'Only read here: the checks above did not verify it.',
    'Hier nur gelesen: Die Prüfungen oben haben es nicht bestätigt.',
  ],
  verifiedText: ['The checks above verified it.', 'Die Prüfungen oben haben es bestätigt.'],
  header: ['Header', 'Kopf'],
  payload: 'Claims',
  unreadable: [
    'This is not a JWT: it does not have three readable parts.',
    'Das ist kein JWT: Es hat keine drei lesbaren Teile.',
  ],
});
