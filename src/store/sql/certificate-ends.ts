// When the certificates of authenticators expire: a column beside the PEM, which no statement can read.

import type { Millis } from '../../platform/clock.ts';
import { parseCertificate } from '../../platform/x509/x509.ts';
import { text } from './codec.ts';
import { all, type Intent, run } from './intent.ts';

/** Null for what cannot be read. @param pem of the leaf */
export function certificateEnd(pem: string): Millis | null {
  try {
    return parseCertificate(pem).validToDate.getTime();
  } catch {
    return null;
  }
}

/** Fills the column of a database from before it was there. */
export function* noteCertificateEnds(): Intent<void> {
  const sql = `SELECT id, cert_pem FROM authenticators WHERE method = 'cert' AND id > ? ORDER BY id LIMIT 1000`;
  let rows = yield* all(sql, '');
  while (rows.length > 0) {
    for (const row of rows) {
      const end = certificateEnd(text(row, 'cert_pem'));
      yield* run('UPDATE authenticators SET cert_expires_at = ? WHERE id = ?', end, text(row, 'id'));
    }
    rows = yield* all(sql, rows.at(-1)?.id ?? null);
  }
}
