// The steps of an import for each kind: detect conflicts, create, change.

import { entityNamed, referencesIn } from '../../model/entities/all-entities.ts';
import { authenticatorEntity } from '../../model/entities/authenticator.ts';
import { enrollmentEntity } from '../../model/entities/enrollment.ts';
import type { Entity } from '../../model/entities/entity.ts';
import { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import { identityEntity } from '../../model/entities/identity.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  ImportBatch,
  ImportedAuthenticator,
  ImportedEnrollment,
  ImportedIdentity,
  ImportedSigner,
  ImportedTotp,
  ImportKind,
} from '../contracts/imports.ts';
import { authenticators, createCertificate } from './authenticators.ts';
import { certificateEnd } from './certificate-ends.ts';
import { recordChange } from './changes.ts';
import { insert, text } from './codec.ts';
import { createEnrollment } from './enrollments.ts';
import { authPolicies, cas, configTypes, externalJwtSigners } from './entity-stores.ts';
import { createIdentity, identities, insertPassword } from './identities.ts';
import { all, first, forced, type Intent, run, type SqlValue } from './intent.ts';
import { endSessionsOfAuthenticator } from './session-ends.ts';

/** The table of a kind. */
interface Table {
  readonly name: string;
  readonly key: string;
  /** The column that is updated with every change of the row. */
  readonly stamp: string;
  /** Null if there is none. */
  readonly created: string | null;
}

export interface Known {
  readonly now: Millis;
  /** Whether this import created or found it. */
  has(kind: ImportKind, id: string): boolean;
}

export interface ImportStep {
  readonly kind: ImportKind;
  readonly id: string;
  readonly digest: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly table: Table;
  /** A name that it gives an identity. */
  readonly name?: { readonly identityId: string; readonly text: string };
  /** Why it can be neither created nor changed: a sentence without a subject. Null if nothing prevents it. */
  inTheWay(known: Known): Intent<string | null>;
  create(now: Millis): Intent<void>;
  change(now: Millis): Intent<unknown>;
}

/** Ordered so that a kind comes after those it refers to. */
export function importSteps(batch: ImportBatch): readonly ImportStep[] {
  return [
    ...batch.authPolicies.map(({ id, rules, ...item }) => ({
      ...common(item, { kind: 'auth-policy', id, table: 'auth_policies' }),
      inTheWay: () => taken('auth_policies', id, { name: rules.name }),
      create: (now: Millis) => authPolicies.forced.create(forced, [{ ...rules, assignTo: [], id }, now]),
      change: (now: Millis) => authPolicies.forced.update(forced, [id, rules, now]),
    })),
    ...batch.signers.map(signerStep),
    ...batch.cas.map(({ ca: { id, ...ca }, ...item }) => ({
      ...common(item, { kind: 'ca', id, table: 'cas' }),
      inTheWay: () => taken('cas', id, { name: ca.name, thumbprint: ca.thumbprint }),
      create: (now: Millis) => cas.writes.create({ id, ...ca }, now),
      change: (now: Millis) => cas.forced.update(forced, [id, ca, now]),
    })),
    ...batch.configTypes.map(({ configType: { id, ...configType }, ...item }) => ({
      ...common(item, { kind: 'config-type', id, table: 'config_types' }),
      inTheWay: () => taken('config_types', id, { name: configType.name }),
      create: (now: Millis) => configTypes.writes.create({ id, ...configType }, now),
      change: (now: Millis) => configTypes.writes.update(id, configType, now),
    })),
    ...batch.identities.map(identityStep),
    ...batch.authenticators.map(authenticatorStep),
    ...batch.totp.map(totpStep),
    ...batch.enrollments.map(enrollmentStep),
  ];
}

function common(
  { digest, createdAt, updatedAt }: Pick<ImportStep, 'digest' | 'createdAt' | 'updatedAt'>,
  { kind, id, table }: { readonly kind: ImportKind; readonly id: string; readonly table: string },
): Pick<ImportStep, 'kind' | 'id' | 'digest' | 'createdAt' | 'updatedAt' | 'table'> {
  const where = { name: table, key: 'id', stamp: 'updated_at', created: 'created_at' };
  return { kind, id, digest, createdAt, updatedAt, table: where };
}

function signerStep({ signer: { id, ...signer }, ...item }: ImportedSigner): ImportStep {
  const { name, issuer, audience } = signer;
  return {
    ...common(item, { kind: 'ext-jwt-signer', id, table: 'external_jwt_signers' }),
    *inTheWay(known) {
      const pair = yield* first`SELECT id FROM external_jwt_signers
          WHERE issuer = ${issuer} AND audience = ${audience} AND id <> ${id}`;
      if (pair !== undefined) return `the signer ${text(pair, 'id')} has the same issuer and audience`;
      const other = yield* taken('external_jwt_signers', id, { name });
      return other ?? (yield* missing(known, externalJwtSignerEntity, signer));
    },
    create: (now) => externalJwtSigners.writes.create({ id, ...signer }, now),
    change: (now) => externalJwtSigners.forced.update(forced, [id, signer, now]),
  };
}

function identityStep(item: ImportedIdentity): ImportStep {
  const { id, ...identity } = item.identity;
  const { name, externalId } = identity;
  return {
    ...common(item, { kind: 'identity', id, table: 'identities' }),
    name: { identityId: id, text: name },
    *inTheWay(known) {
      const names = { name, ...(externalId === null ? {} : { external_id: externalId }) };
      return (yield* taken('identities', id, names)) ?? (yield* missing(known, identityEntity, identity));
    },
    create: (now) => createIdentity(forced, [{ id, ...identity }, null, now]),
    change: (now) => identities.forced.update(forced, [id, identity, now]),
  };
}

function authenticatorStep(item: ImportedAuthenticator): ImportStep {
  const { id, identityId } = item.method === 'updb' ? item.password : item.certificate;
  return {
    ...common(item, { kind: 'authenticator', id, table: 'authenticators' }),
    ...(item.method === 'updb' && { name: { identityId, text: item.password.username } }),
    *inTheWay(known) {
      const gone = yield* missing(known, authenticatorEntity, { identityId });
      if (gone !== null) return gone;
      if (item.method === 'cert')
        return yield* taken('authenticators', id, { thumbprint: item.certificate.thumbprint });
      const other = yield* first`SELECT id FROM authenticators
        WHERE identity_id = ${identityId} AND method = 'updb' AND id <> ${id}`;
      if (other !== undefined) return 'the identity has another password here';
      return yield* taken('authenticators', id, { username_key: item.password.usernameKey });
    },
    *create(now) {
      if (item.method === 'updb') return yield* insertPassword(forced, [item.password, now]);
      yield* createCertificate(item.certificate, now);
      yield* wishesOf(item);
    },
    *change(now) {
      if (item.method === 'cert') return yield* changeCertificate(item, now);
      const { username, usernameKey, passwordHash } = item.password;
      const patch = { username, usernameKey, passwordHash };
      yield* authenticators.forced.updatePassword(forced, [id, patch, { now }]);
    },
  };
}

type CertificateItem = Extract<ImportedAuthenticator, { method: 'cert' }>;

function* changeCertificate(item: CertificateItem, now: Millis): Intent<void> {
  const { id, identityId, certPem, thumbprint } = item.certificate;
  const before = yield* first('SELECT thumbprint FROM authenticators WHERE id = ?', id);
  yield* run`UPDATE authenticators SET cert_pem = ${certPem}, thumbprint = ${thumbprint},
    cert_expires_at = ${certificateEnd(certPem)} WHERE id = ${id}`;
  yield* wishesOf(item);
  if (before !== undefined && text(before, 'thumbprint') !== thumbprint)
    yield* endSessionsOfAuthenticator({ identityId, authenticatorId: id, now });
}

function* wishesOf({
  certificate,
  isExtendRequested,
  isKeyRollRequested,
  successor,
}: CertificateItem): Intent<void> {
  yield* run`UPDATE authenticators SET is_extend_requested = ${isExtendRequested ? 1 : 0},
       is_key_roll_requested = ${isKeyRollRequested ? 1 : 0}, successor_pem = ${successor?.certPem ?? null},
       successor_thumbprint = ${successor?.thumbprint ?? null} WHERE id = ${certificate.id}`;
}

function totpStep(item: ImportedTotp): ImportStep {
  const { identityId, sealedSeed, recoveryHashes } = item;
  const table = { name: 'totp_enrollments', key: 'identity_id', stamp: 'enrolled_at', created: null };
  function* codes(): Intent<void> {
    const kept = new Set(recoveryHashes);
    const stored = yield* all('SELECT code_hash FROM recovery_codes WHERE identity_id = ?', identityId);
    for (const row of stored) {
      const hash = text(row, 'code_hash');
      // A code that was used here stays used.
      if (!kept.delete(hash))
        yield* run('DELETE FROM recovery_codes WHERE identity_id = ? AND code_hash = ?', identityId, hash);
    }
    for (const codeHash of kept) yield* insert('recovery_codes', { identityId, codeHash });
  }
  return {
    ...common(item, { kind: 'totp', id: identityId, table: table.name }),
    table,
    inTheWay: (known) => missing(known, authenticatorEntity, { identityId }),
    *create(now) {
      yield* insert('totp_enrollments', { identityId, sealedSeed, lastStep: 0, enrolledAt: now });
      yield* codes();
      yield* recordChange('identity', identityId, now);
    },
    *change(now) {
      yield* run('UPDATE totp_enrollments SET sealed_seed = ? WHERE identity_id = ?', sealedSeed, identityId);
      yield* codes();
      yield* recordChange('identity', identityId, now);
    },
  };
}

function enrollmentStep(item: ImportedEnrollment): ImportStep {
  const { enrollment } = item;
  const { id, identityId, method, tokenHash } = enrollment;
  return {
    ...common(item, { kind: 'enrollment', id, table: 'enrollments' }),
    *inTheWay(known) {
      const gone = yield* missing(known, enrollmentEntity, enrollment);
      if (gone !== null) return gone;
      const other = yield* first`SELECT id FROM enrollments WHERE identity_id = ${identityId}
        AND method = ${method} AND id <> ${id}`;
      if (other !== undefined) return 'the identity has another enrollment of this method here';
      return yield* taken('enrollments', id, { token_hash: tokenHash });
    },
    create: (now) => createEnrollment(enrollment, now, true),
    *change(now) {
      yield* run('DELETE FROM enrollments WHERE id = ?', id);
      yield* createEnrollment(enrollment, now, true);
    },
  };
}

const what: Readonly<Record<string, string>> = {
  name: 'name',
  external_id: 'external id',
  thumbprint: 'certificate',
  username_key: 'user name',
  token_hash: 'token',
};

/** Whether another row has one of these values. */
function* taken(
  table: string,
  id: string,
  values: Readonly<Record<string, SqlValue>>,
): Intent<string | null> {
  for (const [column, value] of Object.entries(values)) {
    const row = yield* first(`SELECT id FROM ${table} WHERE ${column} = ? AND id <> ?`, value, id);
    if (row !== undefined) return `${text(row, 'id')} has the same ${what[column]} here`;
  }
  return null;
}

/** An entity to which these values refer neither exists here nor is created by this import. */
function* missing(known: Known, { fields }: Entity, values: object): Intent<string | null> {
  for (const { to: kind, id } of referencesIn(fields, values)) {
    const { table, noun } = entityNamed(kind);
    if ((yield* first(`SELECT id FROM ${table} WHERE id = ?`, id)) !== undefined) continue;
    const its = `its ${kind === 'ca' ? 'CA' : noun.replace(/^an? /, '')} ${id}`;
    if (!known.has(kind as ImportKind, id)) return `${its} is not here`;
    // Deleted here since it was imported. The import record still counts it as unchanged.
    const imported = yield* first('SELECT id FROM imports WHERE kind = ? AND id = ?', kind, id);
    if (imported !== undefined) return `${its} was deleted here`;
  }
  return null;
}
