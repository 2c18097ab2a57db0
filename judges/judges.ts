// Who judges: how each is installed and started.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Judge {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  /** `built-in`: the client `overlay`. `registered`: a client with a secret, as the judge has it by default. */
  readonly client: 'built-in' | 'registered';
  /** Below judges/. */
  readonly folder: string;
  /** Commands that install and build it. */
  prepare(work: string): readonly (readonly string[])[];
  command(work: string): readonly string[];
  /** How it is told which authority to trust. */
  environment(caFile: string): Readonly<Record<string, string>>;
}

const trustByFile = (caFile: string) => ({ SSL_CERT_FILE: caFile, REQUESTS_CA_BUNDLE: caFile });

function python(name: string, version: string, script: string): Judge {
  return {
    name,
    version,
    language: 'Python',
    client: 'built-in',
    folder: 'python',
    prepare: (work) => [
      ...(existsSync(join(work, 'python', 'bin', 'pip'))
        ? []
        : [['python3', '-m', 'venv', join(work, 'python')]]),
      [join(work, 'python', 'bin', 'pip'), 'install', '--quiet', '-r', 'requirements.txt'],
    ],
    command: (work) => [join(work, 'python', 'bin', 'python'), script],
    environment: trustByFile,
  };
}

function go(name: string, version: string): Judge {
  return {
    name,
    version,
    language: 'Go',
    client: 'built-in',
    folder: 'go',
    prepare: (work) => [['go', 'build', '-o', join(work, name), `./${name}`]],
    command: (work) => [join(work, name)],
    environment: trustByFile,
  };
}

const rust: Judge = {
  name: 'openidconnect',
  version: '4',
  language: 'Rust',
  client: 'built-in',
  folder: 'rust',
  prepare: (work) => [['cargo', 'build', '--quiet', '--release', '--target-dir', join(work, 'rust')]],
  command: (work) => [join(work, 'rust', 'release', 'judge')],
  environment: trustByFile,
};

const spring: Judge = {
  name: 'spring-security',
  version: '6.5.5',
  language: 'Java',
  client: 'registered',
  folder: 'java',
  prepare: (work) => [
    [
      'mvn',
      '--quiet',
      '--batch-mode',
      `-DbuildDirectory=${join(work, 'java')}`,
      'package',
      'dependency:copy-dependencies',
    ],
  ],
  command: (work) => [
    'java',
    '-cp',
    `${join(work, 'java', 'classes')}:${join(work, 'java', 'dependency', '*')}`,
    'Judge',
  ],
  // Java trusts stores, not PEM files.
  environment: (caFile) => ({
    JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStoreType=PKCS12 -Djavax.net.ssl.trustStore=${caFile}.p12 -Djavax.net.ssl.trustStorePassword=changeit`,
  }),
};

const apache: Judge = {
  ...python('mod_auth_openidc', 'of Debian', 'judge_mod_auth_openidc.py'),
  language: 'C (Apache)',
  client: 'registered',
  prepare: (work) => [
    ['apt-get', 'install', '-y', '-qq', 'apache2-bin', 'libapache2-mod-auth-openidc'],
    ...python('', '', '').prepare(work),
  ],
};

const nginx: Judge = {
  ...python('nginx', 'of Debian', 'judge_nginx.py'),
  language: 'C',
  client: 'registered',
  prepare: (work) => [
    ['apt-get', 'install', '-y', '-qq', 'nginx-light'],
    ...python('', '', '').prepare(work),
  ],
};

export const judges: readonly Judge[] = [
  python('authlib', '1.9.9', 'judge_authlib.py'),
  python('requests-oauthlib', '2.0.0', 'judge_requests_oauthlib.py'),
  go('goidc', '3.21.0'),
  go('zitadel', '3.45.4'),
  rust,
  spring,
  apache,
  nginx,
];
