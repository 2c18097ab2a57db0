// Every text on the pages, in English. The other languages have the type of this catalogue: a missing text does not
// compile.

import type { ErrorPageKind } from '../../errors/codes.ts';
import { type Html, html } from '../html.ts';
import { common } from './common.ts';

const { en: words } = common;

/** What went wrong, and what to do about it. */
export interface ErrorText {
  readonly heading: string;
  readonly text: string;
  readonly next: string;
}

const startAgain = 'Go back to the application and sign in again.';
const notYours =
  'The application that sent you here made a mistake. Go back to it, or tell the people who run it.';
const tellAdministrator = 'Try again. If it happens again, give the reference below to an administrator.';

const malformed: ErrorText = {
  heading: 'This request cannot be completed',
  text: 'Something in the request is missing or malformed.',
  next: notYours,
};
const outage: ErrorText = {
  heading: 'Please try again later',
  text: 'The service cannot answer at the moment.',
  next: 'Wait a moment, then try again.',
};
const defect: ErrorText = {
  heading: 'Something went wrong',
  text: 'This is our mistake, not yours.',
  next: tellAdministrator,
};
const forbidden: ErrorText = {
  heading: 'Not allowed',
  text: 'You may not do this.',
  next: `${startAgain} If it happens again, give the reference below to an administrator.`,
};
const notFound: ErrorText = {
  heading: 'Not found',
  text: 'There is nothing at this address.',
  next: 'Check the address, or go back to the application.',
};
const changed: ErrorText = {
  heading: 'Already done',
  text: 'This has already been done, or changed in another window.',
  next: startAgain,
};

const errors: Readonly<Record<ErrorPageKind, ErrorText>> = {
  malformed,
  outage,
  defect,
  forbidden,
  notFound,
  changed,
  invalid_client: {
    ...malformed,
    heading: 'Unknown application',
    text: 'The application that sent you here is not known.',
  },
  client_not_allowed: {
    heading: 'Not allowed',
    text: 'You may not use this application.',
    next: 'Give the reference below to an administrator, who can let you use it.',
  },
  redirect_uri_not_registered: {
    heading: 'This application may not be used here',
    text: 'After signing in, it wants you to be sent to an address that is not registered. You were not sent there.',
    next: 'If you trust the application, give the reference below to an administrator, who can allow its address.',
  },
  invalid_auth: {
    heading: 'You are not signed in',
    text: 'Your sign-in details were not accepted, or your account cannot sign in this way.',
    next: `${startAgain} If it happens again, give the reference below to an administrator.`,
  },
  invalid_totp_code: {
    heading: 'The code was not accepted',
    text: 'It may be mistyped, already used or too old.',
    next: tellAdministrator,
  },
  invalid_passkey: {
    heading: 'The passkey was not accepted',
    text: 'It may be registered for another account or another site, or the question was too old.',
    next: tellAdministrator,
  },
  passkey_required: {
    heading: 'A passkey is needed',
    text: 'You must use a passkey to sign in.',
    next: 'Sign in with a browser that has it, such as on your account page.',
  },
  password_change_required: {
    heading: 'A new password is needed',
    text: 'You must choose a new password before you can continue.',
    next: 'Sign in on your account page, where you can choose a new one.',
  },
  auth_request_unknown: {
    heading: 'This sign-in has expired',
    text: 'It took too long, is already finished, or was started in another browser.',
    next: 'Start again, or go back to the application. If this happens every time, allow cookies for this site.',
  },
  rate_limited: {
    heading: 'Please try again later',
    text: 'There were too many attempts from here.',
    next: 'Wait a moment, then try again.',
  },
};

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

  /** On each page with a new password. */
  newPassword: {
    repeated: 'The same password again',
    atLeast: (shortest: number, contents: readonly string[]) =>
      `At least ${shortest} characters${contents.length > 0 ? `, with ${contents.join(', ')}` : ''}.`,
    mixedCase: 'an upper-case and a lower-case letter',
    digit: 'a digit',
    special: 'a special character',
    advice:
      'Not a common one, and not your name. A few words together are easy to remember and hard to guess.',
    tooShort: (least: number) => `The password has too few characters, at least ${least} are needed.`,
    problems: {
      repeated: 'The two passwords differ.',
      'too-long': 'The password is too long.',
      'mixed-case': 'The password needs an upper-case and a lower-case letter.',
      digit: 'The password needs a digit.',
      special: 'The password needs a special character.',
      common: 'The password is too common.',
      same: 'This is your current password.',
      'own-name': 'The password is too similar to your name.',
    },
  },

  setup: {
    heading: 'Set up an administrator',
    failedTitle: 'not created',
    submit: 'Create the administrator',
    notCreated: 'The administrator was not created:',
    problems: {
      username: 'This cannot be a user name.',
      taken: 'This user name is already taken.',
      policy: 'The default auth policy does not allow passwords.',
    },
    doneTitle: 'Administrator created',
    doneHeading: 'The administrator is ready',
    done: (username: Html) =>
      html`You can sign in as ${username} now. This link has been used and no longer works.`,
    toConsole: 'Open the console',
    orInTerminal: 'Or go on in a terminal:',
    nextInTerminal: 'Next, in a terminal:',
    dead: {
      used: {
        heading: 'This link has been used',
        text: 'An administrator was created with it. If that was not you, tell the people who run this server.',
      },
      expired: {
        heading: 'This link is no longer valid',
        text: 'A set-up link works for 30 minutes and stops working when a newer one is made.',
      },
      unknown: {
        heading: 'This is not a set-up link',
        text: 'Check that the whole address was copied, or that it is from this server.',
      },
    },
    another: 'On the server, make a new link or create an administrator directly:',
  },

  passwordChange: {
    heading: 'Choose a new password',
    lead: 'You have to choose a new password before you continue. You will be signed out everywhere else.',
    submit: 'Change the password and continue',
  },

  invite: {
    first: {
      heading: 'Choose your password',
      lead: (service: string) => `You have been invited to ${service}. Only you will know this password.`,
    },
    reset: {
      heading: 'Choose a new password',
      lead: (service: string) =>
        `An administrator of ${service} lets you replace your password. Only you will know the new one.`,
    },
    forgotten: {
      heading: 'Choose a new password',
      lead: (service: string) =>
        `You asked for this link at ${service}. All your sessions end with the old password; your second factors stay.`,
    },
    onlyPasskey: {
      heading: 'Set up your passkey',
      lead: (service: string) => `You have been invited to ${service}. You sign in there with a passkey.`,
    },
    withPasskey: 'With a passkey you sign in by fingerprint, face or PIN, and have no password to remember.',
    replacesPassword: 'It replaces your password.',
    failedTitle: 'not set',
    password: 'New password',
    submit: 'Set the password and sign in',
    submitOnly: 'Set the password',
    notSet: 'The password was not set:',
    doneHeading: { password: 'Your password is set', passkey: 'Your passkey is ready' },
    done: (username: Html) =>
      html`You can sign in as ${username} now. This link has been used and no longer works.`,
    goOn: 'Go back to the application and sign in.',
    toAccount: 'Sign in to your account',
    dead: {
      expired: {
        heading: 'This link is no longer valid',
        text: 'It was not used in time.',
      },
      unknown: {
        heading: 'This link does not work',
        text: 'It has been used, a newer one was made, or the address is incomplete. If you did not use it yourself, tell an administrator.',
      },
    },
    another: 'Ask the person who sent it for a new one.',
    askAgain: (link: Html) => html`If you have forgotten your password: ${link}.`,
  },

  forgotten: {
    link: 'Forgotten your password?',
    heading: 'Choose a new password',
    lead: 'You get a mail with a link, with which you choose a new password.',
    name: 'User name or email address',
    submit: 'Send the mail',
    askAgain: 'ask for a new mail',
    doneHeading: 'Look into your mailbox',
    done: 'If there is an account for this name, and its email address is known, a mail is on its way to it.',
    notThere:
      'No mail after a few minutes? Look into the folder for unwanted mail, check what you typed, or ask your administrator.',
  },

  error: {
    retryIn: (seconds: number) => `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    details: 'Details for an administrator',
    byKind: errors,
  },
};

export type Texts = typeof en;
