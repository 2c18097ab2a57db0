// Enrollment. The method is in the query or in the path; its values are in the query, the body, the connection or the
// headers, as existing SDKs send it.

import { z } from 'zod';
import type { Enrolled } from '../../enrollment/enroll-attempt.ts';
import { enrollByCa, enrollWithOwnCertificate } from '../../enrollment/with-certificate.ts';
import { enrollWithCsr } from '../../enrollment/with-csr.ts';
import { enrollWithExternalJwt } from '../../enrollment/with-external-jwt.ts';
import { enrollWithPassword } from '../../enrollment/with-password.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { type EnrollMethod, enrollMethods } from '../../model/enrollment.ts';
import { type Answer, envelope } from '../request/answer.ts';
import { parseMediaType, readBody } from '../request/body.ts';
import type { RequestContext } from '../request/request-context.ts';
import { anonymous, dataAnswer, type Route, route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';

const bodyLimit = 32 * 1024;
/** Media types of bodies that are the certificate signing request itself. */
const requestTypes: ReadonlySet<string> = new Set(['application/x-pem-file', 'text/plain']);

const optional = z
  .string()
  .nullish()
  .transform((text) => text ?? undefined);

const query = z.object({
  method: z.enum(enrollMethods, `must be one of ${enrollMethods.join(', ')}`).default('ott'),
  token: z.string().optional(),
});

const members = z.object({
  token: optional,
  clientCsr: optional,
  username: optional,
  password: optional,
  name: optional,
});

type Members = z.output<typeof members>;

const certificatesSchema = schemaNamed('EnrollmentCertificates', {
  cert: z.string(),
  ca: z.string(),
  serverCert: z.string(),
  controllers: z.array(z.string()),
  username: z.string().optional().describe('With a password: the user name for logins'),
});

const enrollRefusals = [
  'invalid_enrollment_token',
  'enrollment_expired',
  'enrollment_not_allowed',
  'enrollment_certificate_refused',
  'already_enrolled',
  'csr_not_acceptable',
  'password_not_acceptable',
  'invalid_auth',
  'could_not_validate',
  'could_not_parse_body',
  'rate_limited',
] as const;

/** `/enroll?method=…` and `/enroll/…` */
export function enrollRoutes(needs: EdgeServices, root: string): readonly Route[] {
  const common = {
    ...anonymous('edge-client', 'counted-unless-proven', 'edge'),
    bodyLimit,
    summary: 'Enroll an identity',
    answers: { 200: dataAnswer(certificatesSchema, 'Enrolled; with the certificate, where one was issued') },
    refusals: enrollRefusals,
    rawBody: ['application/json', ...requestTypes],
    described: { body: members.partial() },
  } as const;
  return [
    route('POST', `${root}/enroll`, {
      ...common,
      query,
      handler: (context, input) =>
        enroll(needs, context, { method: input.query.method, tokenOfQuery: input.query.token }),
    }),
    ...enrollMethods.map((method) =>
      route('POST', `${root}/enroll/${method}`, {
        ...common,
        query: query.pick({ token: true }),
        handler: (context, input) => enroll(needs, context, { method, tokenOfQuery: input.query.token }),
      }),
    ),
  ];
}

async function enroll(
  needs: EdgeServices,
  context: RequestContext,
  { method, tokenOfQuery }: { method: EnrollMethod; tokenOfQuery: string | undefined },
): Promise<Answer> {
  const sent = membersOf(context);
  const token = tokenOfQuery ?? sent.token;
  if (sent.token !== undefined && sent.token !== token) throw ambiguousToken();
  const enrolled = await enrollBy(needs, context, { method, sent: { ...sent, token } });
  return certificatesAnswer(needs, context, enrolled);
}

function enrollBy(
  needs: EdgeServices,
  context: RequestContext,
  { method, sent }: { method: EnrollMethod; sent: Members },
): Promise<Enrolled> {
  const { origin } = context;
  const required = (field: keyof Members) => requiredMember(sent, field);
  const chain = () => context.sender.certificates?.chain ?? null;
  switch (method) {
    case 'ott':
      return enrollWithCsr(needs, { token: required('token'), csr: required('clientCsr') }, origin);
    case 'ottca':
      return enrollWithOwnCertificate(needs, { token: required('token'), chain: chain() }, origin);
    case 'updb':
      return enrollWithPassword(
        needs,
        { token: required('token'), username: sent.username, password: required('password') },
        origin,
      );
    case 'ca':
      return enrollByCa(needs, { chain: chain(), requestedName: sent.name ?? '' }, origin);
    case 'token':
      return enrollWithExternalJwt(needs, { tokens: context.bearers, csr: sent.clientCsr ?? null }, origin);
  }
}

function membersOf(context: RequestContext): Members {
  const { essence } = parseMediaType(context.headers['content-type'] ?? '') ?? {};
  const isRequest = essence !== undefined && requestTypes.has(essence);
  if (!isRequest) return readBody(context, { json: true, form: false, schema: members }) as Members;
  const clientCsr = context.rawBody?.toString('latin1') ?? '';
  const none = { token: undefined, username: undefined, password: undefined, name: undefined };
  return { ...none, clientCsr: clientCsr.trim() === '' ? undefined : clientCsr };
}

function ambiguousToken(): AuthError {
  const reason = 'differs between the query and the body';
  return new AuthError('could_not_validate', {
    description: `The field token ${reason}`,
    fields: [{ field: 'token', reason }],
  });
}

function requiredMember(sent: Members, field: keyof Members): string {
  const value = sent[field];
  if (value !== undefined) return value;
  const reason =
    field === 'clientCsr' ? 'is required: a certificate signing request in PEM form' : 'is required';
  throw new AuthError('could_not_validate', {
    description: `The field ${field} ${reason}`,
    fields: [{ field, reason }],
  });
}

function certificatesAnswer(
  { publishedAuthorities }: EdgeServices,
  context: RequestContext,
  { certificateChain, username }: Enrolled,
): Answer {
  const { pem } = publishedAuthorities.of(context.listener.name);
  const document = { cert: certificateChain ?? '', ca: pem, serverCert: '', controllers: [], username };
  const { body, ...answer } = envelope(document, {}, { headers: { 'content-type': 'application/json' } });
  // Existing SDKs compare the content type with exactly this. As bytes, because the framework adds a charset to text.
  return { ...answer, body: Buffer.from(body) };
}
