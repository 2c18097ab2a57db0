/** Where the console is. */
export const consolePaths = {
  page: '/console',
  /** Where its logins come back to. */
  callback: '/console/callback',
  /** Where people are after they have signed out. */
  signedOut: '/console/signed-out',
} as const;
