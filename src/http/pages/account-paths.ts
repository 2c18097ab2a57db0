/** Where the account page is. */
export const accountPaths = {
  page: '/account',
  /** Where its logins return: the same page. */
  callback: '/account/callback',
  /** Where people are after signing out: the same page. */
  signedOut: '/account/signed-out',
} as const;
