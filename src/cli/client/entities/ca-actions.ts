import { printResult, type Report } from '../../terminal/output.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { withApi } from '../connection/api-client.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

/** `ca verify NAME --cert FILE`: submits the proof that somebody holds the key of the authority. */
export async function verifyCa(
  report: Report,
  nameOrId: string,
  options: { readonly server?: string; readonly cert: string },
): Promise<void> {
  const certPem = await readNamedFile(report.ports, options.cert, 'certificate');
  await withApi(report, options.server, async (api) => {
    const { id } = await findEntity(api, entityNamed('ca'), nameOrId);
    await api.call({ method: 'POST', path: `/cas/${encodeURIComponent(id)}/verify`, json: { certPem } });
    printResult(report, { id }, () => `Verified ca ${nameOrId}.`);
  });
}
