import assert from 'node:assert/strict';
import { systemClock } from '../../src/platform/clock.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { describeRefusal, type PathRefusal } from '../../src/platform/x509/path-refusal.ts';
import { type PathVerdict, validateClientPath } from '../../src/platform/x509/path-validation.ts';
import type { Made } from '../support/chains.ts';
import { type PresentedChain, tlsVerdict } from '../support/tls-judge.ts';

interface DerChain {
  readonly leaf: Pick<Made, 'der'>;
  readonly sent: readonly Pick<Made, 'der'>[];
  readonly anchors: readonly Pick<Made, 'der'>[];
}

export function validate(chain: DerChain, allowExpired = false): PathVerdict {
  return validateClientPath({
    leaf: chain.leaf.der,
    intermediates: chain.sent.map(({ der }) => der),
    anchors: chain.anchors.map(({ der }) => readPathCertificate(der)),
    barred: [],
    now: systemClock.now(),
    allowExpired,
  });
}

/**
 * Our verdict is the expected one, and so is that of a TLS handshake.
 * @param openssl the verdict of the handshake where it differs; the test says why
 */
export async function bothSay(
  expected: 'trusted' | PathRefusal['reason'],
  chain: PresentedChain,
  openssl: 'trusted' | 'refused' = expected === 'trusted' ? 'trusted' : 'refused',
): Promise<PathRefusal | undefined> {
  const verdict = validate(chain);
  const refusal = verdict.verdict === 'refused' ? verdict.refusal : undefined;
  assert.equal(refusal?.reason ?? 'trusted', expected, refusal ? describeRefusal(refusal) : 'no refusal');
  const judged = await tlsVerdict(chain);
  assert.equal(judged === 'trusted' ? 'trusted' : 'refused', openssl, `OpenSSL says ${judged}`);
  return refusal;
}

/** A leaf directly below an anchor, or with certificates between them. */
export function chainOf(leaf: Made, ...rest: readonly Made[]): PresentedChain {
  return { leaf, sent: rest.slice(0, -1), anchors: rest.slice(-1) };
}

/** Without a handshake, for what no TLS client would send. */
export function refusalOf(chain: DerChain): PathRefusal | undefined {
  const verdict = validate(chain);
  return verdict.verdict === 'refused' ? verdict.refusal : undefined;
}
