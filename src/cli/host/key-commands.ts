import type { OpenFoundations } from '../../controller/foundations.ts';
import { algorithmsInUse, type SigningKey } from '../../model/signing-key.ts';
import { type DescribedKey, describedKeys } from '../../tokens/described-keys.ts';
import { longestSignedLifetime, openKeyRing, publishAhead, rotateSigningKey } from '../../tokens/key-ring.ts';
import { CliError, printResult, type Report } from '../terminal/output.ts';
import { printTable, withoutMilliseconds } from '../terminal/table.ts';
import type { ConfigOptions } from './load-config.ts';
import { withHost } from './open-host.ts';

/** `keys list` */
export async function listKeys(report: Report, options: ConfigOptions): Promise<void> {
  const keys = await withHost(report, options, ({ foundations }) => listedKeys(foundations));
  printTable(report, keys, {
    value: keys,
    // In 80 characters the end fits beside the long id, the algorithm does not.
    columns: [
      'kid',
      'use',
      ['signs until', 'signsUntil'],
      ['signs from', 'signsFrom'],
      'alg',
      ['removed', 'removedAt'],
    ],
  });
}

/** Every signing key that is not removed yet. */
export async function listedKeys({ store, clock }: OpenFoundations): Promise<readonly DescribedKey[]> {
  const now = clock.now();
  return describedKeys(await store.keys.listSigningKeys(now), now);
}

/** `keys rotate`: one new key for each algorithm in use. */
export async function rotateKeys(
  report: Report,
  options: ConfigOptions & { readonly now?: boolean },
): Promise<void> {
  const made = await withHost(report, options, async ({ foundations, audit }) => {
    const { config, store, vault, clock } = foundations;
    const { oidc } = config.edge;
    const needs = { keys: store.keys, vault, clock };
    const ring = await openKeyRing(needs);
    const now = clock.now();
    const activeFrom = options.now ? now : now + publishAhead;
    const tokenLifetime = longestSignedLifetime(oidc);
    const keys: SigningKey[] = [];
    for (const alg of algorithmsInUse(oidc.idTokenSigningAlg)) {
      const key = await rotateSigningKey({ ...needs, ring }, alg, { activeFrom, tokenLifetime });
      if (key === null)
        throw new CliError('Another rotation came first; nothing more was changed.', {
          code: 'conflict',
          next: 'overlay-auth keys list',
        });
      audit.record({ event: 'key.rotated', kid: key.kid, alg: key.alg }, null);
      keys.push(key);
    }
    return describedKeys(keys, now);
  });
  printResult(report, made, () =>
    made
      .map(({ kid, alg, use, signsFrom }) =>
        use === 'signing'
          ? `${alg} ${kid} signs from now on.`
          : `${alg} ${kid} is published and signs from ${withoutMilliseconds(signsFrom)}.`,
      )
      .join('\n'),
  );
}
