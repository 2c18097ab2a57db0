// Well-known applications: how each signs people in, and the settings that it needs. From the documentation that each
// names; claims come from the user info endpoint, because ID tokens have only the id of a person.

import { wordsOf } from '../../../parts/language.ts';
import type { OidcClient } from '../../types.ts';

/** The known values when an application is registered. */
interface Registration {
  readonly issuer: string;
  readonly id: string;
  /** Its first one. */
  readonly redirectUri: string;
}

interface Template {
  readonly name: string;
  /** Public for one that cannot keep a secret. */
  readonly type: OidcClient['type'];
  /** After the address at which people open it; absolute ones of a program on the device of the person. */
  readonly redirects: readonly string[];
  /** Of that address where none is typed. */
  readonly port?: string;
  /** Whether the settings below make it use PKCE. */
  readonly usesPkce: boolean;
  readonly scopes: readonly string[];
  readonly documentation: string;
  /** Where the settings go. */
  readonly note: string;
  readonly settings: (known: Registration) => string;
}

/** Stands for the secret in settings, which is shown beside them only once. */
export const secretPlaceholder = 'CLIENT_SECRET';

const usual = ['openid', 'profile', 'email', 'groups'];

const words = wordsOf({
  kubernetes: ['Kubernetes API server', 'Kubernetes-API-Server'],
  grafana: [
    'Add this to grafana.ini and restart Grafana. Its root_url must be the address that people open.',
    'Fügen Sie das in grafana.ini ein und starten Sie Grafana neu. Dort muss root_url die Adresse sein, die Personen öffnen.',
  ],
  gitlab: [
    'Add this to /etc/gitlab/gitlab.rb and run gitlab-ctl reconfigure. People need an email address here.',
    'Fügen Sie das in /etc/gitlab/gitlab.rb ein und führen Sie gitlab-ctl reconfigure aus. Personen brauchen hier eine E-Mail-Adresse.',
  ],
  gitea: [
    'Run this on the server of Gitea. The name of the source is part of the redirect URI.',
    'Führen Sie das auf dem Server von Gitea aus. Der Name der Quelle ist ein Teil der Redirect-URI.',
  ],
  nextcloud: [
    'Install the app “OpenID Connect user backend”, then run this in the folder of Nextcloud.',
    'Installieren Sie die App „OpenID Connect user backend“ und führen Sie das im Ordner von Nextcloud aus.',
  ],
  'oauth2-proxy': [
    'Add this to the configuration file of oauth2-proxy. People need a verified email address here.',
    'Fügen Sie das in die Konfiguration von oauth2-proxy ein. Personen brauchen hier eine bestätigte E-Mail-Adresse.',
  ],
  'argo-cd': [
    'Put the secret into the Secret argocd-secret as oidc.overlay-auth.clientSecret, and this into the data of the ConfigMap argocd-cm.',
    'Legen Sie das Geheimnis im Secret argocd-secret als oidc.overlay-auth.clientSecret ab, und das hier in den Daten der ConfigMap argocd-cm.',
  ],
  'proxmox-ve': [
    'Run this on one node, and give rights to the id of a person, followed by @overlay-auth. People may open several nodes: register the address of each as a redirect URI.',
    'Führen Sie das auf einem der Knoten aus, und vergeben Sie Rechte an die Id einer Person, gefolgt von @overlay-auth. Öffnen Personen mehrere Knoten, registrieren Sie die Adresse jedes Knotens als Redirect-URI.',
  ],
  kubernetesNote: [
    'Flags of the API server, then a command for each person who has the kubectl plugin oidc-login. Bind roles to overlay: followed by the id of the person.',
    'Zuerst Optionen des API-Servers, dann ein Befehl für jede Person, die für kubectl das Plugin oidc-login hat. Binden Sie Rollen an overlay: und die Id der Person.',
  ],
});

const discoveryOf = (issuer: string) => `${issuer}/.well-known/openid-configuration`;

export const templates: Readonly<Record<string, Template>> = {
  grafana: {
    name: 'Grafana',
    type: 'confidential',
    redirects: ['/login/generic_oauth'],
    usesPkce: true,
    scopes: usual,
    documentation:
      'https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/generic-oauth/',
    note: words.grafana,
    settings: ({ issuer, id }) => `[auth.generic_oauth]
enabled = true
name = Overlay Auth
client_id = ${id}
client_secret = ${secretPlaceholder}
scopes = ${usual.join(' ')}
auth_url = ${issuer}/authorization
token_url = ${issuer}/token
api_url = ${issuer}/userinfo
use_pkce = true
login_attribute_path = preferred_username
name_attribute_path = name
email_attribute_path = email
groups_attribute_path = groups`,
  },
  gitlab: {
    name: 'GitLab',
    type: 'confidential',
    redirects: ['/users/auth/openid_connect/callback'],
    usesPkce: true,
    scopes: ['openid', 'profile', 'email'],
    documentation: 'https://docs.gitlab.com/administration/auth/oidc/',
    note: words.gitlab,
    settings: ({ issuer, id, redirectUri }) => `gitlab_rails['omniauth_providers'] = [
  {
    name: "openid_connect",
    label: "Overlay Auth",
    args: {
      name: "openid_connect",
      scope: ["openid", "profile", "email"],
      response_type: "code",
      issuer: "${issuer}",
      discovery: true,
      client_auth_method: "basic",
      uid_field: "sub",
      pkce: true,
      client_options: {
        identifier: "${id}",
        secret: "${secretPlaceholder}",
        redirect_uri: "${redirectUri}"
      }
    }
  }
]`,
  },
  gitea: {
    name: 'Gitea',
    type: 'confidential',
    redirects: ['/user/oauth2/overlay-auth/callback'],
    usesPkce: false,
    scopes: usual,
    documentation: 'https://docs.gitea.com/administration/command-line',
    note: words.gitea,
    settings: ({ issuer, id }) => `gitea admin auth add-oauth --name overlay-auth --provider openidConnect \\
  --key ${id} --secret ${secretPlaceholder} \\
  --auto-discover-url ${discoveryOf(issuer)} \\
  --scopes profile --scopes email --scopes groups \\
  --group-claim-name groups`,
  },
  nextcloud: {
    name: 'Nextcloud',
    type: 'confidential',
    redirects: ['/apps/user_oidc/code', '/index.php/apps/user_oidc/code'],
    usesPkce: true,
    scopes: usual,
    documentation: 'https://github.com/nextcloud/user_oidc',
    note: words.nextcloud,
    settings: ({ issuer, id }) => `occ user_oidc:provider overlay-auth \\
  --clientid=${id} --clientsecret=${secretPlaceholder} \\
  --discoveryuri=${discoveryOf(issuer)} \\
  --scope="${usual.join(' ')}" \\
  --mapping-uid=sub --mapping-display-name=name \\
  --mapping-email=email --mapping-groups=groups
occ config:system:set user_oidc enrich_login_id_token_with_userinfo \\
  --type=boolean --value=true`,
  },
  'oauth2-proxy': {
    name: 'oauth2-proxy',
    type: 'confidential',
    redirects: ['/oauth2/callback'],
    usesPkce: true,
    scopes: usual,
    documentation: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/providers/openid_connect',
    note: words['oauth2-proxy'],
    settings: ({ issuer, id, redirectUri }) => `provider = "oidc"
oidc_issuer_url = "${issuer}"
redirect_url = "${redirectUri}"
client_id = "${id}"
client_secret = "${secretPlaceholder}"
scope = "${usual.join(' ')}"
code_challenge_method = "S256"
oidc_email_claim = "email"
oidc_groups_claim = "groups"
email_domains = ["*"]`,
  },
  'argo-cd': {
    name: 'Argo CD',
    type: 'confidential',
    redirects: ['/auth/callback'],
    usesPkce: false,
    scopes: usual,
    documentation: 'https://argo-cd.readthedocs.io/en/stable/operator-manual/user-management/',
    note: words['argo-cd'],
    settings: ({ issuer, id }) => `oidc.config: |
  name: Overlay Auth
  issuer: ${issuer}
  clientID: ${id}
  clientSecret: $oidc.overlay-auth.clientSecret
  requestedScopes: ["openid", "profile", "email", "groups"]
  enableUserInfoGroups: true
  userInfoPath: /userinfo
  userInfoCacheExpiration: "5m"`,
  },
  'proxmox-ve': {
    name: 'Proxmox VE',
    type: 'confidential',
    redirects: [''],
    port: '8006',
    usesPkce: false,
    scopes: ['openid', 'profile', 'email'],
    documentation: 'https://pve.proxmox.com/pve-docs/chapter-pveum.html',
    note: words['proxmox-ve'],
    settings: ({ issuer, id }) => `pveum realm add overlay-auth --type openid \\
  --issuer-url ${issuer} \\
  --client-id ${id} --client-key ${secretPlaceholder} \\
  --username-claim subject --autocreate 1`,
  },
  kubernetes: {
    name: words.kubernetes,
    type: 'public',
    redirects: ['http://localhost:8000', 'http://localhost:18000'],
    usesPkce: true,
    scopes: ['openid', 'offline_access'],
    documentation: 'https://kubernetes.io/docs/reference/access-authn-authz/authentication/',
    note: words.kubernetesNote,
    settings: ({ issuer, id }) => `--oidc-issuer-url=${issuer}
--oidc-client-id=${id}
--oidc-username-claim=sub
--oidc-username-prefix=overlay:

kubectl config set-credentials overlay-auth \\
  --exec-api-version=client.authentication.k8s.io/v1beta1 \\
  --exec-command=kubectl \\
  --exec-arg=oidc-login --exec-arg=get-token \\
  --exec-arg=--oidc-issuer-url=${issuer} \\
  --exec-arg=--oidc-client-id=${id} \\
  --exec-arg=--oidc-extra-scope=offline_access`,
  },
};

/** Whether people open it at an address of its own. */
export function hasAddress({ redirects }: Template): boolean {
  return redirects.every((redirect) => !redirect.includes('://'));
}

/**
 * Where people open an application.
 * @param typed a host, with a port, a path or a scheme if there is one
 * @returns without a slash at the end; null: no address
 */
export function addressAt({ port = '' }: Template, typed: string): string | null {
  const text = typed.trim();
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`);
  // Some browsers encode characters that a host cannot have.
  if (url === null || !/^[\w.:[\]-]+$/.test(url.host)) return null;
  if (url.port === '') url.port = port;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** @param address from {@link addressAt} */
export function redirectUrisOf(template: Template, address: string | null): readonly string[] {
  if (!hasAddress(template)) return template.redirects;
  return address === null ? [] : template.redirects.map((redirect) => `${address}${redirect}`);
}
