/** Where the account page is. */
export const accountPaths = {
  page: '/account',
  /** Where its logins come back to: the same page. */
  callback: '/account/callback',
} as const;
