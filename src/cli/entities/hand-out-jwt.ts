import type { ApiClient } from '../api-client.ts';
import { CliError } from '../cli-error.ts';
import { asObject, textField } from '../json-shape.ts';
import { notice, type Report } from '../output.ts';
import { writeOwnerFile } from '../owner-file.ts';
import { withoutMilliseconds } from '../table.ts';

/** Writes the JWT of an enrollment to a file, and says what to do with it. */
export async function handOutJwt(report: Report, api: ApiClient, id: string, file: string): Promise<void> {
  const { data } = await api.call({ method: 'GET', path: `/enrollments/${encodeURIComponent(id)}` });
  const jwt = textField(asObject(data), 'jwt');
  if (jwt === undefined) throw new CliError('The server did not show the JWT of the enrollment.');
  await writeOwnerFile(report.ports, file, jwt);
  const expiresAt = withoutMilliseconds(textField(asObject(data), 'expiresAt') ?? '');
  notice(report, `Wrote ${file}: good once, until ${expiresAt}. On the device: overlay-auth enroll ${file}`);
}
