import type { X509Certificate } from 'node:crypto';
import { type AdministratorMeans, type Certainty, canLogIn, certainties } from '../../model/administrator.ts';
import { type Ca, isTrustedForLogin } from '../../model/entities/ca.ts';
import type { Millis } from '../../platform/clock.ts';
import { MalformedInput } from '../../platform/formats/strict-input.ts';
import { isIssuedBy, parseCertificate } from '../../platform/x509/x509.ts';
import { NoAdministratorLeft } from '../contracts/store.ts';
import { authPolicyRulesOf, disablingOf, integer, integerOrNull, reader, text, textOrNull } from './codec.ts';
import { all, type Force, type Intent, type SqlRow, unforced } from './intent.ts';

// An administrator must remain who can undo a change. The step that makes the change decides this, so that two
// simultaneous changes cannot each rely on the administrator that the other one removes.

const pageSize = 100;

/** Administrators ordered by id. Parameters: the id to start after, and how many. */
export const administratorsSql = `SELECT identities.id, identities.disabled_at, identities.disabled_until,
    identities.external_id, auth_policies.primary_rules, auth_policies.secondary_rules, password.id AS password_id,
    (SELECT attempts.locked_until FROM attempts WHERE attempts.key = 'password:' || password.id) AS locked_until,
    (SELECT string_agg(authenticators.cert_expires_at || ' ' || authenticators.cert_pem, ',') FROM authenticators
      WHERE authenticators.identity_id = identities.id AND authenticators.method = 'cert') AS certificates,
    (SELECT count(*) FROM passkeys WHERE passkeys.identity_id = identities.id) AS passkeys
  FROM identities
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  LEFT JOIN authenticators AS password ON password.identity_id = identities.id AND password.method = 'updb'
  WHERE identities.is_admin = 1 AND identities.id > ?
  ORDER BY identities.id LIMIT ?`;

export const enabledSignersSql =
  'SELECT id, issuer, use_external_id FROM external_jwt_signers WHERE enabled = 1';
export const authoritiesSql = 'SELECT id, cert_pem, is_auth_enabled, verified_at FROM cas';

type Signers = AdministratorMeans['signers'];
type Authority = Pick<Ca, 'id' | 'certPem' | 'isAuthEnabled' | 'verifiedAt'>;

const signerOf = reader<Signers[number]>()('id issuer useExternalId:flag');
const authorityOf = reader<Authority>()('id certPem isAuthEnabled:flag verifiedAt?');

/** The signers and authorities that can name an administrator. */
export type Vouching = ReturnType<typeof vouchingOf>;

/** @param signers rows of `enabledSignersSql` @param authorities rows of `authoritiesSql` */
export function vouchingOf(signers: readonly SqlRow[], authorities: readonly SqlRow[]) {
  return { signers: signers.map(signerOf), authorities: authorities.map(authorityOf) };
}

/** The means of an administrator to log in. */
export function meansOf({ signers, authorities }: Vouching): (row: SqlRow) => AdministratorMeans {
  const isUsable = usableCertificates(authorities);
  return (row) => {
    const certificates = (textOrNull(row, 'certificates') ?? '').split(',').filter((each) => each !== '');
    const ends = certificates
      .filter((each) => isUsable(pemIn(each)))
      .map((each) => Number.parseInt(each, 10));
    return {
      identity: { ...disablingOf(row), externalId: textOrNull(row, 'external_id') },
      policy: authPolicyRulesOf(row),
      hasPassword: textOrNull(row, 'password_id') !== null,
      lockedUntil: integerOrNull(row, 'locked_until'),
      certificateUntil: ends.length === 0 ? null : Math.max(...ends),
      hasPasskey: integer(row, 'passkeys') > 0,
      signers,
    };
  };
}

function pemIn(certificate: string): string {
  return certificate.slice(certificate.indexOf(' ') + 1);
}

/**
 * A certificate of a third-party authority counts only while that is trusted. One whose issuer is not known counts: it
 * may be the overlay's own, and the certificates between it and an authority are only with its holder.
 */
function usableCertificates(authorities: readonly Authority[]): (pem: string) => boolean {
  const of = (isTrusted: boolean) =>
    authorities
      .filter((each) => isTrustedForLogin(each) === isTrusted)
      .flatMap(({ certPem }) => readable(certPem));
  const [trusted, others] = [of(true), of(false)];
  if (others.length === 0) return () => true;
  return (pem) => {
    const issuedBy = (some: readonly X509Certificate[]) =>
      readable(pem).some((certificate) => some.some((authority) => isIssuedBy(certificate, authority)));
    return issuedBy(trusted) || !issuedBy(others);
  };
}

function readable(pem: string): readonly X509Certificate[] {
  try {
    return [parseCertificate(pem)];
  } catch (error) {
    if (error instanceof MalformedInput) return [];
    throw error;
  }
}

/**
 * Makes a change, and undoes it if no administrator could log in afterwards although one could before.
 * @throws NoAdministratorLeft
 */
export function* keepingAnAdministrator<Outcome>(
  change: Intent<Outcome>,
  now: Millis,
  { force }: Pick<Force, 'force'> = unforced,
): Intent<Outcome> {
  if (force) return yield* change;
  const before = yield* vouching();
  const best = yield* anAdministratorCanLogIn(before, now);
  const outcome = yield* change;
  const after = yield* vouching();
  const remain = new Set(after.authorities.map(({ id }) => id));
  // An authority that the change deletes is still needed, to tell its certificates.
  const gone = before.authorities
    .filter(({ id }) => !remain.has(id))
    .map((authority) => ({ ...authority, isAuthEnabled: false }));
  const authorities = [...after.authorities, ...gone];
  const left = yield* anAdministratorCanLogIn({ ...after, authorities }, now);
  if (certainties.indexOf(left) < certainties.indexOf(best)) throw new NoAdministratorLeft();
  return outcome;
}

function* vouching(): Intent<Vouching> {
  return vouchingOf(yield* all(enabledSignersSql), yield* all(authoritiesSql));
}

function* anAdministratorCanLogIn(by: Vouching, now: Millis): Intent<Certainty> {
  const means = meansOf(by);
  let best: Certainty = 'no';
  for (let after = ''; ; ) {
    const rows = yield* all(administratorsSql, after, pageSize);
    for (const row of rows) {
      const found = canLogIn(means(row), now);
      if (found === 'yes') return found;
      if (found === 'perhaps') best = found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return best;
    after = text(last, 'id');
  }
}
