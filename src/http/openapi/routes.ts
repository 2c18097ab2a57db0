// The API descriptions, for programs and for people. They need no login: which right opens which endpoint is no secret.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import {
  type ApiReference,
  apiContentsPage,
  apiOperationPage,
  type ReferencedOperation,
} from '../../pages/api-reference.ts';
import { languageFor } from '../../pages/texts/languages.ts';
import type { Views } from '../pages/views.ts';
import { htmlType, json, page } from '../request/answer.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import { type Api, contentAnswer, documentAnswer, type Route } from '../request/route.ts';
import { publicFor } from '../request/security-headers.ts';
import { type DescribedApi, type OpenApiDocument, type Operation, openApiDocument } from './document.ts';

interface Description extends DescribedApi {
  /** The API with which the document is mounted. */
  readonly api: Api;
  /** The APIs whose endpoints it describes. */
  readonly describes: readonly Api[];
}

/** Every endpoint is described in exactly one of these. */
const descriptions: readonly Description[] = [
  {
    title: 'Edge Client API',
    description:
      'Self-service of every identity, and logging in with a session token (deprecated). The same without the prefix /edge/client/v1, for clients that know only the address.',
    root: '/edge/client/v1',
    api: 'edge-client',
    describes: ['edge-client'],
  },
  {
    title: 'Edge Management API',
    description:
      'Identities, their authenticators, and the rules for logins; health and metrics of the server.',
    root: '/edge/management/v1',
    api: 'edge-management',
    describes: ['edge-management', 'health', 'metrics'],
  },
  {
    title: 'OpenID provider',
    description: 'The protocol endpoints, the steps of a login, and the pages for people.',
    root: '/oidc',
    api: 'oidc',
    describes: ['oidc', 'pages', 'account', 'console'],
  },
];

const openApiSchema = z
  .looseObject({ openapi: z.literal('3.1.0'), paths: z.record(z.string(), z.unknown()) })
  .meta({ id: 'OpenApi' });

const cached = publicFor(300);

const language = languageFor([]);

/** @param routes all endpoints, including these; read at the first request */
export function openApiRoutes(views: Views, routes: () => readonly Route[]): readonly Route[] {
  // The reference exists in English only, so its pages are kept once for all languages.
  const english: Views = (visitor) => ({ ...views(visitor), language, texts: language.texts });
  return descriptions.flatMap((description) => {
    let made: Omit<OpenApiDocument, 'servers'> | undefined;
    const documentOf = () => {
      made ??= openApiDocument(
        description,
        routes().filter((of) => describes.includes(of.api)),
      );
      return made;
    };
    const { api, root, describes } = description;
    const path = `${root}/openapi.json`;
    let read: ApiReference | undefined;
    const referenceOf = () => {
      read ??= apiReferenceOf(documentOf(), { path: `${root}/docs`, documentPath: path });
      return read;
    };
    const asPage = { api, errors: 'html-or-edge', produces: [htmlType] } as const;
    const answers = { 200: contentAnswer(htmlType, 'The page') };
    return [
      ...[path, ...specPathOf(description)].map((each) =>
        fixedRoute(each, {
          api,
          views,
          errors: 'edge',
          summary: 'Get the OpenAPI description of this API',
          answers: { 200: documentAnswer(openApiSchema, 'An OpenAPI 3.1 document') },
          make({ bindPoint }, { look }) {
            const document = documentOf();
            const contact = { name: look.name };
            const servers = [{ url: `https://${bindPoint.address}` }];
            return json({ ...document, info: { ...document.info, contact }, servers }, { headers: cached });
          },
        }),
      ),
      fixedRoute(`${root}/docs`, {
        ...asPage,
        views: english,
        summary: 'Read the description of this API as a page',
        answers,
        make: (_place, view) => page(apiContentsPage(view, referenceOf()), { headers: cached }),
      }),
      // Made when one is asked for. An unknown id leaves nothing behind: there are as many as operations, at most.
      fixedRoute(`${root}/docs/:id`, {
        ...asPage,
        views: english,
        summary: 'Read about one operation, by its operationId, as a page',
        answers,
        keyedBy: ['id'],
        make({ params }, view) {
          const made = apiOperationPage(view, referenceOf(), params.id);
          if (made === null) throw new AuthError('not_found');
          return page(made, { headers: cached });
        },
      }),
    ];
  });
}

/** Where `/specs` says that the description is, as existing clients expect it. */
function specPathOf({ api, root }: Description): readonly string[] {
  return api === 'oidc' ? [] : [`${root}/specs/${api.replace('edge-', '')}/spec`];
}

/** The description for the page. */
function apiReferenceOf(
  { info, tags, paths, components }: Omit<OpenApiDocument, 'servers'>,
  addresses: Pick<ApiReference, 'path' | 'documentPath'>,
): ApiReference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operationOf(method, path, operation),
      challenges: operation.security.flatMap((schemes) =>
        Object.keys(schemes).map((name) => components.securitySchemes[name]?.description ?? name),
      ),
    })),
  );
  return {
    title: info.title,
    description: info.description,
    ...addresses,
    groups: new Map(tags.map(({ name, description }) => [name, description])),
    operations,
    schemas: components.schemas,
  };
}

function operationOf(
  method: string,
  path: string,
  { operationId, tags, summary, description, parameters, requestBody, responses }: Operation,
): Omit<ReferencedOperation, 'challenges'> {
  return {
    id: operationId,
    group: tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    summary,
    access: description,
    parameters,
    body: requestBody === undefined ? null : contentOf(requestBody.content),
    answers: Object.entries(responses).map(([status, response]) => ({
      status,
      description: response.description,
      // Every answer has an x-request-id.
      headers: Object.entries(response.headers ?? {})
        .filter(([name]) => name !== 'x-request-id')
        .map(([name, header]) => ({ name, description: header.description })),
      ...contentOf(response.content ?? {}),
    })),
  };
}

function contentOf(content: NonNullable<Operation['responses'][string]['content']>) {
  const [first] = Object.values(content);
  return { mediaTypes: Object.keys(content), schema: first?.schema ?? null };
}
