import { printResult, type Report } from '../../terminal/output.ts';
import { refuseTakenFile } from '../../terminal/owner-file.ts';
import { withApi } from '../connection/api-client.ts';
import type { AfterCreate } from './descriptor.ts';
import { entityNamed } from './entities.ts';
import { handOutJwt } from './hand-out-jwt.ts';
import { findEntity } from './lookup.ts';

/** `create enrollment METHOD IDENTITY --output-jwt FILE` */
export const newEnrollment: AfterCreate = {
  async prepare(report, { outputJwt }) {
    if (typeof outputJwt !== 'string') return undefined;
    await refuseTakenFile(report.ports, outputJwt);
    return (api, id) => handOutJwt(report, api, { id, file: outputJwt });
  },
};

export interface RefreshOptions {
  readonly server?: string;
  readonly expiresAt?: string;
  readonly outputJwt?: string;
}

/** `enrollment refresh NAME [--expires-at TIME] [--output-jwt FILE]` */
export async function refreshEnrollment(
  report: Report,
  nameOrId: string,
  { server, expiresAt, outputJwt }: RefreshOptions,
): Promise<void> {
  if (outputJwt !== undefined) await refuseTakenFile(report.ports, outputJwt);
  await withApi(report, server, async (api) => {
    const { id } = await findEntity(api, entityNamed('enrollment'), nameOrId);
    const json = expiresAt === undefined ? {} : { expiresAt };
    await api.call({ method: 'POST', path: `/enrollments/${encodeURIComponent(id)}/refresh`, json });
    if (outputJwt !== undefined) await handOutJwt(report, api, { id, file: outputJwt });
    printResult(report, { id }, () => `Refreshed enrollment ${nameOrId}; the previous JWT no longer works.`);
  });
}
