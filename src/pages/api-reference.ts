import type { JsonSchema } from '../model/json-schema.ts';
import { type Html, html } from './html.ts';
import { layout, type View } from './layout.ts';

interface ReferencedContent {
  readonly mediaTypes: readonly string[];
  /** Null: no body. */
  readonly schema: JsonSchema | null;
}

export interface ReferencedOperation {
  readonly id: string;
  /** Operations of one group are listed together. */
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The callers that are admitted, in words. */
  readonly access: string;
  /** The ways to authenticate, in words. Empty: none is needed. */
  readonly challenges: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly body: ReferencedContent | null;
  readonly answers: readonly (ReferencedContent & {
    readonly status: string;
    readonly description: string;
    readonly headers: readonly { readonly name: string; readonly description: string }[];
  })[];
}

export interface ApiReference {
  readonly title: string;
  readonly description: string;
  /** The path of the page. Each operation has one below it. */
  readonly path: string;
  /** The path of the same document for programs. */
  readonly documentPath: string;
  /** The description of each group of operations, in one sentence. */
  readonly groups: ReadonlyMap<string, string>;
  readonly operations: readonly ReferencedOperation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The operations of an API, by group, each with a link to its own page. The reference exists in English only. */
export function apiContentsPage(view: View, api: ApiReference): Html {
  const groups = Map.groupBy(api.operations, ({ group }) => group);
  return layout(view, {
    wide: true,
    title: `${api.title} - Reference`,
    heading: api.title,
    content: html`<details>
<summary>About this API</summary>
<p>${api.description} For programs: <a href="${api.documentPath}">the OpenAPI document</a>.</p>
</details>
<div class="field" data-searches="operations" data-found="operations found" data-found-one="operation found" hidden><label for="search">Search operations</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p id="found" class="hint" role="status"></p></div>
<nav id="operations" aria-label="Operations">
${[...groups].map(
  ([group, operations]) => html`<div data-group>
<h2>${group}</h2>
<p>${api.groups.get(group)}</p>
<ul>${operations.map(
    ({ id, method, path, summary }) => html`
<li id="${id}"><a href="${api.path}/${id}"><code>${method} ${path}</code></a> ${summary}</li>`,
  )}
</ul>
</div>
`,
)}</nav>`,
  });
}

/** One operation, with the schemas that it uses and links to its neighbours. Null: the API has none with this id. */
export function apiOperationPage(view: View, api: ApiReference, id: string | undefined): Html | null {
  const at = api.operations.findIndex((operation) => operation.id === id);
  const operation = api.operations[at];
  if (operation === undefined) return null;
  const { method, path, summary, access, challenges, parameters, body, answers } = operation;
  const link = (text: string, to: ReferencedOperation | undefined) =>
    to !== undefined && html` <a href="${api.path}/${to.id}">${text}</a>`;
  return layout(view, {
    wide: true,
    title: `${summary} - ${api.title}`,
    heading: summary,
    lead: html`<code>${method} ${path}</code>`,
    content: html`<nav aria-label="Operations"><p><a href="${api.path}">All operations</a>${link('Previous', api.operations[at - 1])}${link('Next', api.operations[at + 1])}</p></nav>
<p>${access}</p>
${section('Challenges', challenges)}${section(
  'Parameters',
  parameters.map(
    (parameter) =>
      html`<code>${parameter.name}</code> in the ${parameter.in}${parameter.required ? '' : ' (optional)'}: ${parameter.description !== undefined && html`${parameter.description}. `}${schemaOutline(parameter.schema)}${examples(parameter.schema)}`,
  ),
)}${body !== null && html`<h2>Body</h2>\n<div>${content(body)}</div>\n`}${section(
  'Responses',
  answers.map(
    (answer) =>
      html`<strong>${answer.status}</strong> ${answer.description}. ${content(answer)}${
        answer.headers.length > 0 &&
        html`<ul>${answer.headers.map(({ name, description }) => html`\n<li><code>${name}</code>: ${description}</li>`)}\n</ul>`
      }`,
  ),
)}${[...componentsIn(operation, api.schemas)].sort().map(
  (name) => html`<section id="schema-${name}">
<h2>${name}</h2>
<div>${schemaOutline(api.schemas[name] ?? {})}</div>
</section>
`,
)}`,
  });
}

function section(heading: string, items: readonly (Html | string)[]): Html | null {
  if (items.length === 0) return null;
  return html`<h2>${heading}</h2>
<ul>${items.map((item) => html`\n<li>${item}</li>`)}
</ul>
`;
}

/** The names of the schemas that a value refers to, and of those that these refer to. */
function componentsIn(
  value: unknown,
  schemas: ApiReference['schemas'],
  names = new Set<string>(),
): Set<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    componentsIn(schemas[name] ?? {}, schemas, names);
  }
  return names;
}

function content({ mediaTypes, schema }: ReferencedContent): Html {
  if (schema === null) return html`No body.`;
  return html`<code>${mediaTypes.join(' or ')}</code>: ${schemaOutline(schema)}`;
}

/** A schema as an outline: its type, and its members below. Components are links to `#schema-NAME`. */
function schemaOutline(schema: JsonSchema): Html {
  return html`${typeOf(schema)}${members(schema)}`;
}

function members(schema: JsonSchema): Html | null {
  const { properties, required = [], items } = schema;
  if (items !== undefined) return members(items);
  const variants = (schema.oneOf ?? schema.anyOf ?? []).filter(({ properties: own }) => own !== undefined);
  if (variants.length > 0) return html`${variants.map(members)}`;
  if (properties === undefined || Object.keys(properties).length === 0) return null;
  return html`<ul>${Object.entries(properties).map(
    ([name, member]) => html`
<li><code>${name}</code>${required.includes(name) ? '' : ' (optional)'}: ${schemaOutline(member)}${
      member.description !== undefined && html` <span class="hint">${member.description}</span>`
    }${examples(member)}</li>`,
  )}
</ul>`;
}

/** In one line, such as `text, at most 64 characters` or `list of Identity`. */
function typeOf(schema: JsonSchema): Html {
  const { $ref, type, items, anyOf, oneOf, additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) return html`one of ${listed(schema.enum)}`;
  const variants = oneOf ?? anyOf;
  if (variants !== undefined) return alternatives(variants.map(typeOf));
  if (type === 'array') return html`list of ${typeOf(items ?? {})}${limits(schema)}`;
  if (type === 'object' && typeof additionalProperties === 'object')
    return html`map of ${typeOf(additionalProperties)}`;
  const types = type === undefined ? ['anything'] : [type].flat();
  return html`${alternatives(types)}${schema.format !== undefined && ` (${schema.format})`}${limits(schema)}`;
}

/** "string, number or null" */
function alternatives(words: readonly (Html | string)[]): Html {
  const between = (at: number) => (at === 0 ? '' : at === words.length - 1 ? ' or ' : ', ');
  return html`${words.map((word, at) => html`${between(at)}${word}`)}`;
}

/** Values as they are written, separated by commas. */
function listed(values: readonly unknown[]): Html {
  return html`${values.map((value, at) => html`${at > 0 && ', '}<code>${String(value)}</code>`)}`;
}

/** Example values, if the schema has some. */
function examples({ examples: given = [] }: JsonSchema): Html | null {
  return given.length === 0 ? null : html` <span class="hint">For example ${listed(given)}.</span>`;
}

function limits(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const given = [
    ['at least', minimum ?? minLength ?? minItems],
    ['at most', maximum ?? maxLength ?? maxItems],
    ['like', pattern],
    ['by default', schema.default === undefined ? undefined : JSON.stringify(schema.default)],
  ].filter(([, value]) => value !== undefined);
  return given.map(([word, value]) => `, ${word} ${value}`).join('');
}
