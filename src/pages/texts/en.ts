// Every text on the pages, in English. The other languages have the type of this catalogue: a missing text does not
// compile.

import { type Html, html } from '../html.ts';
import { common } from './common.ts';
import { errors } from './errors-en.ts';
import { newPasswordPages } from './new-password-en.ts';

const { en: words } = common;

export const en = {
  /** The state comes before the page's title: "Error: …". */
  errorTitle: words.errorTitle,
  reference: (id: Html) => html`Reference: ${id}`,
  again: (id: Html) => html`If it happens again, give this reference to an administrator: ${id}`,
  or: 'or',
  signInAsSomeoneElse: 'Sign in as someone else',
  startAgain: 'Start again',
  backToLogin: 'Go back to signing in',

  signIn: {
    title: words.signIn,
    to: (application: Html) => html`to continue to ${application}`,
    toOwn: { account: 'to continue to your account', console: 'to continue to the console' },
    toThisDevice: 'to continue to an application on this device',
    toDevice: (application: Html) => html`to sign in ${application} on another device`,
    toAnotherDevice: 'to sign in on another device',
    toHere: (application: Html) => html`to continue to ${application} on this device`,
    username: words.username,
    password: words.password,
    showPassword: 'Show password',
    submit: words.signIn,
    failedTitle: 'not signed in',
    wrongPassword: 'The user name or the password is not right, or this account cannot sign in this way.',
    capsLock: 'Caps Lock is on.',
    withPassword: 'Sign in with user name and password',
    withCertificate: 'Sign in with a certificate',
    cancel: 'Cancel and go back to the application',
    withProvider: (name: string) => `Continue with ${name}`,
    noProvider: 'No provider is set up here that people can sign in with.',
  },

  certificate: {
    lead: 'Your browser proves who you are with a certificate.',
    submit: 'Continue with your certificate',
    refused: 'Your browser has no certificate for this service, or it was not accepted.',
    another: 'To choose another certificate, close the browser and open it again.',
    notAskedFor: 'At this address, browsers are not asked for a certificate.',
    elsewhere: 'Sign in another way, or ask an administrator for the address where certificates are used.',
  },

  provider: {
    refused: (name: string) =>
      `The sign-in with ${name} did not succeed, or that account cannot sign in here.`,
    cancelled: (name: string) => `The sign-in with ${name} was cancelled or refused there.`,
    unreachable: (name: string) => `${name} cannot be reached, or does not answer as expected.`,
    tryAgain: 'Try again, or sign in another way.',
  },

  providerReturn: {
    heading: 'Continue to this application?',
    address: 'Address',
    warning:
      'Continue only if you have just started this yourself in that application. Otherwise close this window: another program wants to use your account.',
    submit: 'Yes, continue',
  },

  secondProvider: {
    heading: 'One more proof is needed',
    lead: (name: string) => `Your account also has to be confirmed by ${name}.`,
    byProgram: (issuer: string) =>
      `Your account also has to show a token of ${issuer}, and a browser cannot get it from this page.`,
    useProgram: 'Sign in with the application or command that has such a token.',
    unknown: 'another provider',
  },

  code: {
    title: 'One-time code',
    heading: 'Enter your one-time code',
    label: 'Code from your authenticator app',
    hint: 'Six digits that change every half minute. Each code works once.',
    submit: 'Continue',
    failedTitle: 'wrong code',
    wrong:
      'That code was not accepted. It may be mistyped, already used or too old, or there were too many attempts.',
    whatNext: 'Wait for the next code and try again. If it does not help, check the clock of your phone.',
    useRecovery: 'Use a recovery code instead',
    recoveryLabel: 'Recovery code',
    recoveryHint:
      'One of the codes that you saved when you set up the app, such as ABCDE-FGHIJ. Each works once. If you have lost the app, set up another one on your account page after signing in.',
    recoverySubmit: 'Continue with a recovery code',
  },

  keep: words.keep,

  passkey: {
    use: 'Sign in with a passkey',
    title: 'Passkey',
    heading: 'Confirm with your passkey',
    lead: 'Your account needs a second step when you sign in: your passkey, which is in this device, in your phone or in a security key.',
    confirm: 'Use your passkey',
    failedTitle: 'passkey not accepted',
    refused: 'This passkey was not accepted, or this account cannot sign in with it.',
    another: 'Use another passkey, or sign in another way.',
    setUpHeading: 'Set up a passkey',
    why: 'Your account needs a passkey. You sign in with it by fingerprint, face or PIN: there is nothing to remember, and no other website can use it.',
    create: 'Create a passkey',
    notSetUp: 'The passkey was not added. Try again.',
    ...words.passkey,
    needsScript:
      'This needs a browser with passkeys and JavaScript. Allow JavaScript for this site, use another browser, or ask an administrator.',
  },

  enrollment: {
    ...words.setUp,
    heading: 'Set up an authenticator app',
    step: (step: number) => `Step ${step} of 3`,
    why: 'Your account needs a second step when you sign in: a code that an app on your phone shows.',
    install: 'If you have no authenticator app, install one. Any app that shows one-time codes works.',
    start: 'I have an app: continue',
    add: 'Add this account to the app',
    type: 'Type this key into the app:',
    saveCodes: 'Save your recovery codes',
    fileHeading: (name: string, account: string) =>
      `Recovery codes for ${account} at ${name}. Each works once.`,
    verify: 'Confirm and sign in',
    cancel: words.cancel,
    confirmHeading: 'Confirm the authenticator app',
    confirmLead:
      'You have begun to set up an app. If the account is in the app, enter the code that it shows now.',
    confirmElse:
      'If the account is not in the app, or you did not save the recovery codes, start again: you get a new picture and new codes.',
    goneTitle: 'start again',
    gone: 'This set-up is no longer open: it was cancelled, or finished in another window.',
  },

  device: {
    heading: 'Connect a device',
    lead: 'Enter the code that your device shows.',
    label: 'Code',
    hint: 'Eight letters, such as BCDF-GHJK.',
    submit: 'Continue',
    failedTitle: 'unknown code',
    unknown: 'No device is waiting with this code.',
    checkIt: 'Check the letters. A code works for ten minutes; after that, start again on the device.',
    confirmHeading: 'Sign in on this device?',
    confirmLead: 'Compare this with what your device shows.',
    code: 'Code',
    client: 'Application',
    place: 'Requested from',
    time: 'Requested at',
    warning:
      'Continue only if you have just started this yourself and your device shows this code. If you got the code from another person, that person wants to sign in as you.',
    confirm: 'Yes, sign in',
    deny: 'No, this is not my device',
    finishHeading: 'Sign in the device?',
    finishLead: 'You have signed in for a device. It is not signed in yet.',
    finishWarning:
      'Continue only if you have just started this yourself on that device. Otherwise another person wants to use it with your account.',
    finish: 'Yes, sign in the device',
    outcomes: {
      approved: {
        heading: 'Your device is signed in',
        text: 'Go back to the device; it continues within a few seconds. You can close this window.',
      },
      denied: {
        heading: 'The device was refused',
        text: 'It is not signed in. You can close this window.',
      },
      gone: {
        heading: 'The device is no longer waiting',
        text: 'Its code has expired, or was used or refused in another window. Start again on the device.',
      },
    },
  },

  signedIn: {
    heading: 'You are signed in',
    as: (name: Html) => html`You are signed in here as ${name}.`,
    submit: 'Continue',
    other: 'Use another account',
  },

  formPost: {
    heading: 'Going back to the application',
    text: 'If nothing happens within a few seconds, press the button.',
    submit: 'Continue',
  },

  signedOut: {
    heading: words.signedOut,
    text: 'The session has ended. You can close this window.',
    nothingHeading: 'You are not signed in here',
    nothing:
      'The application did not say which session to end, and this server keeps none in your browser. Sign out in the application.',
    toAccount: 'See where else you are signed in',
  },

  signOutQuestion: {
    heading: 'Sign out?',
    text: 'The application asks you to sign out here before you continue.',
    submit: 'Sign out and continue',
    plainText: 'You are signed in in this browser. Applications may continue without asking you.',
    plainSubmit: words.signOut,
  },

  home: {
    title: 'Start',
    heading: 'Welcome',
    text: (name: string) => `This is where you sign in to ${name}.`,
    toAccount: 'Sign in to your account',
    toApplications: 'Your applications',
    yourAccount: words.account,
    forAdministrators: 'For administrators:',
    toConsole: 'open the console',
  },

  /** The shell only; the script's texts are in `web/account/texts/en.ts`. */
  account: {
    title: words.account,
    withoutScripts:
      'This page needs JavaScript. Allow it for this site, or ask an administrator to change your password, remove your authenticator app or end your sessions.',
  },

  console: {
    title: words.console,
    withoutScripts:
      'The console needs JavaScript. Allow it for this site, or use the command "overlay-auth" in a terminal.',
  },

  ...newPasswordPages,

  error: {
    retryIn: (seconds: number) => `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    details: 'Details for an administrator',
    byKind: errors,
  },
};

export type Texts = typeof en;
