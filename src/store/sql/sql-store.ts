// The contracts over an engine: reads become model values, writes are intents.

import { hasMeansToLogIn } from '../../model/administrator.ts';
import type { Change, ChangeKind } from '../../model/change.ts';
import { asId, type IdentityId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import { AlreadyTaken, type Store } from '../contracts/store.ts';
import { accountOf, findAccountSql } from './accounts.ts';
import {
  administratorMeansOf,
  administratorsSql,
  enabledSignersOf,
  enabledSignersSql,
} from './administrators.ts';
import { findByRefreshTokenSql } from './api-sessions.ts';
import { findLoginSql, loginRecordOf, primaryLoginRow, redeemOutcomeOf } from './auth-requests.ts';
import {
  certificateLoginOf,
  findCertificateLoginSql,
  findPasswordLoginSql,
  passwordLoginOf,
} from './authenticators.ts';
import { caOf, listTrustedCasSql } from './cas.ts';
import { clientInfoOf, findClientInfoSql } from './client-info.ts';
import {
  apiSessionOf,
  authenticatorOf,
  authPolicyOf,
  identityOf,
  integer,
  integerOrNull,
  signingKeyOf,
  text,
  textOrNull,
} from './codec.ts';
import { configTypeOf, findConfigTypesSql } from './config-types.ts';
import type { Engine } from './engine.ts';
import { enrollmentByHashSql, enrollmentOf, enrollmentsOfSql, openEnrollmentOf } from './enrollments.ts';
import { externalJwtSignerOf } from './external-jwt-signers.ts';
import type { SqlRow, SqlValue } from './intent.ts';
import type { ListSource } from './list-query.ts';
import {
  apiSessionsSource,
  authenticatorsSource,
  authPoliciesSource,
  casSource,
  configTypesSource,
  enrollmentsSource,
  externalJwtSignersSource,
  identitiesSource,
  loginAttemptsSource,
  nodesSource,
  revocationsSource,
} from './list-sources.ts';
import { loginAttemptOf, loginAttemptRow } from './login-attempts.ts';
import { nodeOf } from './nodes.ts';
import { latestRestoreSql } from './restores.ts';
import { listRevokedTokensSql, revocationOf } from './revocations.ts';
import {
  findSessionCertificateSql,
  listSessionCertificatesSql,
  sessionCertificateOf,
} from './session-certificates.ts';
import { findSetupLinkSql, setupLinkState } from './setup-links.ts';
import {
  enrolledAmongSql,
  findPendingTotpSql,
  findTotpSql,
  pendingTotpOf,
  totpEnrollmentOf,
} from './totp.ts';

export function sqlStore(engine: Engine): Store {
  async function find<T>(read: (row: SqlRow) => T, sql: string, ...params: SqlValue[]): Promise<T | null> {
    const [row] = await engine.read(sql, ...params);
    return row === undefined ? null : read(row);
  }

  async function list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T): Promise<Page<T>> {
    // Loaded with the first list: a controller that starts has no need of a query builder.
    const { compileList } = await import('./list-query.ts');
    const { page, count } = compileList(engine.dialect, source, query);
    let totalCount = 0;
    for await (const [total] of engine.readList(count)) {
      if (total !== undefined) totalCount = integer(total, 'total');
    }
    const items: T[] = [];
    for await (const rows of engine.readList(page)) for (const row of rows) items.push(read(row));
    return { items, totalCount };
  }

  return {
    authRequests: {
      recordPrimaryLogin: (login) => engine.write('recordPrimaryLogin', primaryLoginRow(login)),
      findLogin: (key, now) => find(loginRecordOf, findLoginSql, key, now),
      recordFactor: (factor) => engine.write('recordFactor', factor),
      extend: (key, expiresAt) => engine.write('extendLogin', { key, expiresAt }),
      async redeemCode({ within, ...redeem }) {
        const done = await engine.write('redeemCode', redeem, within);
        return done.outcome === 'redeemed' ? redeemOutcomeOf(redeem, done) : done;
      },
    },
    apiSessions: {
      find: (id) => find(apiSessionOf, 'SELECT * FROM api_sessions WHERE id = ?', id),
      list: (query, now) =>
        list(apiSessionsSource(now), query, (row) => ({
          ...apiSessionOf(row),
          identityName: text(row, 'identity_name'),
        })),
      async openLegacy(session) {
        const row = await engine.write('openLegacySession', session);
        return row === null ? null : apiSessionOf(row);
      },
      findByTokenHash: (tokenHash) =>
        find(apiSessionOf, 'SELECT * FROM api_sessions WHERE token_hash = ?', tokenHash),
      addPassed: (id, factor) => engine.write('addPassed', { id, factor }),
      recordActivity: (activity) => engine.write('recordActivity', { activity }),
      rotateRefreshToken: ({ within, ...rotate }) => engine.write('rotateRefreshToken', rotate, within),
      async renew(renew) {
        const rows = await engine.write('renewSession', renew);
        return rows === undefined
          ? null
          : { session: apiSessionOf(rows.session), identity: identityOf(rows.identity) };
      },
      findByRefreshToken: (id, hash, now) =>
        find(
          (row) => ({
            session: apiSessionOf(row),
            refreshExpiresAt: Math.min(integer(row, 'refresh_expires_at'), integer(row, 'family_expires_at')),
          }),
          findByRefreshTokenSql,
          id,
          hash,
          now,
          now,
        ),
      end: (id, reason, now) => engine.write('endSession', { id, reason, now }),
      endAllOf: (identityId, reason, now, except) =>
        engine.write('endSessionsOf', { identityId, reason, now, except: except ?? null }),
      async listEnded(now, endedAfter) {
        const sql = 'SELECT id, expires_at FROM api_sessions WHERE ended_at > ? AND expires_at > ?';
        const rows = await engine.read(sql, endedAfter, now);
        return rows.map((row) => ({ id: asId(text(row, 'id')), expiresAt: integer(row, 'expires_at') }));
      },
    },
    sessionCertificates: {
      add: (certificate, most) => engine.write('addSessionCertificate', { certificate, most }),
      async listOf(sessionId, now) {
        return (await engine.read(listSessionCertificatesSql, sessionId, now)).map(sessionCertificateOf);
      },
      findByThumbprint: (thumbprint) => find(sessionCertificateOf, findSessionCertificateSql, thumbprint),
      revoke: (sessionId, id, now) => engine.write('revokeSessionCertificate', { sessionId, id, now }),
    },
    identities: {
      create: (identity, password, now) => engine.write('createIdentity', { identity, password, now }),
      find: (id) => find(identityOf, 'SELECT * FROM identities WHERE id = ?', id),
      findAccount: (id) => find(accountOf, findAccountSql, id),
      findClientInfo: (id) => find(clientInfoOf, findClientInfoSql, id),
      findByExternalId: (externalId) =>
        find(identityOf, 'SELECT * FROM identities WHERE external_id = ?', externalId),
      list: (query) => list(identitiesSource, query, (row) => identityOf(row)),
      update: (id, patch, now, force = false) => engine.write('updateIdentity', { id, patch, now, force }),
      delete: (id, now, force = false) => engine.write('deleteIdentity', { id, now, force }),
      async countUsableAdmins(now) {
        const signers = enabledSignersOf(await engine.read(enabledSignersSql));
        const rows = await engine.read(administratorsSql, '', Number.MAX_SAFE_INTEGER);
        return rows.filter((row) => hasMeansToLogIn(administratorMeansOf(row, signers), now)).length;
      },
    },
    authenticators: {
      findPasswordLogin: (usernameKey) => find(passwordLoginOf, findPasswordLoginSql, usernameKey),
      findCertificateLogin: (thumbprint) => find(certificateLoginOf, findCertificateLoginSql, thumbprint),
      createCertificate: (authenticator, now) => engine.write('createCertificate', { authenticator, now }),
      requestExtension: (id, rollKey, now) => engine.write('requestExtension', { id, rollKey, now }),
      keepSuccessor: (keep) => engine.write('keepSuccessor', keep),
      promoteSuccessor: (id, thumbprint, now, exceptSession) =>
        engine.write('promoteSuccessor', { id, thumbprint, now, exceptSession }),
      createPassword: (authenticator, now) => engine.write('createPassword', { authenticator, now }),
      find: (id) => find(authenticatorOf, 'SELECT * FROM authenticators WHERE id = ?', id),
      list: (query) =>
        list(authenticatorsSource, query, (row) => ({
          ...authenticatorOf(row),
          identityName: text(row, 'identity_name'),
          lockedUntil: integerOrNull(row, 'locked_until'),
        })),
      updatePassword: (id, patch, now, exceptSession, verifiedHash) =>
        engine.write('updatePassword', {
          id,
          patch,
          now,
          exceptSession: exceptSession ?? null,
          verifiedHash: verifiedHash ?? null,
        }),
      rehashPassword: (id, oldHash, newHash) => engine.write('rehashPassword', { id, oldHash, newHash }),
      delete: (id, now, force = false) => engine.write('deleteAuthenticator', { id, now, force }),
    },
    authPolicies: {
      find: (id) => find((row) => authPolicyOf(row), 'SELECT * FROM auth_policies WHERE id = ?', id),
      list: (query) => list(authPoliciesSource, query, (row) => authPolicyOf(row)),
      create: (id, rules, now) => engine.write('createAuthPolicy', { id, rules, now }),
      replace: (id, rules, now, force = false) =>
        engine.write('replaceAuthPolicy', { id, rules, now, force }),
      update: (id, patch, now, force = false) => engine.write('updateAuthPolicy', { id, patch, now, force }),
      delete: (id, now) => engine.write('deleteAuthPolicy', { id, now }),
    },
    externalJwtSigners: {
      find: (id) => find(externalJwtSignerOf, 'SELECT * FROM external_jwt_signers WHERE id = ?', id),
      list: (query) => list(externalJwtSignersSource, query, externalJwtSignerOf),
      async listAll() {
        return (await engine.read('SELECT * FROM external_jwt_signers ORDER BY id')).map(externalJwtSignerOf);
      },
      create: (signer, now) => engine.write('createExternalJwtSigner', { signer, now }),
      update: (id, patch, now, force = false) =>
        engine.write('updateExternalJwtSigner', { id, patch, now, force }),
      delete: (id, now, force = false) => engine.write('deleteExternalJwtSigner', { id, now, force }),
    },
    cas: {
      find: (id) => find(caOf, 'SELECT * FROM cas WHERE id = ?', id),
      list: (query) => list(casSource, query, caOf),
      async listTrusted() {
        return (await engine.read(listTrustedCasSql)).map(caOf);
      },
      create: (ca, now) => engine.write('createCa', { ca, now }),
      update: (id, patch, now) => engine.write('updateCa', { id, patch, now }),
      verify: (id, now) => engine.write('verifyCa', { id, now }),
      delete: (id, now) => engine.write('deleteCa', { id, now }),
    },
    configTypes: {
      find: (id) => find(configTypeOf, 'SELECT * FROM config_types WHERE id = ?', id),
      async findByNames(names) {
        if (names.length === 0) return [];
        return (await engine.read(findConfigTypesSql(names.length), ...names)).map(configTypeOf);
      },
      list: (query) => list(configTypesSource, query, configTypeOf),
      create: (configType, now) => engine.write('createConfigType', { configType, now }),
      update: (id, patch, now) => engine.write('updateConfigType', { id, patch, now }),
      delete: (id) => engine.write('deleteConfigType', { id }),
    },
    enrollments: {
      create: (enrollment, now) => engine.write('createEnrollment', { enrollment, now }),
      createIdentity: (identity, enrollments, now) =>
        engine.write('createIdentityToEnroll', { identity, enrollments, now }),
      find: (id) => find(enrollmentOf, 'SELECT * FROM enrollments WHERE id = ?', id),
      findByTokenHash: (tokenHash) => find(openEnrollmentOf, enrollmentByHashSql, tokenHash),
      async listOf(identityIds) {
        const sql = enrollmentsOfSql(engine.dialect.jsonTexts);
        return (await engine.read(sql, JSON.stringify(identityIds))).map(enrollmentOf);
      },
      list: (query) =>
        list(enrollmentsSource, query, (row) => ({
          ...enrollmentOf(row),
          identityName: text(row, 'identity_name'),
        })),
      renew: (id, renewal, now) => engine.write('renewEnrollment', { id, renewal, now }),
      redeem: (redemption) => engine.write('redeemEnrollment', redemption),
      enroll: (identity, certificate, now) => engine.write('enrollIdentity', { identity, certificate, now }),
      delete: (id) => engine.write('deleteEnrollment', { id }),
    },
    totp: {
      find: (identityId) => find(totpEnrollmentOf, findTotpSql, identityId),
      async enrolledAmong(identityIds) {
        const sql = enrolledAmongSql(engine.dialect.jsonTexts);
        const rows = await engine.read(sql, JSON.stringify(identityIds));
        return new Set(rows.map((row) => asId<IdentityId>(text(row, 'identity_id'))));
      },
      findPending: (flow, now) => find(pendingTotpOf, findPendingTotpSql, flow, now),
      start: (flow, pending, now) => engine.write('startTotp', { flow, pending, now }),
      verify: (flow, enrollment) => engine.write('verifyTotp', { flow, enrollment }),
      abandon: (flow) => engine.write('abandonTotp', { flow }),
      burnStep: (identityId, step) => engine.write('burnTotpStep', { identityId, step }),
      burnRecoveryCode: (identityId, hash, now) =>
        engine.write('burnRecoveryCode', { identityId, hash, now }),
      replaceRecoveryCodes: (identityId, hashes) =>
        engine.write('replaceRecoveryCodes', { identityId, hashes }),
      remove: (identityId, now) => engine.write('removeTotp', { identityId, now }),
    },
    attempts: {
      reserve: (limits, now) => engine.write('reserveAttempt', { limits, now }),
      clear: (keys) => engine.write('clearAttempts', { keys }),
      release: (keys) => engine.write('releaseAttempts', { keys }),
      lockedUntil: (key, now) =>
        find(
          (row) => integer(row, 'locked_until'),
          'SELECT locked_until FROM attempts WHERE key = ? AND locked_until > ?',
          key,
          now,
        ),
    },
    loginAttempts: {
      append: (attempts, keepAtMost) =>
        engine.write('appendLoginAttempts', { attempts: attempts.map(loginAttemptRow), keepAtMost }),
      async findByReference(reference) {
        const sql = 'SELECT * FROM login_attempts WHERE reference = ? ORDER BY id';
        return (await engine.read(sql, reference)).map(loginAttemptOf);
      },
      list: (query) =>
        list(loginAttemptsSource, query, (row) => ({
          ...loginAttemptOf(row),
          identityName: textOrNull(row, 'identity_name'),
        })),
      deleteBefore: (before, batch) => engine.write('deleteLoginAttempts', { before, batch }),
    },
    keys: {
      async listSigningKeys(now) {
        const sql = `SELECT * FROM signing_keys WHERE removed_at IS NULL OR removed_at > ?
          ORDER BY active_from, created_at, kid`;
        return (await engine.read(sql, now)).map(signingKeyOf);
      },
      rotateSigningKey: (rotation) => engine.write('rotateSigningKey', rotation),
      async serverSecret(name, make) {
        const kept = await find(
          (row) => text(row, 'sealed'),
          'SELECT sealed FROM server_secrets WHERE name = ?',
          name,
        );
        return kept ?? engine.write('keepServerSecret', { name, sealed: make() });
      },
    },
    revocations: {
      find: (id) => find(revocationOf, 'SELECT * FROM revocations WHERE id = ?', id),
      list: (query) => list(revocationsSource, query, revocationOf),
      async listTokens(now) {
        const rows = await engine.read(listRevokedTokensSql, now);
        return rows.map((row) => ({ id: asId(text(row, 'id')), expiresAt: integer(row, 'expires_at') }));
      },
      async revoke(revocation, now) {
        const done = await engine.write('revoke', { revocation, now });
        if (done.outcome === 'other-type') throw new AlreadyTaken('id');
        return done.outcome === 'revoked' ? done.sessionsEnded : null;
      },
      delete: (id, now) => engine.write('deleteRevocation', { id, now }),
    },
    setupLinks: {
      create: (link) => engine.write('createSetupLink', link),
      async check(tokenHash, now) {
        const [row] = await engine.read(findSetupLinkSql, tokenHash);
        return setupLinkState(row, now);
      },
      redeem: (tokenHash, admin, password, now) =>
        engine.write('redeemSetupLink', { tokenHash, admin, password, now }),
    },
    changes: {
      async readAfter(seq) {
        const rows = await engine.read(
          'SELECT seq, kind, entity_id FROM changes WHERE seq > ? ORDER BY seq',
          seq,
        );
        return rows.map(changeOf);
      },
      async latestSeq() {
        const [row] = await engine.read('SELECT coalesce(max(seq), 0) AS latest FROM changes');
        return row === undefined ? 0 : integer(row, 'latest');
      },
      onChange: (listener) => engine.onChange(listener),
    },
    nodes: {
      announce: (node, now, forgetBefore) => engine.write('announceNode', { node, now, forgetBefore }),
      leave: (name, startedAt, now) => engine.write('leaveNode', { name, startedAt, now }),
      find: (id) => find(nodeOf, 'SELECT * FROM nodes WHERE id = ?', id),
      list: (query) => list(nodesSource, query, nodeOf),
      async listAll() {
        return (await engine.read('SELECT * FROM nodes ORDER BY name')).map(nodeOf);
      },
      async databaseTime() {
        const { time } = engine.dialect;
        if (time === null) return null;
        const [row] = await engine.read(`SELECT ${time} AS now`);
        return row === undefined ? null : integer(row, 'now');
      },
    },
    restores: {
      withdrawEverythingIssued: (restore) => engine.write('withdrawEverythingIssued', restore),
      latest: () => find((row) => text(row, 'id'), latestRestoreSql),
    },
    expiry: { deleteExpired: (now, batch) => engine.write('deleteExpired', { now, batch }) },
    close: () => engine.close(),
  };
}

function changeOf(row: SqlRow): Change {
  return {
    seq: integer(row, 'seq'),
    kind: text(row, 'kind') as ChangeKind,
    entityId: text(row, 'entity_id'),
  };
}
