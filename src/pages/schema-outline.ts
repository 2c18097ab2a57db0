import type { JsonSchema } from '../model/json-schema.ts';
import { type Html, html } from './html.ts';

/** A schema as an outline: its type, and its members below. Components are links to `#schema-NAME`. */
export function schemaOutline(schema: JsonSchema): Html {
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
  if (variants !== undefined) {
    return alternatives(variants.map(typeOf));
  }
  if (type === 'array') return html`list of ${typeOf(items ?? {})}${limits(schema)}`;
  if (type === 'object' && typeof additionalProperties === 'object') {
    return html`map of ${typeOf(additionalProperties)}`;
  }
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

/** What somebody could send, if the schema says so. */
export function examples({ examples: given = [] }: JsonSchema): Html | null {
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
