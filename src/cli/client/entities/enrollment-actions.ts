import { textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Texts } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report } from '../../terminal/output.ts';
import { refuseTakenFile, writeOwnerFile } from '../../terminal/owner-file.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';
import type { AfterCreate } from './descriptor.ts';
import { onEntity } from './on-entity.ts';

/** `create enrollment METHOD IDENTITY --output-jwt FILE` */
export const newEnrollment: AfterCreate = {
  async prepare(report, { outputJwt }) {
    if (typeof outputJwt !== 'string') return undefined;
    await refuseTakenFile(report.ports, outputJwt);
    return (api, id) => handOutJwt(report, api, { id, file: outputJwt });
  },
};

type RefreshOptions = Texts<'expiresAt' | 'outputJwt'>;

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

/** Writes the JWT of an enrollment to a file, and says what to do with it. */
export async function handOutJwt(
  report: Report,
  api: ApiClient,
  { id, file }: { id: string; file: string },
): Promise<void> {
  const { document } = await api.call({ method: 'GET', path: `/enrollments/${encodeURIComponent(id)}` });
  const jwt = textField(document, 'jwt');
  if (jwt === undefined) throw new CliError('The server did not show the JWT of the enrollment.');
  await writeOwnerFile(report.ports, file, async () => jwt);
  const expiresAt = withoutMilliseconds(textField(document, 'expiresAt') ?? '');
  notice(
    report,
    `Wrote ${file}: works once, until ${expiresAt}. On the device: overlay-auth enroll ${shellWord(file)}`,
  );
}
