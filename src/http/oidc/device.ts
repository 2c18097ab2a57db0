import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { DeviceLogin } from '../../model/device-login.ts';
import {
  approveDevice,
  authRequestFor,
  beginDeviceLogin,
  type DeviceLoginNeeds,
  denyDevice,
  findByUserCode,
} from '../../oidc/device/device-login.ts';
import { readUserCode, shownUserCode } from '../../oidc/device/user-code.ts';
import type { AuthRequestSealer } from '../../oidc/flow/open-auth-request.ts';
import { authenticateClient, type ClientAuthNeeds } from '../../oidc/grants/authenticate-client.ts';
import { existingScopes, parametersOf, required } from '../../oidc/parameters.ts';
import { confirmDevicePage, deviceCodePage, deviceDonePage } from '../../pages/device.ts';
import { isoTime } from '../../platform/clock.ts';
import type { Views } from '../pages/views.ts';
import { type Answer, htmlType, json, page, redirect } from '../request/answer.ts';
import { contentAnswer, documentAnswer, redirectAnswer } from '../request/declared-answers.ts';
import { anyParameters } from '../request/fields.ts';
import { basicCredentials, originOf, type RequestContext } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { bindBrowser } from './browser-binding.ts';
import { clientName, passwordPath } from './sign-in-ways.ts';

export interface DeviceRouteNeeds extends DeviceLoginNeeds, ClientAuthNeeds {
  readonly store: DeviceLoginNeeds['store'] & ClientAuthNeeds['store'];
  readonly sealer: AuthRequestSealer;
  readonly views: Views;
}

const authorizationSchema = z
  .strictObject({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int(),
    interval: z.int(),
  })
  .meta({ id: 'DeviceAuthorization' });

/** oidc/ judges it. */
const described = { body: z.object({ client_id: z.string(), scope: z.string() }) };
const typedCode = z.string().max(100);
const pageQuery = z.object({ user_code: typedCode.optional() });
const pageBody = z.object({ user_code: typedCode, step: z.enum(['look', 'continue', 'deny']) });

const common = { api: 'oidc', guard: 'anonymous' } as const;
const pageOf = { ...common, path: '/oidc/device', errors: 'html-or-edge', produces: [htmlType] } as const;
const somePage = contentAnswer(htmlType, 'A page for people');

/** POST `/oidc/device_authorization`, for the device; `/oidc/device`, for the person (RFC 8628 3.1 to 3.3). */
export function deviceRoutes(needs: DeviceRouteNeeds): readonly Route[] {
  return [authorizationRoute(needs), codeRoute(needs), decisionRoute(needs), finishedRoute(needs)];
}

function authorizationRoute(needs: DeviceRouteNeeds): Route {
  return route({
    ...common,
    methods: ['POST'],
    path: '/oidc/device_authorization',
    errors: 'oauth',
    summary: 'Begin a login for a device without a browser (RFC 8628 section 3.1)',
    answers: { 200: documentAnswer(authorizationSchema, 'The codes') },
    refusals: ['invalid_client', 'client_not_authenticated', 'invalid_scope', 'rate_limited', 'busy'],
    described,
    body: { json: false, form: true, schema: anyParameters },
    async handler(context, { body }) {
      const parameters = parametersOf(body);
      const basic = basicCredentials(context.authorization);
      const { issuer } = context;
      const client = await authenticateClient(needs, { parameters, basic, issuer });
      const scopes = existingScopes(client, required(parameters, 'scope'));
      if (!scopes.includes('openid')) {
        throw new AuthError('invalid_scope', { description: 'the scope must include openid' });
      }
      const authorization = await beginDeviceLogin(needs, client, { scopes, origin: originOf(context) });
      return json(authorization, { headers: { pragma: 'no-cache' } });
    },
  });
}

function codeRoute(needs: DeviceRouteNeeds): Route {
  return route({
    ...pageOf,
    methods: ['GET'],
    summary: 'Show the page on which a person enters the code of a device',
    answers: { 200: somePage },
    query: pageQuery,
    // For display only: the address may come from somebody else.
    handler: (context, { query }) => page(deviceCodePage(needs.views(context), query.user_code ?? '', null)),
  });
}

function decisionRoute(needs: DeviceRouteNeeds): Route {
  return route({
    ...pageOf,
    methods: ['POST'],
    summary: 'Look up the code of a device, then log in for it or refuse it',
    answers: { 200: somePage, 302: redirectAnswer('To the login'), 404: somePage },
    refusals: ['rate_limited'],
    body: { json: false, form: true, schema: pageBody },
    async handler(context, { body }) {
      const view = needs.views(context);
      const device = await findByUserCode(needs, body.user_code, originOf(context));
      if (device === null) {
        const failure = { referenceId: context.requestId };
        return page(deviceCodePage(view, body.user_code, failure), { status: 404 });
      }
      // Only somebody who has seen the question answers it.
      const decision = context.sender.kind === 'own-page' ? body.step : 'look';
      if (decision === 'continue') return toLogin(needs, context, device);
      if (decision === 'deny') {
        const isDenied = await denyDevice(needs, device);
        return page(deviceDonePage(view, isDenied ? 'denied' : 'gone'));
      }
      const userCode = shownUserCode(readUserCode(body.user_code) ?? '');
      const { ipAddress, createdAt } = device;
      const client = clientName(needs.clients, device.clientId);
      return page(confirmDevicePage(view, { userCode, client, ipAddress, since: isoTime(createdAt) }));
    },
  });
}

function toLogin(needs: DeviceRouteNeeds, context: RequestContext, device: DeviceLogin): Answer {
  const { binding, headers } = bindBrowser(needs.random, context);
  const id = needs.sealer.seal(authRequestFor(needs, device, binding));
  return redirect(`${passwordPath}?authRequestID=${id}`, { headers });
}

function finishedRoute(needs: DeviceRouteNeeds): Route {
  return route({
    ...pageOf,
    methods: ['GET'],
    path: '/oidc/device/finished',
    summary: 'Hand a finished login over to the device that waits for it',
    answers: { 200: somePage },
    query: z.object({ code: z.string().max(200), state: z.string().optional(), iss: z.string().optional() }),
    async handler(context, { query }) {
      const origin: RequestOrigin = originOf(context);
      const isApproved = await approveDevice(needs, query.code, origin);
      return page(deviceDonePage(needs.views(context), isApproved ? 'approved' : 'gone'));
    },
  });
}
