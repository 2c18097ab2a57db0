// A caller's own TOTP, on both Edge APIs and for both mechanisms.

import { z } from 'zod';
import {
  countOwnRecoveryCodes,
  type OwnTotpNeeds,
  readOwnTotp,
  removeOwnTotp,
  renewOwnRecoveryCodes,
  startOwnTotp,
  verifyOwnTotp,
} from '../../enrollment/own-totp.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { Principal } from '../../model/principal.ts';
import { qrCodePng } from '../../pages/qr-code-png.ts';
import { envelope } from '../answer.ts';
import { validate } from '../body.ts';
import { contentAnswer, dataAnswer, doneAnswer } from '../declared-answers.ts';
import { enforceGuard } from '../guard.ts';
import { originOf } from '../oidc/bind-point.ts';
import type { RequestContext } from '../request-context.ts';
import { type Route, route } from '../routes.ts';
import { totpCode } from '../totp-code-input.ts';
import { linksSchema } from '../wire.ts';

export interface OwnMfaNeeds extends OwnTotpNeeds {
  /** Tells the mechanism of the caller's session that TOTP was proven in it by enrolling. */
  totpEnrolled(caller: Principal): Promise<void>;
}

const started = dataAnswer(
  z.strictObject({ id: z.string(), _links: linksSchema }),
  'Started; the record is at the same address',
);
const record = dataAnswer(
  z
    .strictObject({
      id: z.string(),
      isVerified: z.boolean(),
      provisioningUrl: z.string().optional(),
      recoveryCodes: z.array(z.string()).optional(),
    })
    .meta({ id: 'TotpEnrollment' }),
  'The enrolment; the URL and the codes only until it is verified',
);
const codesLeft = dataAnswer(z.strictObject({ recoveryCodesLeft: z.int() }), 'How many are left');
const newCodes = dataAnswer(z.strictObject({ recoveryCodes: z.array(z.string()) }), 'The new codes');
const picture = contentAnswer('image/png', 'The picture');
const proofRefusals = ['not_found', 'invalid_totp_code', 'rate_limited'] as const;

const optionalCode = z.object({ code: totpCode.optional() });

export function ownMfaRoutes(
  needs: OwnMfaNeeds,
  api: 'edge-client' | 'edge-management',
  root: string,
): readonly Route[] {
  const path = `${root}/current-identity/mfa`;
  const common = { api, errors: 'edge' } as const;
  const withCode = { json: true, form: false, schema: optionalCode };
  return [
    route({
      ...common,
      methods: ['POST'],
      path,
      guard: 'partial',
      summary: 'Start the enrolment in TOTP',
      answers: { 201: started },
      refusals: ['mfa_exists'],
      async handler({ principal }) {
        mayEnroll(principal);
        await startOwnTotp(needs, principal);
        const data = { id: principal.apiSessionId, _links: { self: { href: './current-identity/mfa' } } };
        return envelope(data, {}, { status: 201 });
      },
    }),
    route({
      ...common,
      methods: ['GET'],
      path,
      guard: 'partial',
      summary: 'Read the own enrolment in TOTP',
      answers: { 200: record },
      refusals: ['not_found'],
      async handler({ principal }) {
        mayEnroll(principal);
        const { isVerified, ...record } = await readOwnTotp(needs, principal);
        return envelope({ id: principal.apiSessionId, isVerified, ...record });
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: `${path}/verify`,
      guard: 'partial',
      summary: 'Complete the enrolment with a first code',
      answers: { 200: doneAnswer },
      refusals: proofRefusals,
      body: { json: true, form: false, schema: z.object({ code: totpCode }) },
      async handler(context, { body }) {
        mayEnroll(context.principal);
        await verifyOwnTotp(needs, context.principal, body.code, originOf(context));
        await needs.totpEnrolled(context.principal);
        return envelope({});
      },
    }),
    route({
      ...common,
      methods: ['GET'],
      path: `${path}/qr-code`,
      guard: 'partial',
      summary: 'Get the enrolment as a picture for an authenticator app',
      answers: { 200: picture },
      refusals: ['not_found'],
      produces: ['image/png', 'application/json'],
      async handler({ principal }) {
        mayEnroll(principal);
        const totp = await readOwnTotp(needs, principal);
        const picture = totp.isVerified ? null : qrCodePng(totp.provisioningUrl);
        if (picture === null) throw new AuthError('not_found');
        return { status: 200, headers: { 'content-type': 'image/png' }, body: picture };
      },
    }),
    route({
      ...common,
      methods: ['DELETE'],
      path,
      guard: 'full',
      summary: 'Remove the own enrolment in TOTP',
      answers: { 200: doneAnswer },
      refusals: proofRefusals,
      body: withCode,
      async handler(context, { body }) {
        await removeOwnTotp(needs, context.principal, codeOf(context, body.code) ?? '', originOf(context));
        return envelope({});
      },
    }),
    route({
      ...common,
      methods: ['GET'],
      path: `${path}/recovery-codes`,
      guard: 'full',
      summary: 'Count the recovery codes that are left; the code is in mfa-validation-code',
      answers: { 200: codesLeft },
      refusals: [...proofRefusals, 'could_not_validate'],
      async handler(context) {
        const [caller, code, origin] = proof(context, undefined);
        return envelope({ recoveryCodesLeft: await countOwnRecoveryCodes(needs, caller, code, origin) });
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: `${path}/recovery-codes`,
      guard: 'full',
      summary: 'Replace the recovery codes',
      answers: { 200: newCodes },
      refusals: proofRefusals,
      body: withCode,
      async handler(context, { body }) {
        const [caller, code, origin] = proof(context, body.code);
        return envelope({ recoveryCodes: await renewOwnRecoveryCodes(needs, caller, code, origin) });
      },
    }),
  ];
}

/**
 * While factors are outstanding, only a legacy session may enrol, and only when TOTP is among them: somebody who has
 * no more than the password must not add a factor that nobody asked for.
 */
function mayEnroll(principal: Principal): void {
  const asksForTotp = principal.outstanding.some(({ type }) => type === 'totp');
  if (principal.mechanism !== 'legacy' || !asksForTotp) enforceGuard('full', principal);
}

/** The code in the body, or else in the header. */
function codeOf(context: RequestContext, inBody: string | undefined): string | undefined {
  if (inBody !== undefined) return inBody;
  const inHeader = context.headers['mfa-validation-code'];
  return inHeader === undefined ? undefined : validate({ code: inHeader }, optionalCode).code;
}

function proof(
  context: RequestContext & { readonly principal: Principal },
  inBody: string | undefined,
): [caller: Principal, code: string, origin: RequestOrigin] {
  const code = codeOf(context, inBody);
  if (code === undefined) {
    throw new AuthError('could_not_validate', { fields: [{ field: 'code', reason: 'is required' }] });
  }
  return [context.principal, code, originOf(context)];
}
