import { asList, asObject, type JsonObject } from '../../platform/formats/json-shape.ts';
import { renderTable } from './table.ts';

/** The text of `status` about the signers and CAs that can name an administrator. */
export function namersText(namers: readonly JsonObject[]): string {
  if (namers.length === 0) return 'No signer and no CA can name an administrator.';
  const namesOf = (refs: unknown) => asList(refs).map((ref) => String(asObject(ref).name));
  return renderTable(
    [
      ['can name administrators', (row: JsonObject) => asObject(row.issuer).name],
      ['kind', (row) => (asObject(row.issuer).entity === 'cas' ? 'CA' : 'external JWT signer')],
      ['by', ({ by }) => (by === 'id' ? 'id' : 'external id')],
      ['such as', ({ administrators }) => namesOf(administrators).join(', ')],
    ],
    namers,
  );
}
