// What has to hold before a release, and what shows it. A round is one run of tests that exist anyway, in full size; a
// target that asks for more has as many rounds as one night on two cores has room for, and says so.

export interface Target {
  readonly id: string;
  readonly what: string;
  /** What has to be seen, and in how much. */
  readonly aim: string;
  /** How it is looked at; missing: `why` it is not. */
  readonly round?: Round;
  readonly why?: string;
}

export interface Round {
  /** What one round does. */
  readonly does: string;
  /** How many of them in a night. */
  readonly rounds: number;
  readonly tests?: readonly string[];
  /** Of the tests in these files, only those whose names match. */
  readonly pattern?: string;
  /** An npm script and its arguments, instead of tests. */
  readonly script?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const targets: readonly Target[] = [
  {
    id: 'T-01',
    what: 'processes killed under load',
    aim: 'nothing acknowledged is lost, nothing superseded is accepted, in 1,000 cycles',
    round: {
      does: '50 cycles',
      rounds: 20,
      tests: ['test/store/crash.test.ts'],
      env: { OVERLAY_AUTH_CRASH_CYCLES: '50' },
    },
  },
  {
    id: 'T-02',
    what: 'refresh tokens raced for on three nodes',
    aim: 'one success for each of 100,000',
    round: {
      does: '5,000 tokens',
      rounds: 20,
      tests: ['test/postgres/races.test.ts'],
      pattern: 'refresh token',
      env: { OVERLAY_AUTH_RACES: '5000' },
    },
  },
  {
    id: 'T-03',
    what: 'codes, recovery codes and TOTP steps raced for',
    aim: 'one success for each of 100,000 codes, 10,000 recovery codes, 10,000 steps',
    round: {
      does: '5,000 codes, 9 recovery codes and steps',
      rounds: 20,
      tests: ['test/postgres/races.test.ts'],
      pattern: 'codes each opens|step of TOTP|enrollment token',
      env: { OVERLAY_AUTH_RACES: '5000' },
    },
  },
  {
    id: 'T-04',
    what: 'requests made by a fuzzer, at every endpoint',
    aim: 'no 5xx but deliberate 503, no crash, in 10,000,000',
    round: {
      does: '20,000 requests, and connections that speak no HTTP',
      rounds: 50,
      tests: ['test/http/fuzz.test.ts', 'test/http/malformed.test.ts'],
    },
  },
  {
    id: 'T-05',
    what: 'the catalogue of attacks, on both mechanisms',
    aim: 'every one fails',
    round: {
      does: 'every test of the front door',
      rounds: 1,
      tests: ['test/http', 'test/oidc', 'test/legacy', 'test/login', 'test/sessions', 'test/certificates'],
    },
  },
  {
    id: 'T-06',
    what: 'a store that fails at any of its steps',
    aim: 'the old state or the new one, never one between',
    round: {
      does: 'every statement of the login and the refresh',
      rounds: 1,
      tests: ['test/oidc/failing-store.test.ts'],
    },
  },
  {
    id: 'T-07',
    what: 'power cut: writes that were not synced are lost, pages are torn',
    aim: 'no violation in 10,000 cuts',
    round: {
      does: '2,000 cuts of what strace has seen the embedded store ask of the system',
      rounds: 5,
      tests: ['assurance/power-cut.test.ts'],
      env: { OVERLAY_AUTH_POWER_CUTS: '2000' },
    },
  },
  {
    id: 'T-08',
    what: 'from start to ready with 1,000,000 sessions, and empty',
    aim: 'at most 5 s, and 1 s',
    round: {
      does: 'starts over a database of 1,000,000 sessions',
      rounds: 1,
      script: ['bench', '--', '--only', 'start-and-memory', '--only', 'ended-sessions'],
    },
  },
  {
    id: 'T-09',
    what: 'a node, the database or its standby fails under load',
    aim: 'clients are served again in 5 s, nothing acknowledged is lost',
    round: {
      does: 'three nodes, sixteen clients, each fault five times',
      rounds: 1,
      tests: [
        'test/cluster/faults.test.ts',
        'test/cluster/failover.test.ts',
        'test/cluster/standby-away.test.ts',
      ],
      pattern: 'killed|fails over|standby|replica|rereads',
    },
  },
  {
    id: 'T-10',
    what: 'what was ended on one node is ended on all',
    aim: 'p99 at most 1 s, never more than 5 s',
    round: { does: '300 changes of each kind', rounds: 1, tests: ['test/cluster/propagation.test.ts'] },
  },
  {
    id: 'T-11',
    what: 'nodes cut off from the database, paused, and back',
    aim: 'no anomaly in 200 schedules',
    round: {
      does: 'each fault five times',
      rounds: 4,
      tests: ['test/cluster/faults.test.ts'],
      pattern: 'paused|cut off|dropped',
    },
  },
  {
    id: 'T-12',
    what: 'clocks that jump, and clocks that differ',
    aim: 'no replay, no revived token, no crash in 500 jumps',
    round: {
      does: 'jumps of two days and of 12 s on one of three nodes, five times; jumps of a single controller',
      rounds: 5,
      tests: ['test/cluster/faults.test.ts', 'test/oidc/freshness.test.ts'],
      pattern: 'clock',
    },
  },
  {
    id: 'T-13',
    what: 'soak at 60 % of capacity',
    aim: '72 h without a failed request; memory, descriptors and times stay flat',
    round: {
      does: '10 minutes',
      rounds: 432,
      tests: ['assurance/soak.test.ts'],
    },
  },
  {
    id: 'T-14',
    what: 'five times more logins than there is room for',
    aim: 'access tokens p99 below 20 ms, refresh p99 below 250 ms, what is shed gets 429 or 503',
    round: { does: 'the whole measurement', rounds: 1, script: ['bench', '--', '--only', 'overload'] },
  },
  {
    id: 'T-15',
    what: 'memory that strangers can take',
    aim: 'growth below 100 MB with 1,000 connections of 100 MB bodies, below 256 MB with 1,000,000 logins begun',
    round: {
      does: '1,000 connections with such bodies, 50,000 logins begun',
      rounds: 20,
      tests: ['assurance/strangers.test.ts'],
      pattern: 'bodies|logins begun',
    },
  },
  {
    id: 'T-16',
    what: 'slow clients',
    aim: '10,000 of them change the p99 of others by less than a tenth',
    round: {
      does: '1,000 slow clients',
      rounds: 10,
      tests: ['assurance/strangers.test.ts'],
      pattern: 'slow clients',
    },
  },
  {
    id: 'T-17',
    what: 'refusals that tell by their time whether a user exists',
    aim: 'no class stands out at p < 0.001 in 10,000 samples each',
    round: {
      does: '2,500 of each class, with both mechanisms',
      rounds: 4,
      tests: ['assurance/refusal-times.test.ts'],
      env: { OVERLAY_AUTH_REFUSALS: '2500' },
    },
  },
  {
    id: 'T-18',
    what: 'secrets in logs, answers and the database',
    aim: 'none',
    round: { does: 'a canary in every place', rounds: 1, tests: ['test/oidc/secrets.test.ts'] },
  },
  {
    id: 'T-19',
    what: 'changes of what decides that tests notice',
    aim: '90 % in each module',
    why: 'npm run mutants, which has a page of its own: mutation.md',
  },
  {
    id: 'T-20',
    what: 'the OpenID conformance suite',
    aim: 'no failure',
    why: 'the suite is run by hand, outside of this repository',
  },
  {
    id: 'T-21',
    what: 'nodes upgraded one after the other under load, and back',
    aim: 'no session lost, no 5xx',
    round: { does: 'one upgrade each way', rounds: 5, tests: ['test/postgres/rolling-upgrade.test.ts'] },
  },
  {
    id: 'T-22',
    what: 'an old backup put back',
    aim: 'nothing that was used or ended revives',
    round: {
      does: 'both engines, and the commands',
      rounds: 5,
      tests: ['test/ops/restore.test.ts', 'test/cli/restore.test.ts'],
    },
  },
  {
    id: 'T-23',
    what: 'the keys of an external signer are not to be had for a day',
    aim: 'no crash, the documented refusal, back in 30 s',
    round: { does: 'a day by the clock', rounds: 5, tests: ['test/login/external-jwt-keys.test.ts'] },
  },
  {
    id: 'T-24',
    what: 'signing keys that change under load',
    aim: 'no good token refused in 1,440 rotations',
    round: {
      does: 'five rotations on three nodes at once',
      rounds: 5,
      tests: ['test/cluster/faults.test.ts'],
      pattern: 'rotate keys at once',
    },
  },
  {
    id: 'T-25',
    what: 'tests that fail now and then',
    aim: 'none in 100 repeats',
    round: {
      does: 'the tests of the front door of OIDC',
      rounds: 10,
      tests: ['test/oidc', 'test/legacy'],
      env: { OVERLAY_AUTH_TEST_SIZE: 'small' },
    },
  },
  {
    id: 'T-26',
    what: 'two threads that answer requests',
    aim: 'nobody can tell them from one: every test of a controller passes, and 10,000 of each race',
    round: {
      does: 'every folder whose tests start a controller, with two threads; 2,000 races of each kind',
      rounds: 5,
      tests: [
        ...['client', 'compatibility', 'edge', 'enrollment', 'http', 'import', 'legacy', 'login'],
        ...['management', 'model', 'oidc', 'ops', 'pages', 'postgres', 'sessions'],
      ].map((area) => `test/${area}`),
      env: {
        OVERLAY_AUTH_TEST_THREADS: '2',
        OVERLAY_AUTH_TEST_SIZE: 'small',
        OVERLAY_AUTH_RACES: '2000',
      },
    },
  },
  {
    id: 'M-01',
    what: 'random logins beside a model of what was proven',
    aim: 'no broken promise in 200,000 runs',
    round: {
      does: '2,000 runs with a new seed',
      rounds: 100,
      tests: ['test/model/login.test.ts'],
      env: { OVERLAY_AUTH_MODEL_HOUSES: '1' },
    },
  },
  {
    id: 'M-02',
    what: 'faults planted in a copy of the source',
    aim: 'the model finds each: see planted-faults.md',
    round: { does: 'each fault once', rounds: 1, script: ['planted-faults'] },
  },
];
