import type { JsonSchema } from '../model/json-schema.ts';
import { type Html, html } from './html.ts';

/** A schema as an outline: its type, and below it the members. Components are linked to, as `#schema-NAME`. */
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
    }</li>`,
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
  if (schema.enum !== undefined) return html`one of <code>${schema.enum.map(String).join(' ')}</code>`;
  const variants = oneOf ?? anyOf;
  if (variants !== undefined) {
    return html`${variants.map((variant, at) => html`${at > 0 && ' or '}${typeOf(variant)}`)}`;
  }
  if (type === 'array') return html`list of ${typeOf(items ?? {})}${limits(schema)}`;
  if (type === 'object' && typeof additionalProperties === 'object') {
    return html`map of ${typeOf(additionalProperties)}`;
  }
  return html`${type ?? 'anything'}${schema.format !== undefined && ` (${schema.format})`}${limits(schema)}`;
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
