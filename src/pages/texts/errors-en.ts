// What the error pages say, in English, by the kind of page.

import type { ErrorPageKind } from '../../errors/codes.ts';

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

export const errors: Readonly<Record<ErrorPageKind, ErrorText>> = {
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
