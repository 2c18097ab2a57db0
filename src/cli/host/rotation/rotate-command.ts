import type { X509Certificate } from 'node:crypto';
import { dirname } from 'node:path';
import { DAY } from '../../../platform/clock.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { readable, readIfThere, writeWhole } from '../../../platform/whole-file.ts';
import { readPathCertificate } from '../../../platform/x509/path-certificate.ts';
import { describeRefusal } from '../../../platform/x509/path-refusal.ts';
import { anchorProblem } from '../../../platform/x509/path-validation.ts';
import {
  displaySubject,
  isSameAuthority,
  parseCertificate,
  thumbprint,
} from '../../../platform/x509/x509.ts';
import type { Flags, Texts, Work } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report } from '../../terminal/output.ts';
import { type ConfigOptions, reloadCommand, shownPath } from '../load-config.ts';
import { onlyOne } from '../only-one.ts';
import { type Host, withHost } from '../open-host.ts';
import { homePaths } from '../setup/home.ts';
import { belongTogether, isAmong, readPair, signingPair, trustedIn } from '../setup/pki.ts';
import { clientsOf, nodesThatFail } from './dependents.ts';
import { crossCertificates, makeAuthority, readAuthorityFiles, type Which } from './new-authority.ts';
import {
  authorityAt,
  besides,
  certificatesIn,
  discard,
  placePair,
  type Rotated,
  removeLeftKeys,
  retire,
  rotations,
  type Stage,
  settle,
  switchBack,
  switchOver,
  takeBack,
} from './rotation.ts';

type RotateOptions = ConfigOptions &
  Texts<'cert' | 'key'> &
  Flags<'switch' | 'retire' | 'undo' | 'sameKey' | 'force'> & { readonly cross: boolean };

type Step = 'prepare' | 'switch' | 'retire' | 'undo';

interface Rotation {
  readonly report: Report;
  readonly host: Host;
  readonly rotated: Rotated & { readonly stage: Stage };
  readonly others: readonly (Rotated & { readonly stage: Stage })[];
  readonly options: RotateOptions;
}

const names: Readonly<Record<Which, string>> = { root: 'root CA', 'client-ca': 'client CA' };

/** `pki rotate` @throws CliError not this step now; something still depends on the authority; another one runs */
export const rotateAuthority: Work<RotateOptions, readonly [Which]> = async (report, options, [which]) => {
  const { ports } = report;
  await withHost(report, options, async (host) => {
    const { config } = host.foundations;
    using _lock = onlyOne(config.identity.caFile);
    const all = rotations(config, homePaths(ports.cwd, dirname(host.configFile)));
    const rotated = all.find((one) => one.which === which);
    if (rotated === undefined) throw notHere(which, host);
    removeLeftKeys(rotated.pair);
    const step: Step = (['switch', 'retire', 'undo'] as const).find((name) => options[name]) ?? 'prepare';
    const work = { report, host, rotated, others: all.filter((one) => one !== rotated), options };
    const said = await steps[step](work);
    const present = authorityAt(rotated, 'present');
    const { fingerprint256: fingerprint } = step === 'prepare' ? authorityAt(rotated, 'next') : present;
    host.audit.record({ event: 'authority.rotated', authority: which, step, fingerprint }, null);
    const after = rotations(config, rotated.paths).find((one) => one.which === which);
    const value = { authority: which, step, stage: after?.stage ?? 'usual', fingerprint };
    printResult(report, { ...value, subject: displaySubject(present) }, () => said.done);
    for (const next of said.next) notice(report, `next: ${next}`);
  });
};

function notHere(which: Which, { configFile }: Host): CliError {
  return which === 'root'
    ? new CliError('The server certificate of this configuration was not made by overlay-auth.', {
        code: 'foreign_certificate',
        next: 'rotate its authority at its issuer: put the new one into the file of identity.ca first, then config reload',
      })
    : new CliError('Nothing signs client certificates here: edge.enrollment.signingCert is not configured.', {
        code: 'no_authority',
        next: `overlay-auth config show ${shellWord(configFile)}`,
      });
}

interface Said {
  readonly done: string;
  readonly next: readonly string[];
}

const steps: Readonly<Record<Step, (work: Rotation) => Promise<Said>>> = {
  async prepare(work) {
    const { report, host, rotated, others, options } = work;
    const { pair, which, stage, paths, bundle } = rotated;
    const name = names[which];
    if (stage === 'interrupted' || stage === 'switched') throw notNow(work);
    const next = besides(pair, 'next');
    if (stage === 'prepared' && isAmong(trustedIn(bundle), authorityAt(rotated, 'next'))) throw notNow(work);
    const other = others.find((one) => one.stage !== 'usual');
    if (other !== undefined)
      throw new CliError(`The ${names[other.which]} is being rotated; one follows from the other.`, {
        code: 'conflict',
        next: `finish that first: ${commandOf(work, nextOption[other.stage], other.which)}`,
      });
    const { clock } = host.foundations;
    if (stage === 'usual') {
      const present = authorityAt(rotated, 'present');
      const { cert, key, sameKey = false } = options;
      const wanted = { which, present, keyPem: readIfThere(pair.key), root: () => signingPair(paths.rootCa) };
      const made =
        cert === undefined || key === undefined
          ? await makeAuthority({ clock }, wanted, sameKey)
          : await readAuthorityFiles({ clock, cwd: report.ports.cwd }, { cert, key }, wanted);
      const isSame = isSameAuthority(parseCertificate(made.certPem), present);
      if (which === 'root' && !isSame) {
        const old = options.cross ? (readPair(pair) ?? noOldKey(pair.key)) : undefined;
        const [clientCa] = rotated.clientCa === null ? [] : certificatesIn(rotated.clientCa.cert);
        const cross = await crossCertificates(
          { clock },
          { old, fresh: made },
          clientCa === undefined ? undefined : String(clientCa),
        );
        writeWhole(paths.rootCross, cross, readable);
      }
      placePair(next, made, pair);
    }
    await settle({ clock }, rotated);
    const successor = authorityAt(rotated, 'next');
    const ends = (successor.validToDate.getTime() - clock.now()) / DAY;
    return {
      done: [
        `The next ${name} is ${displaySubject(successor)}, SHA-256 ${successor.fingerprint256}. It is trusted beside the present one, which still signs.`,
        ...(ends < 400 ? [`It ends in ${Math.floor(ends)} days, and so does everything that it signs.`] : []),
      ].join('\n'),
      next: [
        reload(work),
        ...onOtherHosts(
          work,
          `copy ${[next.cert, next.key, ...(which === 'root' ? [paths.rootCross] : []), bundle].map((file) => shown(work, file)).join(', ')} to every other node, and reload there too`,
        ),
        `when clients have learned it: ${commandOf(work, '--switch')}`,
      ],
    };
  },

  async switch(work) {
    const { host, rotated, options } = work;
    const { stage, which, bundle } = rotated;
    if (stage === 'usual') throw notNow(work);
    const { clock } = host.foundations;
    if (stage !== 'switched') {
      const next = authorityAt(rotated, 'next');
      const unusable = (why: string) =>
        new CliError(`The next ${names[which]} cannot be used: ${why}.`, {
          code: 'authority_unusable',
          next: commandOf(work, '--undo'),
        });
      const problem = anchorProblem(readPathCertificate(next.raw), clock.now());
      if (problem !== undefined) throw unusable(describeRefusal(problem).replace(/\.$/, ''));
      if (stage === 'prepared') {
        const pair = readPair(besides(rotated.pair, 'next'));
        if (pair === undefined)
          throw unusable(`its key is not at ${shown(work, besides(rotated.pair, 'next').key)}`);
        if (!belongTogether(pair)) throw unusable('its key does not belong to its certificate');
        if (!isAmong(trustedIn(bundle), next))
          throw unusable(`it is not in ${shown(work, bundle)}, so nothing would trust it`);
        const lacking = options.force
          ? []
          : await nodesThatFail(
              host,
              (node) => node.authorities?.trusted.includes(thumbprint(next)) === true,
            );
        if (lacking.length > 0)
          throw new CliError(
            `${list(lacking)} ${does(lacking)} not trust the next ${names[which]} yet, so nothing is signed by it.`,
            {
              code: 'not_trusted_everywhere',
              next: `copy ${shown(work, bundle)} and the files that end in .next there and reload; then run the command again`,
            },
          );
      }
    }
    await switchOver({ clock }, rotated);
    const signs = which === 'root' ? 'Server certificates are' : 'Certificates of clients are';
    return {
      done: `${signs} now signed by ${displaySubject(authorityAt(rotated, 'present'))}; ${displaySubject(authorityAt(rotated, 'previous'))} stays trusted.`,
      next: [
        reload(work),
        ...onOtherHosts(work, 'run this command on the hosts of the other nodes too'),
        `when nothing needs the previous one any more: ${commandOf(work, '--retire')}`,
      ],
    };
  },

  async retire(work) {
    const { host, rotated } = work;
    if (rotated.stage !== 'switched') throw notNow(work);
    const previous = authorityAt(rotated, 'previous');
    await requireUnused(work, previous);
    await retire(host.foundations, rotated);
    const { cert, key } = besides(rotated.pair, 'retired');
    return {
      done: `${displaySubject(previous)} is no longer trusted. It is kept in ${shown(work, cert)} and ${shown(work, key)}: delete both when you will restore no backup from before.`,
      next: [reload(work), ...onOtherHosts(work, 'run this command on the hosts of the other nodes too')],
    };
  },

  async undo(work) {
    const { host, rotated } = work;
    const { stage, pair, which } = rotated;
    const needs = host.foundations;
    if (stage === 'prepared') {
      const next = authorityAt(rotated, 'next');
      await requireUnused(work, next);
      await discard(needs, rotated);
      return {
        done: `${displaySubject(next)} is no longer trusted, and its files are deleted.`,
        next: [reload(work)],
      };
    }
    if (stage === 'usual') {
      if (certificatesIn(besides(pair, 'retired').cert).length === 0) throw notNow(work);
      await takeBack(needs, rotated);
      const previous = displaySubject(authorityAt(rotated, 'previous'));
      return { done: `${previous} is trusted again.`, next: [reload(work)] };
    }
    await switchBack(needs, rotated);
    return {
      done: `${displaySubject(authorityAt(rotated, 'present'))} signs again; the next ${names[which]} stays trusted.`,
      next: [reload(work)],
    };
  },
};

/** @throws CliError names what still needs an authority that is to be trusted no longer */
async function requireUnused(work: Rotation, gone: X509Certificate): Promise<void> {
  const { host, rotated, options } = work;
  // The new authority vouches for the certificates that the old one has issued.
  if (options.force || isSameAuthority(gone, authorityAt(rotated, 'present'))) return;
  const nodes = await nodesThatFail(
    host,
    (node) => node.authorities?.signing.includes(thumbprint(gone)) === false,
  );
  const clients = await clientsOf(host, [gone]);
  if (nodes.length === 0 && clients.count === 0) return;
  const more = clients.count > clients.some.length ? ' and others' : '';
  const needing = [
    ...(clients.count === 0
      ? []
      : [
          `${clients.count} ${clients.count === 1 ? 'certificate' : 'certificates'} in use by ${list(clients.some)}${more}`,
        ]),
    ...(nodes.length === 0 ? [] : [`what ${list(nodes)} present or sign with`]),
  ];
  throw new CliError(`${displaySubject(gone)} is still needed by ${needing.join(', and by ')}.`, {
    code: 'in_use',
    next:
      nodes.length > 0
        ? 'finish the step before on these nodes and reload them, then run the command again'
        : `have them replaced first; with --force these clients can no longer log in`,
  });
}

function notNow(work: Rotation): CliError {
  const { rotated } = work;
  const name = names[rotated.which];
  const [why, option] = {
    usual: [`The ${name} is not being rotated.`, ''],
    prepared: [`The next ${name} is prepared, and does not sign yet.`, '--switch'],
    interrupted: [`A change of the ${name} was interrupted.`, '--switch'],
    switched: [`The ${name} has been replaced, and the previous one is still trusted.`, '--retire'],
  }[rotated.stage] as [string, string];
  return new CliError(why, { code: 'wrong_step', next: commandOf(work, option) });
}

const nextOption: Readonly<Record<Stage, string>> = {
  usual: '',
  prepared: '--switch',
  interrupted: '--switch',
  switched: '--retire',
};

function commandOf({ report, host, rotated }: Rotation, option: string, which = rotated.which): string {
  const config = shellWord(shownPath(report.ports.cwd, host.configFile));
  return `overlay-auth pki rotate ${which}${option === '' ? '' : ` ${option}`} --config ${config}`;
}

function reload({ report, host }: Rotation): string {
  return reloadCommand(report.ports, host.configFile);
}

function onOtherHosts({ host }: Rotation, text: string): readonly string[] {
  return host.foundations.config.db.engine === 'postgres' ? [text] : [];
}

function shown({ report }: Rotation, file: string): string {
  return shownPath(report.ports.cwd, file);
}

function list(of: readonly string[]): string {
  return of.join(', ');
}

function does(of: readonly string[]): string {
  return of.length === 1 ? 'does' : 'do';
}

function noOldKey(path: string): never {
  throw new CliError(
    `The key of the present root CA is not at ${path}, so it cannot vouch for the next one.`,
    {
      code: 'authority_missing',
      next: 'put it back for this command, or, if it is lost, add --no-cross: clients then have to learn the next root CA before the switch',
    },
  );
}
