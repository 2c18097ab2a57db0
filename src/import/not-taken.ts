// What is not taken over at all, by the kinds of the source.

const dataPlane = 'belongs to the data plane, which stays with the controller that serves it';
const madeAnew = 'made anew here';

const reasons: Readonly<Record<string, string>> = {
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
};

/** Kinds that hold nothing of their own, or the same in every database. */
const unremarkable: ReadonlySet<string> = new Set([
  'identityTypes',
  'postureCheckTypes',
  'indexes',
  'metadata',
  'eventualEvents',
  'versions',
]);

/** A whole kind that was left where it is. */
export interface NotTakenKind {
  readonly kind: string;
  readonly count: number;
  readonly reason: string;
}

export function notTakenKinds(others: Readonly<Record<string, number>>): readonly NotTakenKind[] {
  return Object.entries(others)
    .filter(([kind, count]) => count > 0 && !unremarkable.has(kind))
    .map(([kind, count]) => ({ kind, count, reason: reasons[kind] ?? 'is not known to this release' }));
}
