// An import from end to end: turns what was read into what is written, in one step of the store, and a report.

import type { AuditTrail } from '../../../src/model/audit-event.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import { sha256 } from '../../../src/platform/digest.ts';
import type { OutboundLimits } from '../../../src/platform/network/outbound-targets.ts';
import type { KeyVault } from '../../../src/platform/secrets/key-vault.ts';
import type { PathCertificate } from '../../../src/platform/x509/path-certificate.ts';
import {
  type ImportKind,
  type ImportOutcome,
  type ImportStore,
  importKinds,
} from '../../../src/store/contracts/imports.ts';
import { collectFindings, type Deviation, type LeftOut } from './map/findings.ts';
import { planImport } from './map/plan.ts';
import type { Source } from './read/source.ts';
import { type AddedAuthority, authoritiesToAdd, reportUntrusted } from './trust.ts';

export interface ImportNeeds {
  readonly store: { readonly imports: ImportStore };
  readonly clock: Clock;
  readonly vault: KeyVault;
  readonly recoveryKey: Buffer;
  readonly audit: AuditTrail;
  readonly issuers: ReadonlySet<string>;
  readonly limits: OutboundLimits;
  /** The overlay's own authorities as they are now. */
  readonly own: readonly PathCertificate[];
}

export type KindCounts = Record<ImportOutcome['status'] | 'leftOut', number>;

export interface ImportReport {
  readonly dryRun: boolean;
  readonly counts: Readonly<Record<ImportKind, KindCounts>>;
  readonly entities: readonly (ImportOutcome & { readonly name: string })[];
  readonly deviations: readonly Deviation[];
  readonly leftOut: readonly LeftOut[];
  readonly notTaken: readonly NotTakenKind[];
  /** To be added to the overlay's own authorities. This has not happened yet. */
  readonly authorities: readonly AddedAuthority[];
  /** Whether the source has an administrator. */
  readonly hasAdministrator: boolean;
}

/**
 * Imports everything in the source, in one step. Existing entities that differ stay as they are.
 * @param trust authorities that the source's certificates lead to
 * @throws UnreadableSource      a value cannot be read; nothing is written
 * @throws NoAdministratorLeft   the source's policies would lock the last administrator out; nothing is written
 */
export async function importSource(
  needs: ImportNeeds,
  source: Source,
  options: { readonly trust: readonly PathCertificate[]; readonly dryRun: boolean },
): Promise<ImportReport> {
  const now = needs.clock.now();
  const findings = collectFindings();
  const ownThumbprints = new Set([...needs.own, ...options.trust].map(({ thumbprint }) => thumbprint));
  const plan = planImport(
    {
      ...needs,
      now,
      findings,
      // Not keyed: it outlives every key, and the secrets in it are never alone and short.
      digest: (value) => sha256(JSON.stringify(value)),
      isOwn: (thumbprint) => ownThumbprints.has(thumbprint),
    },
    source,
  );
  const authorities = authoritiesToAdd(options.trust, needs.own, plan.certificates);
  const ownAfterwards = [...needs.own, ...authorities.map(({ anchor }) => anchor)];
  reportUntrusted({ findings, now }, plan.certificates, { own: ownAfterwards, cas: plan.cas });
  const outcomes = await needs.store.imports.take(plan.batch, now, options.dryRun);
  const entities = outcomes.map((outcome) => ({
    ...outcome,
    name: plan.names.get(`${outcome.kind} ${outcome.id}`) ?? outcome.id,
  }));
  const counts = countsOf(outcomes, findings.left);
  if (!options.dryRun) needs.audit.record({ event: 'database.imported', ...totals(counts) }, null);
  return {
    dryRun: options.dryRun,
    counts,
    entities,
    deviations: [...findings.deviations, ...sharedNames(entities)],
    leftOut: findings.left,
    notTaken: notTakenKinds(source.others),
    authorities,
    hasAdministrator: plan.batch.identities.some(({ identity }) => identity.isAdmin),
  };
}

/** Names that are kept although they pass for those of other identities. */
function sharedNames(entities: ImportReport['entities']): readonly Deviation[] {
  return entities.flatMap(({ kind, id, name, passesFor }) =>
    passesFor === null
      ? []
      : [
          {
            ...{ kind, id, name, field: kind === 'identity' ? 'name' : 'username' },
            what: `passes for a name of the identity ${passesFor}, and is kept`,
          },
        ],
  );
}

function countsOf(
  outcomes: readonly ImportOutcome[],
  left: readonly LeftOut[],
): Readonly<Record<ImportKind, KindCounts>> {
  const counts = Object.fromEntries(
    importKinds.map((kind) => [kind, { created: 0, changed: 0, unchanged: 0, conflict: 0, leftOut: 0 }]),
  ) as Record<ImportKind, KindCounts>;
  for (const { kind, status } of outcomes) counts[kind][status] += 1;
  const taken = new Set(outcomes.map(({ kind, id }) => `${kind} ${id}`));
  // Something belonging to an imported entity does not count as an entity.
  for (const { kind, id } of left) if (!taken.has(`${kind} ${id}`)) counts[kind].leftOut += 1;
  return counts;
}

function totals(counts: Readonly<Record<ImportKind, KindCounts>>) {
  const total = (status: keyof KindCounts) =>
    Object.values(counts).reduce((sum, each) => sum + each[status], 0);
  return { created: total('created'), changed: total('changed'), conflicts: total('conflict') };
}

// What is not imported at all, by the kinds of the source.

const dataPlane = 'belongs to the data plane, which stays with the controller that serves it';
const madeAnew = 'made anew here';

const reasons = {
  apiSessions: 'sessions end with the move: everybody logs in once more, with what they have',
  apiSessionCertificates: 'end with their sessions',
  sessions: dataPlane,
  services: dataPlane,
  servicePolicies: dataPlane,
  serviceEdgeRouterPolicies: dataPlane,
  edgeRouterPolicies: dataPlane,
  routers: dataPlane,
  terminators: dataPlane,
  configs: dataPlane,
  postureChecks: dataPlane,
  revocations: 'are about tokens of the former controller, which are worth nothing here',
  controllers: madeAnew,
} as const;

function isExplained(kind: string): kind is keyof typeof reasons {
  return Object.hasOwn(reasons, kind);
}

/** Kinds that contain nothing of their own, or the same in every database. */
const unremarkable: ReadonlySet<string> = new Set([
  'identityTypes',
  'postureCheckTypes',
  'indexes',
  'metadata',
  'eventualEvents',
  'versions',
]);

/** A whole kind that is not imported. */
export interface NotTakenKind {
  readonly kind: string;
  readonly count: number;
  readonly reason: string;
}

function notTakenKinds(others: Readonly<Record<string, number>>): readonly NotTakenKind[] {
  return Object.entries(others)
    .filter(([kind, count]) => count > 0 && !unremarkable.has(kind))
    .map(([kind, count]) => ({
      kind,
      count,
      reason: isExplained(kind) ? reasons[kind] : 'is not known to this release',
    }));
}
