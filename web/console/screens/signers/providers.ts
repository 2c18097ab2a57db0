// Well-known identity providers: where each has its address, the values of a signer for it, and those to register
// there. From the documentation that each names.

import { wordsOf } from '../../../parts/language.ts';
import type { Signer } from '../../types.ts';

interface Provider {
  readonly name: string;
  /** The parts in capitals are for the person to replace. */
  readonly address: string;
  /** That tells people apart for good, as it is written in ID tokens. */
  readonly claim?: string;
  /** `client_secret_post` where it gives no application without a secret. */
  readonly clientAuthMethod: Signer['clientAuthMethod'];
  readonly documentation: string;
  /** The steps at the provider. */
  readonly note: string;
}

const notes = wordsOf({
  google: [
    'In the Google Cloud console, open “Clients” of the Google Auth Platform and create one of the type “Web application”. Set the audience to “Internal” to let in your organisation only: otherwise every person with a Google account has a valid token.',
    'Öffnen Sie in der Google-Cloud-Konsole „Clients“ der Google Auth Platform und erstellen Sie einen vom Typ „Webanwendung“. Stellen Sie die Zielgruppe auf „Intern“, damit nur Ihre Organisation eingelassen wird: Sonst hat jedes Google-Konto ein gültiges Token.',
  ],
  entra: [
    'Register an application of “this organizational directory only”. Choose the platform “Web” for the redirect URI and make a client secret. TENANT-ID is the “Directory (tenant) ID” on its overview.',
    'Registrieren Sie eine Anwendung „nur in diesem Organisationsverzeichnis“. Wählen Sie für die Redirect-URI die Plattform „Web“ und erzeugen Sie ein Clientgeheimnis. TENANT-ID ist die „Verzeichnis-ID (Mandant)“ in ihrer Übersicht.',
  ],
  okta: [
    'Create an app integration of the sign-in method OIDC and the type “Web Application”, and assign it to people. Type the address of your organisation, or the one that ends in /oauth2/default.',
    'Erstellen Sie eine App-Integration mit der Anmeldemethode OIDC und dem Typ „Web Application“, und weisen Sie sie Personen zu. Geben Sie die Adresse Ihrer Organisation ein oder die mit /oauth2/default am Ende.',
  ],
  keycloak: [
    'Create a client of the type OpenID Connect with “Client authentication” off and “Standard flow” on; in its advanced settings choose S256 as the PKCE method.',
    'Erstellen Sie einen Client vom Typ OpenID Connect, mit „Client authentication“ aus und „Standard flow“ an; in den erweiterten Einstellungen wählen Sie S256 als PKCE-Methode.',
  ],
  gitlab: [
    'Create an application of the instance, a group or a person, without “Confidential”, with the scopes openid, profile and email.',
    'Erstellen Sie eine Anwendung der Instanz, einer Gruppe oder einer Person, ohne „Vertraulich“, mit den Scopes openid, profile und email.',
  ],
  auth0: [
    'Create an application of the type “Regular Web Application” and put the redirect URI into its “Allowed Callback URLs”.',
    'Erstellen Sie eine Anwendung vom Typ „Regular Web Application“ und tragen Sie die Redirect-URI bei „Allowed Callback URLs“ ein.',
  ],
  authentik: [
    'Create an application with an OAuth2/OpenID provider of the client type “Public”, and choose a signing key there: without one, tokens are not signed with a key that can be published. SLUG is that of the application.',
    'Erstellen Sie eine Anwendung mit einem OAuth2/OpenID-Provider vom Clienttyp „Öffentlich“, und wählen Sie dort einen Signaturschlüssel: Ohne ihn sind Token nicht mit einem Schlüssel signiert, der sich veröffentlichen lässt. SLUG ist der Name der Anwendung in ihrer Adresse.',
  ],
});

/** With PKCE in any case. */
export const providers: Readonly<Record<string, Provider>> = {
  google: {
    name: 'Google',
    address: 'https://accounts.google.com',
    clientAuthMethod: 'client_secret_post',
    documentation: 'https://developers.google.com/identity/openid-connect/openid-connect',
    note: notes.google,
  },
  entra: {
    name: 'Microsoft Entra ID',
    address: 'https://login.microsoftonline.com/TENANT-ID/v2.0',
    // `sub` is another one for each application.
    claim: 'oid',
    clientAuthMethod: 'client_secret_post',
    documentation: 'https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc',
    note: notes.entra,
  },
  okta: {
    name: 'Okta',
    address: 'https://ORGANISATION.okta.com',
    clientAuthMethod: 'client_secret_post',
    documentation: 'https://developer.okta.com/docs/guides/implement-grant-type/authcodepkce/main/',
    note: notes.okta,
  },
  keycloak: {
    name: 'Keycloak',
    address: 'https://HOST/realms/REALM',
    clientAuthMethod: 'none',
    documentation: 'https://www.keycloak.org/docs/latest/server_admin/#_oidc_clients',
    note: notes.keycloak,
  },
  gitlab: {
    name: 'GitLab',
    address: 'https://gitlab.com',
    clientAuthMethod: 'none',
    documentation: 'https://docs.gitlab.com/integration/openid_connect_provider/',
    note: notes.gitlab,
  },
  auth0: {
    name: 'Auth0',
    address: 'https://TENANT.auth0.com',
    clientAuthMethod: 'client_secret_post',
    documentation: 'https://auth0.com/docs/get-started/applications/application-settings',
    note: notes.auth0,
  },
  authentik: {
    name: 'authentik',
    address: 'https://HOST/application/o/SLUG',
    clientAuthMethod: 'none',
    documentation: 'https://docs.goauthentik.io/add-secure-apps/providers/oauth2/',
    note: notes.authentik,
  },
};
