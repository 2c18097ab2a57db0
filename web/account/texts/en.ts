// English. de.ts has the same members.

export const en = {
  title: 'Your account',
  parts: 'Parts of your account',
  loading: 'One moment…',
  signedOutTitle: 'Account',
  leftTitle: 'You are signed out',
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
  signIn: 'Sign in',
  signOut: 'Sign out',
  toConsole: 'Console',
  retry: 'Try again',
  unreachable: 'The server could not be reached. Check your connection and try again.',
  tooMany: (reference: string) =>
    `Too many attempts. Wait a few minutes and try again; if it happens again, give this reference to an administrator: ${reference}`,
  busy: (reference: string) =>
    `The server cannot answer at the moment. Wait a little and try again; if it happens again, give this reference to an administrator: ${reference}`,
  notShown: 'Your account cannot be shown',
  errorTitle: (title: string) => `Error: ${title}`,
  failed: (reference: string) =>
    `That did not work. Try again; if it happens again, give this reference to an administrator: ${reference}`,

  signInMethods: 'How you sign in',
  who: 'Who you are',
  name: 'Name',
  userName: 'User name',
  role: 'Role',
  administrator: 'Administrator',

  password: 'Password',
  noPassword: 'Your account has no password: you sign in with a certificate or through another provider.',
  certificates: 'Certificates',
  certificate: (since: string) => `Added ${since}. Fingerprint:`,
  currentPassword: 'Current password',
  newPassword: 'New password',
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

  app: 'Authenticator app',
  appOff:
    'Not set up. With an app, signing in also asks for a code that it shows, so that a stolen password is not enough.',
  appOn: 'Set up. Signing in asks for a code of the app.',
  codesLeft: (count: number) =>
    count === 1 ? 'One recovery code is left.' : `${count} recovery codes are left.`,
  fewCodes: 'Get new ones before they run out.',
  setUp: 'Set up an app',
  proof:
    'You signed in some time ago. Type your current password, so that nobody else changes how you sign in.',
  proofBySignIn:
    'You signed in some time ago. Sign in again first, so that nobody else changes how you sign in.',
  signInAgain: 'Sign in again',
  scan: 'Scan this picture with the app:',
  qrCode: 'QR code for your authenticator app; the key below contains the same',
  typeKey: 'Or type this key into the app:',
  openApp: 'Open the app on this device',
  copyKey: 'Copy the key',
  codesFile: 'recovery-codes.txt',
  recoveryCodes: 'Recovery codes',
  recoveryText: 'Each works once in place of the app if you lose it. They are not shown again.',
  saved: 'I have saved the recovery codes',
  appCode: 'Code that the app shows now',
  anyCode: 'Code of the app, or a recovery code',
  confirm: 'Confirm',
  cancel: 'Cancel',
  appReady: 'The app is set up. From now on, signing in asks for a code.',
  wrongCode: 'The code is not right, or was used before. Wait for the next one and try again.',
  newCodes: 'Get new recovery codes',
  newCodesText: 'The codes that you have now stop working.',
  newCodesReady: 'Here are your new recovery codes. The old ones no longer work.',
  done: 'Done',
  removeApp: 'Remove the app',
  removeAppText: 'Signing in then needs no code, unless the rules of your account ask for one.',
  appRemoved: 'The app is removed.',

  sessions: 'Where you are signed in',
  thisSession: 'This session',
  unknownProgram: 'A program that does not say its name',
  /** @param address of the sign-in; null when it was not stored */
  sessionLine: (application: string, method: string, since: string, address: string | null) =>
    `${application}. Signed in ${since}${address === null ? '' : ` from ${address}`} (${method}).`,
  ownApplications: 'Account page, console or command line',
  legacyApplication: 'Legacy session',
  sessionTimes: (active: string, address: string, end: string) =>
    `Last used ${active} from ${address}. Ends ${end}, unless it is used.`,
  endSession: 'End this session',
  sessionIsEnded: 'The session is ended.',
  endOthers: 'End all other sessions',
  othersEnded: (count: number) => (count === 1 ? 'One session is ended.' : `${count} sessions are ended.`),
  noOthers: 'You are signed in nowhere else.',

  attempts: 'Recent sign-in attempts',
  attemptsText:
    'Including those of anybody else who tried your account. If you do not recognise one that succeeded, change your password.',
  noAttempts: 'There are none.',
  passed: 'Succeeded',
  refused: 'Refused',
  attemptLine: (method: string, time: string, address: string) => `${method}, ${time}, from ${address}`,
  reference: 'Reference:',
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
    enroll: 'enrollment',
  },
};

export type Texts = typeof en;
