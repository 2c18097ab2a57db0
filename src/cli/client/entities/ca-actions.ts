import { printResult } from '../../terminal/output.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { onEntity } from './on-entity.ts';

/** `ca verify NAME --cert FILE`: submits the proof that somebody holds the key of the authority. */
export const verifyCa = onEntity(
  'ca',
  async ({ report, api, id, nameOrId, path }, _options: { readonly cert: string }, certPem: string) => {
    await api.call({ method: 'POST', path: `${path}/verify`, json: { certPem } });
    printResult(report, { id }, () => `Verified ca ${nameOrId}.`);
  },
  ({ ports }, { cert }) => readNamedFile(ports, cert, 'certificate'),
);
