import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { DeviceLogin } from '../../model/device-login.ts';
import {
  approveDevice,
  authRequestFor,
  beginDeviceLogin,
  denyDevice,
  deviceOfLogin,
  findByUserCode,
} from '../../oidc/device/device-login.ts';
import { readUserCode, shownUserCode } from '../../oidc/device/user-code.ts';
import { authenticateClient } from '../../oidc/grants/authenticate-client.ts';
import { droppedScopesOf, existingScopes, optional } from '../../oidc/parameters.ts';
import {
  confirmDevicePage,
  deviceCodePage,
  deviceDonePage,
  finishDevicePage,
  type WaitingDevice,
} from '../../pages/device.ts';
import { loginPaths } from '../../pages/login-forms.ts';
import { isoTime } from '../../platform/clock.ts';
import { type Answer, htmlType, json, page, redirect } from '../request/answer.ts';
import { anyParameters } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  documentAnswer,
  type Route,
  redirectAnswer,
  route,
  schemaNamed,
  somePage,
} from '../request/route.ts';
import { bindBrowser, bindingsOf } from './browser-binding.ts';
import type { PageServices } from './login-step.ts';
import { clientName } from './sign-in-ways.ts';

const authorizationSchema = schemaNamed('DeviceAuthorization', {
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.int(),
  interval: z.int(),
});

/** oidc/ judges it. */
const described = { body: z.object({ client_id: z.string(), scope: z.string() }) };
const typedCode = z.string().max(100);
const pageQuery = z.object({ user_code: typedCode.optional() });
const pageBody = z.object({ user_code: typedCode, step: z.enum(['look', 'continue', 'deny']) });

const common = { api: 'oidc', guard: 'anonymous', load: 'counted' } as const;
const pageOf = { ...common, errors: 'html-or-edge', produces: [htmlType] } as const;
const pagePath = '/oidc/device';
const finishedPath = '/oidc/device/finished';

/** POST `/oidc/device_authorization`, for the device; `/oidc/device`, for the person (RFC 8628 3.1 to 3.3). */
export function deviceRoutes(needs: PageServices): readonly Route[] {
  return [authorizationRoute(needs), codeRoute(needs), decisionRoute(needs), ...finishedRoutes(needs)];
}

function authorizationRoute(needs: PageServices): Route {
  return route('POST', '/oidc/device_authorization', {
    ...common,
    errors: 'oauth',
    summary: 'Begin a login for a device without a browser (RFC 8628 section 3.1)',
    answers: { 200: documentAnswer(authorizationSchema, 'The codes') },
    refusals: ['invalid_client', 'client_not_authenticated', 'invalid_scope', 'rate_limited', 'busy'],
    described,
    body: { json: false, form: true, schema: anyParameters },
    async handler(context, { body }) {
      const basic = context.basic;
      const { issuer } = context;
      const client = await authenticateClient(needs, { parameters: body, basic, issuer });
      const scope = optional(body, 'scope') ?? '';
      const scopes = existingScopes(client, scope);
      if (!scopes.includes('openid'))
        throw new AuthError('invalid_scope', { description: 'the scope must include openid' });
      const droppedScopes = droppedScopesOf(scopes, scope);
      const asked = { scopes, droppedScopes, origin: context.origin };
      const authorization = await beginDeviceLogin(needs, client, asked);
      return json(authorization, { headers: { pragma: 'no-cache' } });
    },
  });
}

function codeRoute(needs: PageServices): Route {
  return route(['GET', 'HEAD'], pagePath, {
    ...pageOf,
    summary: 'Show the page on which a person enters the code of a device',
    answers: { 200: somePage },
    query: pageQuery,
    // For display only: the address may come from an attacker.
    handler: (context, { query }) => page(deviceCodePage(needs.views(context), query.user_code ?? '', null)),
  });
}

function decisionRoute(needs: PageServices): Route {
  return route('POST', pagePath, {
    ...pageOf,
    summary: 'Look up the code of a device, then log in for it or refuse it',
    answers: { 200: somePage, 302: redirectAnswer('To the login'), 404: somePage },
    refusals: ['rate_limited'],
    body: { json: false, form: true, schema: pageBody },
    async handler(context, { body }) {
      const view = needs.views(context);
      const device = await findByUserCode(needs, body.user_code, context.origin);
      if (device === null) {
        const failure = { referenceId: context.requestId };
        const isCode = readUserCode(body.user_code) !== null;
        const refusal = {
          reason: 'device-code-unknown',
          seen: { facts: [['code', isCode ? 'none waits with it' : 'not a code']] },
        } as const;
        return page(deviceCodePage(view, body.user_code, failure), { status: 404, refusal });
      }
      // Only a person who has seen the question answers it.
      const decision = context.sender.kind === 'own-page' ? body.step : 'look';
      if (decision === 'continue') return toLogin(needs, context, device);
      if (decision === 'deny') {
        const isDenied = await denyDevice(needs, device);
        return page(deviceDonePage(view, isDenied ? 'denied' : 'gone'));
      }
      const userCode = shownUserCode(readUserCode(body.user_code) ?? '');
      return page(confirmDevicePage(view, waitingDevice(needs, device), userCode));
    },
  });
}

function toLogin(needs: PageServices, context: RequestContext, device: DeviceLogin): Answer {
  const { binding, headers } = bindBrowser(needs.random, context);
  const id = needs.sealer.seal(authRequestFor(needs, device, binding));
  return redirect(`${loginPaths.password}?authRequestID=${id}`, { headers });
}

/**
 * GET and POST `/oidc/device/finished`: asks the person who has logged in whether the device may get the result, and
 * takes the answer. The login may have been begun by an attacker who has led the person through it.
 */
function finishedRoutes(needs: PageServices): readonly Route[] {
  const code = z.string().max(200);
  const deviceOf = (context: RequestContext, of: string) => {
    const login = { code: of, browser: bindingsOf(context) };
    return deviceOfLogin(needs, login, context.origin);
  };
  const show = route(['GET', 'HEAD'], finishedPath, {
    ...pageOf,
    summary: 'Ask whether a device is to get a finished login',
    answers: { 200: somePage },
    query: z.object({ code, state: z.string().optional(), iss: z.string().optional() }),
    async handler(context, { query }) {
      const view = needs.views(context);
      const device = await deviceOf(context, query.code);
      if (device === null) return page(deviceDonePage(view, 'gone'));
      return page(
        finishDevicePage(view, waitingDevice(needs, device), { path: finishedPath, code: query.code }),
      );
    },
  });
  const decide = route('POST', finishedPath, {
    ...pageOf,
    summary: 'Hand a finished login over to the device that waits for it, or refuse it',
    answers: { 200: somePage },
    refusals: ['forbidden'],
    body: { json: false, form: true, schema: z.object({ code, step: z.enum(['approve', 'deny']) }) },
    async handler(context, { body }) {
      if (context.sender.kind !== 'own-page') throw new AuthError('forbidden');
      const device = await deviceOf(context, body.code);
      const isApproval = body.step === 'approve';
      const isSettled =
        device !== null &&
        (isApproval ? await approveDevice(needs, device, body.code) : await denyDevice(needs, device));
      const outcome = isSettled ? (isApproval ? 'approved' : 'denied') : 'gone';
      return page(deviceDonePage(needs.views(context), outcome));
    },
  });
  return [show, decide];
}

function waitingDevice(
  { clients }: PageServices,
  { clientId, ipAddress, createdAt }: DeviceLogin,
): WaitingDevice {
  return { client: clientName(clients, clientId), ipAddress, since: isoTime(createdAt) };
}
