// The commands that ask a running server.

import { bulkActions } from '../../model/bulk-actions.ts';
import { stateKinds } from '../../model/entities/state-kinds.ts';
import { primaryMethods } from '../../model/login.ts';
import { type Commands, from, password, type Typed, yes } from '../terminal/command.ts';
import { entityCommands } from './entity-commands.ts';
import { force, named, server } from './options.ts';

const savedLogin: Typed = {
  '<login>': { help: 'name, address of the server, or both: ada@localhost:1280', completedBy: 'login' },
};

const login = from(() => import('./login/run-login.ts'));
const savedLogins = from(() => import('./login/saved-logins.ts'));
const logout = from(() => import('./login/run-logout.ts'), server);
const whoami = from(() => import('./login/run-whoami.ts'), server);
const ownPassword = from(() => import('./login/run-password.ts'), server);
const token = from(() => import('./login/run-token.ts'), server);
const enroll = from(() => import('./enroll/run-enroll.ts'));
const enrollment = from(() => import('./entities/enrollment-actions.ts'), server);
const identity = from(() => import('./entities/identity-actions.ts'), server);
const many = from(() => import('./entities/many-identities.ts'), server);
const invite = from(() => import('./entities/invite.ts'), server);
const action = from(() => import('./entities/entity-actions.ts'), server);
const exported = from(() => import('./state/run-export.ts'), server);
const auditTrail = from(() => import('./state/export-audit.ts'), server);
const apply = from(() => import('./state/run-apply.ts'), server);
const reference = from(() => import('./explain/explain-reference.ts'), server);
const explainedToken = from(() => import('./explain/explain-token.ts'), server);
const explainedPolicy = from(() => import('./explain/explain-policy.ts'), server);
const signer = from(() => import('./entities/verify-signer.ts'), server);

/** All of them. */
export const clientCommands: Commands = {
  login: login('runLogin')`log in with the browser, or with the credentials given
    [url]                  address of the server, such as https://localhost:1280 (default: that of the identity file, or the current login)
    -u, --username <name>  log in with user name and password; asks for the password
    ${password('read the password', { needs: ['username'] })}
    -c, --cert <file>      log in with the client certificate in FILE: PEM, leaf first, or what enroll wrote
    ${{ '-k, --key <file>': { help: 'the key of the certificate (default: in the same file)', needs: ['cert'] } }}
    -e, --ext-jwt <file>   log in with the external JWT in FILE (- for standard input); with -u or -c it is the second factor
    ${{ '--totp-code <code>': { help: 'the one-time code, if one is required; the browser asks for it itself', needs: ['username', 'cert', 'extJwt'] } }}
    --ca <file>            trust the certificate authority in FILE for this server
    --api-url <url>        where the Edge APIs are, if not at the same address
    --bearer               get tokens that other programs can use as they are; otherwise they work only with a key that is kept here
    ${{ '--device': { help: 'show a code, and log in with the browser of another device', conflicts: ['username', 'cert', 'extJwt', 'browser'] } }}
    --no-browser           print the address to visit instead of opening the browser

    The password may also be in the environment as OVERLAY_AUTH_PASSWORD. It is never an argument.`,
  'login list': savedLogins('listLogins')`list the saved logins`,
  'login use': savedLogins('useLogin')`make a saved login the current one
    ${savedLogin}`,
  'login forget': savedLogins('forgetLogin')`
    forget a login; with an address, every login there and the authority trusted for it
    ${savedLogin}`,
  logout: logout('runLogout')`end the session at the server and forget it here
    --local  only forget it here; the session stays alive at the server`,
  whoami: whoami('runWhoami')`show who you are and how long your token lasts`,
  password: ownPassword('runPassword')`change your own password; it ends your other sessions
    --current-password-file <file>  read the current password from FILE
    ${password('read the new password')}`,
  token: token('runToken')`print a token of the current session
    ${{ '[kind]': { help: 'which one', choices: ['access', 'id', 'refresh'], default: 'access' } }}
    --decode  print what the token says instead; nothing is verified`,
  enroll: enroll('enroll')`use a JWT that an administrator gave you, to be able to log in
    <file>               the JWT; - for standard input
    -o, --output <file>  where the identity is written (default: the name of the JWT, as .json)
    -c, --cert <file>    for a JWT of a third-party CA: your certificate, with its chain
    -k, --key <file>     for a JWT of a third-party CA: its private key
    ${password('for a JWT of a user name: read the password')}`,
  ...entityCommands(),
  enrollment: { help: 'act on one enrollment' },
  'enrollment refresh': enrollment('refreshEnrollment')`give it a new token and a new expiry
    ${{ '<name>': { help: 'name of the identity, or id of the enrollment', completedBy: { entity: 'enrollment' } } }}
    --expires-at <time>      such as 2030-01-31T12:00:00Z (default: as configured)
    -o, --output-jwt <file>  write the new JWT for the device to FILE`,
  identity: { help: 'act on one identity' },
  'identity unlock': identity('unlockIdentity')`forget failed attempts at its password and codes
    ${named('identity')}`,
  'identity reset-mfa': identity('resetMfa')`remove its authenticator app and recovery codes
    ${named('identity')}`,
  'identity passkeys': identity('passkeys')`list its passkeys, or remove one
    ${named('identity')}
    --remove <id>  remove this one; the sessions that it opened end
    ${force('changes')}`,
  'identity disable': identity('disableIdentity')`
    end its sessions and refuse it from now on, or change until when
    ${named('identity')}
    ${{ '--minutes <n>': { help: 'enable it again automatically after N minutes', conflicts: ['until'] } }}
    --until <time>  enable it again by itself at a time such as 2030-01-31T12:00:00Z
    ${force('changes')}`,
  'identity enable': identity('enableIdentity')`let it authenticate again
    ${named('identity')}`,
  'identity set-password': identity('setPassword')`give it a new password
    ${named('identity')}
    ${password()}`,
  'identity end-sessions': identity('endSessions')`end all its sessions at once
    ${named('identity')}`,
  'identity each': many('eachIdentity')`do something for each identity that a filter selects, checked first
    ${{ '<action>': { help: 'what to do', choices: bulkActions } }}
    --dry-run          only say what it would do
    ${force('names')}
    ${{ '--filter <filter>': { help: 'such as: roleAttributes contains "sales"', isRequired: true } }}
    --until <time>     with disable: a time such as 2030-01-31T12:00:00Z
    --expires <time>   with invite: how long the links work (default: 24h)
    --end-sessions     with invite: using a link ends every session of its identity
    ${yes}`,
  'identity continue': many('continueJob')`carry on a change of many that was stopped, or list those
    [job]  its id
    ${force('names')}
    ${yes}`,
  'identity import': many('importIdentities')`create identities from a table (CSV), checked first
    <file>     its first line names columns: name, type, externalId, email, roleAttributes, authPolicy
    --dry-run  only say what it would do
    ${force('names')}`,
  invite: invite('invite')`
    make a link with which a person chooses a password, for example to replace a forgotten one
    ${named('identity')}
    --expires <time>     how long the link works, such as 30m, 24h or 7d (default: 24h)
    --end-sessions       using the link ends every session of the identity
    ${{ '--send': { help: 'mail the link to the email address of the identity instead of showing it', conflicts: ['qr', 'output'] } }}
    --qr                 draw it as a QR code too
    -o, --output <file>  write the link to FILE, for its owner only, and not to the screen
    ${{ '--withdraw': { help: 'withdraw the link that was handed out', conflicts: ['expires', 'endSessions', 'send', 'qr', 'output'] } }}`,
  ca: { help: 'act on one third-party authority' },
  'ca verify': action('verifyCa')`prove that you hold its key
    ${named('ca', 'authority')}
    ${{ '--cert <file>': { help: 'a certificate that it issued, with its verification token as the common name', isRequired: true } }}`,
  'oidc-client': { help: 'act on one application that logs people in here' },
  'oidc-client add-secret': action('addClientSecret')`create a secret, which is shown once
    ${named('oidc-client', 'application')}`,
  'oidc-client delete-secret': action('deleteClientSecret')`delete a secret, the older one of two
    ${named('oidc-client', 'application')}
    [id]  of the secret`,
  'event-subscription': { help: 'act on one server to which events are sent' },
  'event-subscription test': action('testSubscription')`send a test event, and say how that went
    ${named('event-subscription', 'subscription')}`,
  'event-subscription deliveries': action('listDeliveries')`
    list what the receiver did not take, then the events that wait, were delivered or were given up, the newest first
    ${named('event-subscription', 'subscription')}
    ${{ '--state <state>': { help: 'only these', choices: ['waiting', 'delivered', 'failed'] } }}
    --limit <n>  how many (default: 100)`,
  'event-subscription replay': action('replayEvents')`send events again that were given up
    ${named('event-subscription', 'subscription')}
    --since <time>  all since then, delivered ones too: a time such as 2030-01-31T12:00:00Z, or how long ago, such as 2h
    --id <id...>    only these`,
  'event-subscription rotate-secret': action('rotateSecret')`
    make another secret, which is shown once; the one before it signs too for a while
    ${named('event-subscription', 'subscription')}
    --overlap <time>  for how long, such as 1h (default: 24h)`,
  export: exported('exportCommand')`print the managed entities as YAML, by name and without secrets, for apply
    ${{ '--kind <kind>': { help: 'only this kind (may be repeated)', choices: stateKinds, isMany: true } }}
    --schema  print the JSON Schema of such files, for editors`,
  'export audit': auditTrail('exportAudit')`
    print the audit trail, the oldest event first, to keep or to evaluate
    --since <time>   from then on: a time such as 2030-01-31T12:00:00Z, or how long ago, such as 7d
    --until <time>   up to then; default: now
    --person <name>  what this person did, or what was done to them
    --entity <kind>  what was done to entities of this kind, such as auth-policy
    ${{ '--output <format>': { help: 'one JSON object a line, or a table for spreadsheets', choices: ['jsonl', 'csv'], default: 'jsonl' } }}`,
  apply: apply('applyCommand')`make the managed entities match the files, all or nothing; show the difference
    <files...>  YAML or JSON, as export prints it
    --prune     also delete what no file names, of the kinds in the files; asks first
    --dry-run   show the difference, and change nothing
    --yes       do not ask
    ${force('names')}`,
  explain: reference('explainReference')`
    say why a login was refused, whether a token is valid, or what an identity must prove
    <reference>  reference id, as the refusal showed it`,
  'explain token': explainedToken('explainToken')`
    decode an access or ID token, and say which check of the server fails
    <file>  file with the token; - for standard input`,
  'explain policy': explainedPolicy('explainPolicy')`
    say what an identity must prove to log in, and what would stop it
    ${{ '<identity>': { help: 'name or id of the identity', completedBy: { entity: 'identity' } } }}
    ${{ '--method <method>': { help: 'only this one', choices: primaryMethods } }}
    --policy <file>  also what saving the auth policy in FILE would change; - for standard input`,
  verify: { help: 'try something that logins depend on' },
  'verify ext-jwt-signer': signer('verifySigner')`
    say whether a token of a signer would be accepted, for whom, and if not, why
    ${named('ext-jwt-signer', 'signer')}
    <file>  file with a token of its provider; - for standard input`,
};
