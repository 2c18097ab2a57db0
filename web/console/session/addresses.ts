/** The provider at this origin, whose client the console is. */
export const issuer = `${location.origin}/oidc`;
export const callback = '/console/callback';
export const signedOutPage = '/console/signed-out';
