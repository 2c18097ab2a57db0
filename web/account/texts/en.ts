// English. de.ts has the same members.

import { english } from '../../parts/words.ts';

export const en = {
  ...english,
  parts: 'Parts of your account',
  applications: 'Applications',
  noApplications: 'No application is offered here.',
  signedOutTitle: 'Account',
  leftText: 'Your session on this page has ended. Other programs and devices stay signed in.',
  signedOutText:
    'Sign in to change your password, set up an authenticator app and see where you are signed in.',
  sessionEnded:
    'You are signed out: the session has ended, or the rules of your account have changed. Sign in again to continue.',
  loginFailed: 'The sign-in did not finish. Try again.',
  secondTokenTitle: 'Not from a browser',
  secondToken: [
    'The rules of your account ask for a second token of another provider with every request, and a page in a browser cannot send one. That is why this page cannot show or change your account.',
    'You are signed in, and nothing is wrong with your password or your app. Use the application that your organisation gave you, or ask an administrator to change your account for you.',
  ],
  unreachable: 'The server could not be reached. Check your connection and try again.',
  tooMany: (reference: string) =>
    `Too many attempts. Wait a few minutes and try again; if it happens again, give this reference to an administrator: ${reference}`,
  busy: (reference: string) =>
    `The server cannot answer at the moment. Wait a little and try again; if it happens again, give this reference to an administrator: ${reference}`,
  notShown: 'Your account cannot be shown',
  failed: (reference: string) =>
    `That did not work. Try again; if it happens again, give this reference to an administrator: ${reference}`,

  signInMethods: 'How you sign in',
  who: 'Who you are',
  role: 'Role',
  noPassword: 'Your account has no password: you sign in with a certificate or through another provider.',
  certificate: (since: string) => `Added ${since}. Fingerprint:`,
  currentPassword: 'Current password',
  repeatPassword: 'New password again',
  rules: 'Rules for a new password:',
  ruleLength: (count: number) => `at least ${count} characters`,
  ruleMixedCase: 'an upper-case and a lower-case letter',
  ruleNumber: 'a digit',
  ruleSpecial: 'a special character',
  ruleCommon: 'not a common password, not your name, not your current password',
  changePassword: 'Change password',
  passwordChanged: 'Your password is changed. All other sessions are ended.',
  passwordsDiffer: 'The two new passwords differ.',
  passwordRefused: 'This password cannot be used. It breaks these rules:',
  wrongPassword: 'The current password is not right. After too many failures it is locked for a while.',
  lockedUntil: (time: string) => `Too many wrong passwords: yours is locked until ${time}.`,
  appOff:
    'Off. With an app, you also enter a code when you sign in, so that a stolen password is not enough.',
  appOn: 'On. You enter a code from the app when you sign in.',
  codesLeft: (count: number) =>
    count === 1 ? 'One recovery code is left.' : `${count} recovery codes are left.`,
  fewCodes: 'Get new ones before they run out.',
  beginSetUp: 'Set up an app',
  proof: 'You signed in some time ago. Enter your current password to confirm that it is you.',
  proofBySignIn: 'You signed in some time ago. Sign in again to confirm that it is you.',
  signInAgain: 'Sign in again',
  recoveryCodes: 'Recovery codes',
  appCode: 'Code that the app shows now',
  anyCode: 'Code from the app, or a recovery code',
  appReady: 'The app is set up. From now on, you enter a code when you sign in.',
  wrongCode: 'The code is not right, or was used before. Wait for the next one and try again.',
  newCodes: 'Get new recovery codes',
  newCodesText: 'Your current codes stop working.',
  newCodesReady: 'Here are your new recovery codes. The old ones no longer work.',
  done: 'Done',
  anotherApp: 'Set up another app',
  anotherAppText:
    'If you have lost the app or have a new phone. A recovery code is enough. The present app and all recovery codes stop working.',
  removeApp: 'Remove the app',
  removeAppText: 'Signing in then needs no code, unless the rules of your account ask for one.',
  appRemoved: 'The app is removed.',

  passkeysText:
    'With a passkey you sign in by fingerprint, face or PIN. It works on this website only: no other one can ask for it.',
  noPasskeys: 'You have none.',
  passkeysNotHere: 'This browser has no passkeys. Use another one to add a passkey.',
  /** @param used null: never */
  passkeyLine: (added: string, used: string | null) =>
    `Added ${added}. ${used === null ? 'Never used.' : `Last used ${used}.`}`,
  passkeySynced: 'Copied between your devices by your account there.',
  passkeyOfDevice: 'On one device or security key only.',
  passkeyCloned: (time: string) =>
    `A copy of this passkey was noticed on ${time} and refused. If you did not make it, remove the passkey and tell an administrator.`,
  addPasskey: 'Add a passkey',
  passkeyAdded: 'The passkey is added. You can sign in with it now.',
  rename: 'Rename',
  passkeyRenamed: 'The passkey is renamed.',
  removePasskey: 'Remove',
  removePasskeyText:
    'It stops working here, and sessions that were opened with it end. Your device may go on offering it until you delete it there too.',
  passkeyRemoved: 'The passkey is removed.',
  lastPasskey:
    'This is the last thing with which you can sign in. Without it, only an administrator can let you in again.',
  removeLastPasskey: 'Remove it all the same',

  sessions: 'Where you are signed in',
  thisSession: 'This session',
  /** @param address of the sign-in; null when it was not stored */
  sessionLine: (application: string, method: string, since: string, address: string | null) =>
    `${application}. Signed in ${since}${address === null ? '' : ` from ${address}`} (${method}).`,
  ownApplications: 'Account page, console or command line',
  legacyApplication: 'Legacy session',
  sessionTimes: (active: string, address: string, end: string) =>
    `Last used ${active} from ${address}. Expires ${end} unless used before then.`,
  endSession: 'End this session',
  sessionIsEnded: 'The session is ended.',
  endOthers: 'End all other sessions',
  othersEnded: (count: number) => (count === 1 ? 'One session is ended.' : `${count} sessions are ended.`),
  noOtherSessions: 'You are signed in nowhere else.',

  attempts: 'Recent sign-in attempts',
  attemptsText:
    'They include attempts by other people on your account. If you do not recognise a successful one, change your password.',
  noAttempts: 'There are none.',
  passed: 'Succeeded',
  attemptLine: (method: string, time: string, address: string) => `${method}, ${time}, from ${address}`,
  more: 'Show more',
  language: 'Language',
  languageText: 'For this page, the sign-in pages and the console, in this browser.',
  languages: { browser: 'As the browser prefers', en: 'English', de: 'Deutsch' },
  changeLanguage: 'Change language',

  method: {
    password: 'password',
    cert: 'certificate',
    'ext-jwt': 'another provider',
    totp: 'authenticator app',
    'secondary-ext-jwt': 'second token of another provider',
    passkey: 'passkey',
    'secondary-passkey': 'passkey as second proof',
    uv: 'with PIN, finger or face',
    enroll: 'enrollment',
  },
};

export type Texts = typeof en;
