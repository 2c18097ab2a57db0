import { asObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { notice, type Report } from '../../terminal/output.ts';
import { writeOwnerFile } from '../../terminal/owner-file.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';

/** Writes the JWT of an enrollment to a file, and says what to do with it. */
export async function handOutJwt(
  report: Report,
  api: ApiClient,
  { id, file }: { readonly id: string; readonly file: string },
): Promise<void> {
  const { data } = await api.call({ method: 'GET', path: `/enrollments/${encodeURIComponent(id)}` });
  const jwt = textField(asObject(data), 'jwt');
  if (jwt === undefined) throw new CliError('The server did not show the JWT of the enrollment.');
  await writeOwnerFile(report.ports, file, async () => jwt);
  const expiresAt = withoutMilliseconds(textField(asObject(data), 'expiresAt') ?? '');
  notice(
    report,
    `Wrote ${file}: works once, until ${expiresAt}. On the device: overlay-auth enroll ${shellWord(file)}`,
  );
}
