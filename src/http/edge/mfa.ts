// A caller's own TOTP, on both Edge APIs and for both mechanisms.

import { z } from 'zod';
import {
  countOwnRecoveryCodes,
  proveOwnApp,
  readOwnTotp,
  removeOwnTotp,
  renewOwnRecoveryCodes,
  startOwnTotp,
  verifyOwnTotp,
} from '../../enrollment/own-totp.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { OfferedProof } from '../../login/fresh-proof.ts';
import { mayAddFactor } from '../../login/outstanding-factors.ts';
import type { Principal } from '../../model/principal.ts';
import { qrCodePng, qrCodeSvg } from '../../pages/qr-code.ts';
import { isoTime } from '../../platform/clock.ts';
import { mintTotpToken } from '../../tokens/totp-token.ts';
import { linksSchema } from '../documents/wire.ts';
import { chooseMediaType, jsonType } from '../request/answer.ts';
import { validate } from '../request/body.ts';
import { totpCode } from '../request/fields.ts';
import { enforceGuard } from '../request/guard.ts';
import type { RequestContext } from '../request/request-context.ts';
import { dataAnswer, type EdgeApi, edgeRoutes, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const pngType = 'image/png';
const svgType = 'image/svg+xml';
const qrCodeTypes: readonly string[] = [pngType, svgType, jsonType];

const started = dataAnswer(
  z.strictObject({ id: z.string(), _links: linksSchema }),
  'Started; the record is at the same address',
);
const record = dataAnswer(
  schemaNamed('TotpEnrollment', {
    id: z.string(),
    isVerified: z.boolean(),
    provisioningUrl: z.string().optional(),
    recoveryCodes: z.array(z.string()).optional(),
    recoveryCodesLeft: z.int().optional(),
  }),
  'The enrollment; the URL and the codes only until it is verified, then how many codes are left',
);
const codesLeft = dataAnswer(z.strictObject({ recoveryCodesLeft: z.int() }), 'How many are left');
const newCodes = dataAnswer(z.strictObject({ recoveryCodes: z.array(z.string()) }), 'The new codes');
const totpToken = dataAnswer(
  z.strictObject({ token: z.string(), issuedAt: z.string() }),
  'A JWT that says when the code was proven (`iat`), in which session (`z_asid`); it opens nothing here',
);
const picture = { description: 'The picture', content: { [pngType]: z.string(), [svgType]: z.string() } };
export const freshProofRefusals = ['unauthorized', 'invalid_field', 'rate_limited'] as const;
const proofRefusals = ['not_found', 'invalid_totp_code', 'rate_limited'] as const;

const proofHeader = {
  'mfa-validation-code': 'The code, where no body has it: of the authenticator app, or a recovery code',
};
/** A recovery code is not accepted where recovery codes are requested. */
const appProofHeader = { 'mfa-validation-code': 'The code of the authenticator app' };

const optionalCode = z.object({ code: totpCode.optional() });
/** Alternative to a login in the last five minutes. */
export const currentPassword = z.string().optional();

export function ownMfaRoutes(needs: EdgeServices, api: EdgeApi): readonly Route[] {
  const at = edgeRoutes(api);
  const path = 'current-identity/mfa';
  return [
    ...enrollmentRoutes(needs, at, path),
    ...readingRoutes(needs, at, path),
    ...recoveryCodeRoutes(needs, at, `${path}/recovery-codes`),
    totpTokenRoute(needs, at, 'current-api-session/totp-token'),
  ];
}

type Declares = ReturnType<typeof edgeRoutes>;

function enrollmentRoutes(needs: EdgeServices, at: Declares, path: string): readonly Route[] {
  return [
    at('POST', path, {
      guard: 'partial',
      summary: 'Start the enrollment in TOTP',
      answer: started,
      status: 201,
      refusals: ['mfa_exists', ...freshProofRefusals],
      body: z.object({ currentPassword }),
      async data(context, { body }) {
        const { principal } = context;
        mayEnroll(principal);
        await startOwnTotp(needs, context.ownCall, offeredProof(context, body));
        const data = { id: principal.apiSessionId, _links: { self: { href: './current-identity/mfa' } } };
        return data;
      },
    }),
    at('POST', `${path}/verify`, {
      guard: 'partial',
      summary: 'Complete the enrollment with a first code',
      refusals: proofRefusals,
      body: z.object({ code: totpCode }),
      async does(context, { body }) {
        mayEnroll(context.principal);
        await verifyOwnTotp(needs, context.ownCall, body.code);
        await needs.totpEnrolled(context.ownCall);
      },
    }),
    at('DELETE', path, {
      summary: 'Remove your TOTP enrollment',
      refusals: [...proofRefusals, 'unauthorized', 'invalid_field'],
      reads: proofHeader,
      body: z.object({ ...optionalCode.shape, currentPassword }),
      async does(context, { body }) {
        const proof = { ...offeredProof(context, body), code: codeOf(context, body.code) ?? '' };
        await removeOwnTotp(needs, context.ownCall, proof);
      },
    }),
  ];
}

function readingRoutes(needs: EdgeServices, at: Declares, path: string): readonly Route[] {
  return [
    at('GET', path, {
      guard: 'partial',
      summary: 'Read your TOTP enrollment',
      answer: record,
      refusals: ['not_found'],
      async data({ principal }) {
        mayEnroll(principal);
        const totp = await readOwnTotp(needs, principal);
        const id = principal.apiSessionId;
        // A caller who has proven only the password does not learn how many codes are left.
        const isPartial = principal.outstanding.length > 0;
        return totp.isVerified && isPartial ? { id, isVerified: true } : { id, ...totp };
      },
    }),
    at('GET', `${path}/qr-code`, {
      guard: 'partial',
      summary: 'Get the enrollment as a picture for an authenticator app',
      answer: picture,
      refusals: ['not_found'],
      produces: qrCodeTypes,
      async handler({ principal, headers }) {
        mayEnroll(principal);
        const totp = await readOwnTotp(needs, principal);
        const type = chooseMediaType(headers.accept, qrCodeTypes) === svgType ? svgType : pngType;
        const body = totp.isVerified ? null : pictureOf(totp.provisioningUrl, type);
        if (body === null) throw new AuthError('not_found');
        return { status: 200, headers: { 'content-type': type }, body };
      },
    }),
  ];
}

function recoveryCodeRoutes(needs: EdgeServices, at: Declares, path: string): readonly Route[] {
  return [
    at('GET', path, {
      methods: ['GET'],
      // Uses up a code, so there is no HEAD.
      summary: 'Count the recovery codes that are left; the code is in mfa-validation-code',
      answer: codesLeft,
      reads: appProofHeader,
      refusals: [...proofRefusals, 'could_not_validate'],
      async data(context) {
        const code = requiredCode(context, undefined);
        return { recoveryCodesLeft: await countOwnRecoveryCodes(needs, context.ownCall, code) };
      },
    }),
    at('POST', path, {
      summary: 'Replace the recovery codes',
      answer: newCodes,
      refusals: [...proofRefusals, 'unauthorized', 'invalid_field'],
      reads: proofHeader,
      body: z.object({ ...optionalCode.shape, currentPassword }),
      async data(context, { body }) {
        const proof = { ...offeredProof(context, body), code: requiredCode(context, body.code) };
        return { recoveryCodes: await renewOwnRecoveryCodes(needs, context.ownCall, proof) };
      },
    }),
  ];
}

/** For existing SDKs, whose routers may ask when a code was proven last. Legacy sessions have no token that it belongs to. */
function totpTokenRoute(needs: EdgeServices, at: Declares, path: string): Route {
  return at('POST', path, {
    summary: 'Prove a code of the authenticator app, and get a token that says so',
    answer: totpToken,
    refusals: [...proofRefusals, 'invalid_backing_token_type'],
    body: z.object({ code: totpCode }),
    async data(context, { body }) {
      const { principal } = context;
      if (principal.mechanism !== 'oidc') throw new AuthError('invalid_backing_token_type');
      await proveOwnApp(needs, context.ownCall, body.code);
      const now = needs.clock.now();
      return { token: mintTotpToken(needs, principal, now), issuedAt: isoTime(now) };
    },
  });
}

/** Null for a text that is too long for a camera. */
function pictureOf(provisioningUrl: string, type: typeof pngType | typeof svgType): Buffer | string | null {
  return type === pngType ? qrCodePng(provisioningUrl) : qrCodeSvg(provisioningUrl);
}

/**
 * While factors are outstanding, only a legacy session may enroll, and only if TOTP is what it lacks: a caller with
 * only the password must not add a factor that was not asked for, or before the others.
 */
function mayEnroll(principal: Principal): void {
  const { mechanism, outstanding } = principal;
  const asksForTotp = outstanding.some(({ type }) => type === 'totp') && mayAddFactor('totp', outstanding);
  if (mechanism !== 'legacy' || !asksForTotp) enforceGuard('full', principal);
}

/** See requireFreshProof. */
export function offeredProof(
  { sender }: RequestContext,
  { currentPassword: password }: { currentPassword?: string | undefined },
): OfferedProof {
  return { currentPassword: password, leafThumbprint: sender.certificates?.leafThumbprint ?? null };
}

/** The code in the body, or otherwise in the header. */
function codeOf(context: RequestContext, inBody: string | undefined): string | undefined {
  if (inBody !== undefined) return inBody;
  const inHeader = context.headers['mfa-validation-code'];
  return inHeader === undefined ? undefined : validate({ code: inHeader }, optionalCode).code;
}

function requiredCode(context: RequestContext, inBody: string | undefined): string {
  const code = codeOf(context, inBody);
  if (code === undefined)
    throw new AuthError('could_not_validate', { fields: [{ field: 'code', reason: 'is required' }] });
  return code;
}
