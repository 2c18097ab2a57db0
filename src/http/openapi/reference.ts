import type { ApiReference, ReferencedOperation } from '../../pages/api-reference.ts';
import type { OpenApiDocument, Operation } from './document.ts';

/** What the page shows of a description. HEAD is like GET and is not shown. */
export function apiReferenceOf(
  { info, tags, paths, components }: Omit<OpenApiDocument, 'servers'>,
  documentPath: string,
): ApiReference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head' || methods.get === undefined)
      .map(([method, operation]) => operationOf(method, path, operation)),
  );
  return {
    title: info.title,
    description: info.description,
    documentPath,
    groups: new Map(tags.map(({ name, description }) => [name, description])),
    operations,
    schemas: components.schemas,
  };
}

function operationOf(method: string, path: string, operation: Operation): ReferencedOperation {
  const { operationId, tags, summary, description, parameters, requestBody, responses } = operation;
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
      ...contentOf(response.content ?? {}),
    })),
  };
}

function contentOf(content: NonNullable<Operation['responses'][string]['content']>) {
  const [first] = Object.values(content);
  return { mediaTypes: Object.keys(content), schema: first?.schema ?? null };
}
