/** Where the console is. */
export const consolePaths = {
  page: '/console',
  /** Where its logins return. */
  callback: '/console/callback',
  /** Where people are after signing out. */
  signedOut: '/console/signed-out',
} as const;
