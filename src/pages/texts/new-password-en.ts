// The texts of the pages on which a person chooses a password, in English.

import { type Html, html } from '../html.ts';

export const newPasswordPages = {
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
};

export type NewPasswordPages = typeof newPasswordPages;
