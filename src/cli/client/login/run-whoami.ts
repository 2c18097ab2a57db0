import { asObject, textField } from '../../../platform/formats/json-shape.ts';
import { printResult } from '../../terminal/output.ts';
import { renderFields, withoutMilliseconds } from '../../terminal/table.ts';
import { onServer } from '../connection/api-client.ts';

/** `whoami`: who the server says you are, and how long your token lasts. */
export const runWhoami = onServer(async ({ report, api }) => {
  const call = { api: 'client', method: 'GET', path: '/current-identity' } as const;
  const { document: identity, headers } = await api.call(call);
  const { url, amr } = api.login;
  const expiresAt = headers['expires-at'] ?? null;
  const secondsLeft = Number(headers['expiration-seconds']);
  const expirationSeconds = Number.isFinite(secondsLeft) ? secondsLeft : null;
  printResult(report, { ...identity, server: url, amr, expiresAt, expirationSeconds }, () =>
    renderFields([
      ['name', identity.name],
      ['id', identity.id],
      ['type', identity.typeId],
      ['administrator', identity.isAdmin],
      ['permissions', identity.permissions],
      ['auth policy', textField(asObject(identity.authPolicy), 'name') ?? identity.authPolicyId],
      ['server', url],
      ['factors', amr],
      [
        'token until',
        expirationSeconds === null
          ? expiresAt
          : `${withoutMilliseconds(String(expiresAt))} (${remaining(expirationSeconds)} left, renewed automatically)`,
      ],
    ]),
  );
});

function remaining(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
