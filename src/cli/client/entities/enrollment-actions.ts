import { textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Texts } from '../../terminal/command.ts';
import { CliError, notice, printResult, type Report } from '../../terminal/output.ts';
import { writeOwnerFile } from '../../terminal/owner-file.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';
import type { AfterCreate } from './descriptor.ts';
import { onEntity } from './on-entity.ts';

/** `create enrollment METHOD IDENTITY --output-jwt FILE` */
export const newEnrollment: AfterCreate = {
  async prepare(report, { outputJwt }) {
    if (typeof outputJwt !== 'string') return undefined;
    return (api, create) => handOutJwt(report, api, { file: outputJwt, make: create });
  },
};

type RefreshOptions = Texts<'expiresAt' | 'outputJwt'>;

/** `enrollment refresh NAME [--expires-at TIME] [--output-jwt FILE]` */
export const refreshEnrollment = onEntity(
  'enrollment',
  async ({ report, api, id, nameOrId, path }, { expiresAt, outputJwt }: RefreshOptions) => {
    const make = async () => {
      const json = expiresAt === undefined ? {} : { expiresAt };
      await api.call({ method: 'POST', path: `${path}/refresh`, json });
      return id;
    };
    await (outputJwt === undefined ? make() : handOutJwt(report, api, { file: outputJwt, make }));
    printResult(report, { id }, () => `Refreshed enrollment ${nameOrId}; the previous JWT no longer works.`);
  },
);

/**
 * Writes the JWT of an enrollment to a file, and says what to do with it.
 * @param make makes or renews the enrollment and returns its id, once it is known that the file can be written
 */
export async function handOutJwt(
  report: Report,
  api: ApiClient,
  { file, make }: { file: string; make: () => Promise<string> },
): Promise<void> {
  const made = { id: '', expiresAt: '' };
  const jwt = async () => {
    made.id = await make();
    const path = `/enrollments/${encodeURIComponent(made.id)}`;
    const { document } = await api.call({ method: 'GET', path });
    made.expiresAt = textField(document, 'expiresAt') ?? '';
    return textField(document, 'jwt') ?? '';
  };
  await writeOwnerFile(report.ports, file, jwt).catch((error: unknown) => {
    if (!(error instanceof CliError) || made.id === '') throw error;
    throw error.inOtherWords(error.message, `overlay-auth enrollment refresh ${made.id} -o FILE`);
  });
  const expiresAt = withoutMilliseconds(made.expiresAt);
  notice(
    report,
    `Wrote ${file}: works once, until ${expiresAt}. On the device: overlay-auth enroll ${shellWord(file)}`,
  );
}
