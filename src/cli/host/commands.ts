// The commands that work on the files of this host: setting up and running a controller, and its configuration, keys,
// certificates, administrators and database.

import { type Commands, from, password, type Typed, type Work, yes } from '../terminal/command.ts';
import { usageError } from '../terminal/output.ts';

const config: Typed = {
  '--config <file>':
    'configuration of the controller (default: controller.yml in $OVERLAY_AUTH_HOME or ./.overlay)',
};

/** Options of the first step of a rotation make no sense with these. */
const laterSteps = ['switch', 'retire', 'undo'];

const quickstart = from(() => import('./quickstart/quickstart.ts'));
const init = from(() => import('./setup/init.ts'));
const run = from(() => import('./run/command.ts'));
const admin = from(() => import('./admin-commands.ts'));
const configFiles = from(() => import('./config-commands.ts'));
const tuneHash = from(() => import('./tune-hash.ts'));
const keys = from(() => import('./key-commands.ts'));
const rekey = from(() => import('./rekey-command.ts'));
const pki = from(() => import('./pki-commands.ts'));
const rotation = from(() => import('./rotation/rotate-command.ts'));
const trust = from(() => import('./trust/run-trust.ts'));
const db = from(() => import('./db-commands.ts'));
const moveDatabase = from(() => import('./move-database.ts'));
const importZiti = from(() => import('../../../packages/import-ziti/src/import-ziti.ts'));

const rows: Commands = {
  quickstart: quickstart('quickstart')`set up what is missing and run a controller on this machine
    --home <dir>  where keys, database and configuration are (default: $OVERLAY_AUTH_HOME or ./.overlay)
    ${{ '--port <port>': { help: 'port of a new home (default: 1280)', parse: portNumber } }}
    ${{ '--ephemeral': { help: 'use a home that is discarded at the end', conflicts: ['home'] } }}
    --json        print one JSON object a line, as when the output is not a terminal`,
  init: init('init')`set up a controller without running it
    ${{ '--home <dir>': { help: 'folder to create: keys, certificates, database and controller.yml', isRequired: true } }}
    ${{ '--address <host:port>': { help: 'the address for clients', default: 'localhost:1280' } }}
    --dns <name...>    further DNS names of the server certificate
    --ip <address...>  further IP addresses of the server certificate
    ${{ '--db <url>': { help: 'sqlite:FILE, relative to the folder, or postgres://USER@HOST/NAME', default: 'sqlite:./overlay.db' } }}
    ${{ '--admin <name>': { help: 'create this administrator at once; needs --admin-password-file', needs: ['adminPasswordFile'] } }}
    ${{ '--admin-password-file <file>': { help: 'contains the password of the administrator', needs: ['admin'] } }}
    --yes              do not ask`,
  run: { help: 'run a service in the foreground' },
  'run controller': run('runControllerCommand')`
    run the controller that CONFIG describes, until SIGTERM or SIGINT
    <config>  configuration file
    --check   only check the configuration and the files it names, and explain what is wrong
    ${{ '--log-format <format>': { help: 'of the log on standard output', choices: ['text', 'json'] } }}

    SIGHUP reads configuration and certificates again. Without a log format, log.format of the configuration decides.`,
  admin: { help: 'create and recover administrators (on the host, without logging in)' },
  'admin create': admin('createAdmin')`create an administrator with a password
    [name]  user name
    ${config}
    ${password('read the password', { conflicts: ['link'] })}
    --link  make a one-time link with which another person chooses name and password

    Set-up links that were not used stop working.`,
  'admin recover': admin('recoverAdmin')`
    give an administrator a new password, enable the identity and end its sessions
    <name>        user name, or name of the identity
    ${config}
    ${password()}
    --reset-totp  also remove the authenticator app and its recovery codes
    --own-policy  also give the identity a new auth policy, which allows passwords and requires nothing more`,
  config: { help: 'check and explain configuration files' },
  'config validate': configFiles('validateConfig')`
    check FILE and the files it names; say what is wrong, with line and column
    <file>                 configuration file
    --send-test <address>  also send a mail to this address, by the mail server that FILE names`,
  'config show': configFiles('showConfig')`print every effective setting
    <file>    configuration file
    --origin  say where each value comes from`,
  'config tune-hash': tuneHash('tuneHash')`
    measure password hashes on this machine and propose edge.passwordHash for a wanted time
    ${{ '--time <duration>': { help: 'how long one hash may take, such as 250ms', default: '100ms' } }}`,
  'config reload': configFiles('reloadConfig')`
    make the running controller read its configuration file again; say what changed
    ${config}`,
  'config schema': configFiles('printConfigSchema')`
    print the JSON Schema of configuration files, for editors`,
  keys: { help: 'the keys that sign tokens (on the host)' },
  'keys list': keys('listKeys')`list the signing keys and the current use of each
    ${config}`,
  'keys rekey': rekey('rekey')`reseal all stored secrets under a new key-encryption key
    ${config}

    Works while controllers run; if it is stopped, run it again. On PostgreSQL it names the file to copy to the other hosts first.`,
  'keys rotate': keys('rotateKeys')`
    make new signing keys; the old ones verify until their last token has expired
    ${config}
    --now  sign with the new keys at once, not after verifiers had time to read them

    Running controllers use the new keys without a restart. Keys also rotate automatically every 30 days.`,
  pki: { help: 'the certificates of a controller (on the host)' },
  'pki show': pki('showPki')`show the certificates that the configuration names, and when they expire
    ${config}`,
  'pki renew': pki('renewPki')`
    make a new server certificate, signed by the home's own root CA, for the same names and key
    ${config}
    --dns <name...>    also for this DNS name
    --ip <address...>  also for this IP address
    --new-key          with a new key; enrollment JWTs that were handed out no longer fit

    A running controller renews it by itself 30 days before its end, if it can read the key of the root CA, and presents one renewed by hand after config reload or SIGHUP.`,
  'pki rotate': rotation('rotateAuthority')`
    replace the root CA or the client CA, in steps: prepare the next one, --switch to it, --retire the previous one
    ${{ '<authority>': { help: 'which one', choices: ['root', 'client-ca'] } }}
    ${config}
    ${{ '--switch': { help: 'sign by the next one from now on; both stay trusted', conflicts: ['retire', 'undo'] } }}
    ${{ '--retire': { help: 'no longer trust the previous one', conflicts: ['undo'] } }}
    --undo      take back the last step
    ${{ '--same-key': { help: 'a new certificate for the same name and key', conflicts: ['cert', ...laterSteps] } }}
    ${{ '--cert <file>': { help: 'certificate of an authority that was made elsewhere', needs: ['key'], conflicts: laterSteps } }}
    ${{ '--key <file>': { help: 'its private key, PEM without a passphrase', needs: ['cert'] } }}
    ${{ '--no-cross': { help: 'do not sign one root by the other, so clients accept only the one that they trust', conflicts: laterSteps } }}
    --force     go on although a node or a client still needs the other authority

    Without an option it makes the next authority, which is trusted and published beside the present one. A running controller applies each step after config reload or SIGHUP. Nodes say which authorities they trust: a step that would lock one out is refused.`,
  'pki trust': trust('trustAuthority')`
    make browsers and the system of this computer trust the authority of a home
    [file]     certificate of another authority, such as a copy of another home's pki/root-ca.cert.pem
    ${config}
    ${{ '--only <kind>': { help: 'only there', choices: ['browser', 'system'] } }}
    --undo     stop trusting it
    --dry-run  only show what would be run
    ${yes}

    Run it as yourself: it changes the browsers of the user, and prints what root has to type for the system.`,
  ops: { help: 'operate a controller (on the host)' },
  'ops db': { help: 'the database' },
  'ops db migrate': db('migrateCommand')`
    migrate the database to the schema of this release; starting a controller does it too
    ${config}`,
  'ops db backup': db('backupCommand')`copy the database as of this moment into FILE, which must not exist
    <file>  file to write
    ${config}`,
  'ops db restore': db('restoreCommand')`
    replace the database with the backup FILE; sessions end, and tokens and links stop working
    <file>  backup to restore; it is not changed
    ${config}
    ${yes}`,
  'ops db restored': db('restoredCommand')`
    after the database was put back with other tools: end all sessions, withdraw tokens and links
    ${config}
    ${yes}`,
  'ops db backed-up': db('backedUpCommand')`
    after other tools have made a backup that is complete: note it, for metrics and alerts
    ${config}`,
  'ops db check': db('checkCommand')`look for damage in the database
    ${config}`,
  'ops db move': moveDatabase('moveCommand')`
    move an SQLite database, with every session, to an empty PostgreSQL database
    ${{ '--to <url>': { help: 'postgres://USER@HOST/NAME; the password may come from PGPASSWORD or PGPASSFILE', isRequired: true } }}
    ${config}`,
  'ops import': { help: 'import the data of another controller' },
  'ops import ziti': importZiti('importZiti')`
    take over identities, what they log in with, policies, signers and CAs from the database file of a controller of OpenZiti; all people log in with their present credentials. Repeating is safe
    <file>                its database: ctrl-ha.db of the stopped controller, or a snapshot
    --dry-run             say what would be done, and write nothing
    --report <file>       write the whole report as JSON
    ${{ '--trust <file>': { help: 'certificates of the authorities that issued its client certificates; the database does not contain them (may be repeated)', isMany: true } }}
    --signing-key <file>  key of one of these authorities, to keep issuing client certificates with it
    ${config}`,
};

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw usageError(`${JSON.stringify(text)} is not a port number.`);
}

/** Of work with the files of this host, the failure says in a sentence what they cannot be used for. */
export function onHost(load: () => Promise<Work>): () => Promise<Work> {
  return async () =>
    async (...given) => {
      try {
        await (await load())(...given);
      } catch (error) {
        const { hostFailure } = await import('./failures.ts');
        throw hostFailure(error);
      }
    };
}

/** All of them. Restoring and moving the database need the controllers stopped; the rest works beside one. */
export const hostCommands: Commands = Object.fromEntries(
  Object.entries(rows).map(([path, { run, ...row }]) => [
    path,
    run === undefined ? row : { ...row, run: onHost(run) },
  ]),
);
