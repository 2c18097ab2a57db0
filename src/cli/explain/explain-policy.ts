import { type ApiClient, withApi } from '../client/api-client.ts';
import { asList, asObject, type JsonObject, textField } from '../client/json-shape.ts';
import { entityNamed } from '../entities/entities.ts';
import { findEntity } from '../entities/lookup.ts';
import { printable, printResult, type Report } from '../terminal/output.ts';
import { withoutMilliseconds } from '../terminal/table.ts';

/** One way to begin a login. */
interface PrimaryMethod {
  readonly method: 'password' | 'cert' | 'ext-jwt';
  readonly isAllowed: boolean;
  /** Whether the identity has what the method needs. */
  readonly isReady: boolean;
  /** What it has, or what is missing and how it gets it. */
  readonly detail: string;
}

interface SecondaryFactor {
  readonly factor: string;
  readonly isReady: boolean;
  readonly detail: string;
}

/** Everything that the answer is made of. */
interface Facts {
  readonly identity: JsonObject & { readonly id: string };
  readonly policy: JsonObject;
  readonly authenticators: readonly JsonObject[];
  readonly signers: readonly JsonObject[];
  readonly cas: readonly JsonObject[];
}

/** `explain policy IDENTITY`: what this identity must prove to log in, what it has of that, and what is missing. */
export async function explainPolicy(
  report: Report,
  nameOrId: string,
  server: string | undefined,
): Promise<void> {
  await withApi(report, server, async (api) => {
    const facts = await factsOf(api, nameOrId);
    const { identity, policy } = facts;
    const hindrances = hindrancesOf(identity);
    const primary = [password(facts), certificate(facts), externalJwt(facts)];
    const secondary = secondaryFactors(facts);
    const canLogIn = hindrances.length === 0 && primary.some((method) => method.isAllowed && method.isReady);
    const value = {
      identity: { id: identity.id, name: identity.name },
      authPolicy: { id: policy.id, name: policy.name },
      canLogIn,
      hindrances,
      primary,
      secondary,
    };
    printResult(report, value, () =>
      printable(
        [
          `${identity.name} logs in under the auth policy ${policy.name} with one of`,
          ...primary.map(primaryLine),
          ...(secondary.length === 0
            ? ['and nothing else.']
            : ['and must prove as well', ...secondary.map(secondaryLine)]),
          ...hindrances,
          canLogIn ? `${identity.name} can log in.` : `${identity.name} cannot log in.`,
        ].join('\n'),
      ),
    );
  });
}

async function factsOf(api: ApiClient, nameOrId: string): Promise<Facts> {
  const { id } = await findEntity(api, entityNamed('identity'), nameOrId);
  const one = async (path: string) => asObject((await api.call({ method: 'GET', path })).data);
  const all = async (path: string) =>
    asList((await api.call({ method: 'GET', path, query: { limit: 'none' } })).data).map(asObject);
  const path = `/identities/${encodeURIComponent(id)}`;
  const identity = await one(path);
  return {
    identity: { ...identity, id },
    policy: await one(`/auth-policies/${encodeURIComponent(String(identity.authPolicyId))}`),
    authenticators: await all(`${path}/authenticators`),
    signers: await all('/external-jwt-signers'),
    cas: await all('/cas'),
  };
}

function hindrancesOf(identity: JsonObject): readonly string[] {
  const until = textField(identity, 'disabledUntil');
  const locked = asObject(identity.lockedUntil);
  const lines: string[] = [];
  if (identity.disabled === true) {
    const how = until === undefined ? '' : ` until ${withoutMilliseconds(until)}`;
    lines.push(`It is disabled${how}: overlay-auth identity enable ${identity.id}`);
  }
  for (const what of ['password', 'totp']) {
    const end = textField(locked, what);
    if (end !== undefined) {
      const time = withoutMilliseconds(end);
      lines.push(`Its ${what} is locked until ${time}: overlay-auth identity unlock ${identity.id}`);
    }
  }
  return lines;
}

function password({ identity, policy, authenticators }: Facts): PrimaryMethod {
  const own = authenticators.find(({ method }) => method === 'updb');
  return {
    method: 'password',
    isAllowed: asObject(asObject(policy.primary).updb).allowed === true,
    isReady: own !== undefined,
    detail:
      own === undefined
        ? `it has none: overlay-auth create authenticator updb ${identity.id} USERNAME`
        : `user name ${own.username}`,
  };
}

function certificate({ identity, policy, authenticators, cas }: Facts): PrimaryMethod {
  const own = authenticators.filter(({ method }) => method === 'cert').length;
  const naming = cas.filter(
    ({ isAuthEnabled, isVerified, externalIdClaim }) =>
      isAuthEnabled === true && isVerified === true && Object.keys(asObject(externalIdClaim)).length > 0,
  );
  const named = textField(identity, 'externalId') !== undefined ? naming : [];
  const has = [
    ...(own === 0 ? [] : [own === 1 ? '1 certificate' : `${own} certificates`]),
    ...named.map(({ name }) => `certificates of ${name} that name its external id`),
  ];
  return {
    method: 'cert',
    isAllowed: asObject(asObject(policy.primary).cert).allowed === true,
    isReady: has.length > 0,
    detail: has.join(', ') || `it has none: overlay-auth create enrollment ott ${identity.id} -o FILE`,
  };
}

function externalJwt({ identity, policy, signers }: Facts): PrimaryMethod {
  const { allowed, allowedSigners } = asObject(asObject(policy.primary).extJwt);
  const permitted = asList(allowedSigners);
  const usable = signers.filter(
    ({ id, enabled }) => enabled === true && (permitted.length === 0 || permitted.includes(id)),
  );
  const externalId = textField(identity, 'externalId');
  const fitting = usable.filter(({ useExternalId }) => useExternalId !== true || externalId !== undefined);
  return {
    method: 'ext-jwt',
    isAllowed: allowed === true,
    isReady: fitting.length > 0,
    detail:
      usable.length === 0
        ? 'no signer is enabled and allowed: overlay-auth list ext-jwt-signers'
        : fitting.length === 0
          ? `it has no external id: overlay-auth update identity ${identity.id} --external-id ID`
          : fitting.map((signer) => signerText(signer, identity, externalId)).join('; '),
  };
}

function signerText(signer: JsonObject, identity: JsonObject, externalId: string | undefined): string {
  const claim = textField(signer, 'claimsProperty') ?? 'sub';
  return `${signer.name} with ${claim} = ${signer.useExternalId === true ? externalId : identity.id}`;
}

function secondaryFactors({ identity, policy, signers }: Facts): readonly SecondaryFactor[] {
  const { requireTotp, requireExtJwt } = asObject(policy.secondary);
  const isEnrolled = identity.isMfaEnabled === true;
  const factors: SecondaryFactor[] = [];
  if (requireTotp === true || isEnrolled) {
    factors.push({
      factor: 'totp',
      isReady: isEnrolled,
      detail: isEnrolled ? 'an authenticator app is set up' : 'no app yet: the next login sets it up',
    });
  }
  if (typeof requireExtJwt === 'string') {
    const signer = signers.find(({ id }) => id === requireExtJwt);
    const isReady = signer?.enabled === true;
    factors.push({
      factor: 'ext-jwt',
      isReady,
      detail: `a token of ${signer?.name ?? requireExtJwt} with every call${isReady ? '' : ', which is disabled'}`,
    });
  }
  return factors;
}

function primaryLine({ method, isAllowed, isReady, detail }: PrimaryMethod): string {
  if (!isAllowed) return `  \u2013 ${method}: not allowed by the policy`;
  return `  ${isReady ? '\u2713' : '\u2717'} ${method}: ${detail}`;
}

function secondaryLine({ factor, isReady, detail }: SecondaryFactor): string {
  return `  ${isReady ? '\u2713' : '\u2717'} ${factor}: ${detail}`;
}
