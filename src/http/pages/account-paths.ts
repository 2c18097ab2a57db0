/** Where the account page is. */
export const accountPaths = {
  page: '/account',
  /** Where its logins come back to: the same page. */
  callback: '/account/callback',
  /** Where people are after they have signed out: the same page. */
  signedOut: '/account/signed-out',
} as const;
