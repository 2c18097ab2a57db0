import { printResult } from '../../terminal/output.ts';
import { refuseTakenFile } from '../../terminal/owner-file.ts';
import type { AfterCreate } from './descriptor.ts';
import { handOutJwt } from './hand-out-jwt.ts';
import { onEntity } from './on-entity.ts';

/** `create enrollment METHOD IDENTITY --output-jwt FILE` */
export const newEnrollment: AfterCreate = {
  async prepare(report, { outputJwt }) {
    if (typeof outputJwt !== 'string') return undefined;
    await refuseTakenFile(report.ports, outputJwt);
    return (api, id) => handOutJwt(report, api, { id, file: outputJwt });
  },
};

interface RefreshOptions {
  readonly expiresAt?: string;
  readonly outputJwt?: string;
}

/** `enrollment refresh NAME [--expires-at TIME] [--output-jwt FILE]` */
export const refreshEnrollment = onEntity(
  'enrollment',
  async ({ report, api, id, nameOrId, path }, { expiresAt, outputJwt }: RefreshOptions) => {
    const json = expiresAt === undefined ? {} : { expiresAt };
    await api.call({ method: 'POST', path: `${path}/refresh`, json });
    if (outputJwt !== undefined) await handOutJwt(report, api, { id, file: outputJwt });
    printResult(report, { id }, () => `Refreshed enrollment ${nameOrId}; the previous JWT no longer works.`);
  },
  async ({ ports }, { outputJwt }) => {
    if (outputJwt !== undefined) await refuseTakenFile(ports, outputJwt);
  },
);
