// Asks OCSP responders, each about one certificate at a time, and remembers what they said.

import type { Ca } from '../model/entities/ca.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import { MINUTE } from '../platform/clock.ts';
import type { AnswerPoster } from '../platform/network/outbound-client.ts';
import type { Random } from '../platform/random.ts';
import { recentMap } from '../platform/recent-map.ts';
import {
  AnswerRefused,
  longestAnswer,
  type OcspAnswer,
  ocspRequest,
  ocspTypes,
  readOcspAnswer,
} from '../platform/x509/ocsp.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import { answerStands } from '../sessions/revocation-view.ts';

export interface OcspOutcome {
  readonly answer: OcspAnswer | null;
  /** Why there is none. */
  readonly problem: string;
}

export interface OcspResponders {
  /** Never rejects. */
  ask(
    ca: Ca,
    of: { readonly certificate: PathCertificate; readonly issuer: PathCertificate },
  ): Promise<OcspOutcome>;
}

const mostRemembered = 20_000;
const mostUnderWay = 20;
/** Of the addresses that a certificate names. */
const mostAddresses = 2;
const afterFailure: Millis = MINUTE;

export function ocspResponders(needs: {
  readonly client: AnswerPoster;
  readonly clock: Clock;
  readonly random: Random;
}): OcspResponders {
  const { client, clock, random } = needs;
  const remembered = recentMap<string, OcspOutcome & { readonly until: Millis }>(mostRemembered);
  const underWay = new Map<string, Promise<OcspOutcome>>();

  async function askAll(addresses: readonly string[], of: Parameters<OcspResponders['ask']>[1]) {
    const problems: string[] = [];
    for (const url of addresses) {
      try {
        const question = { ...of, nonce: random.bytes(16) };
        const message = { contentType: ocspTypes.question, body: ocspRequest(question) };
        const wanted = { accept: ocspTypes.answer, maxBytes: longestAnswer, isSigned: true };
        const body = await client.postFor(url, message, wanted);
        return { answer: await readOcspAnswer(body, question, clock.now()), problem: '' };
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        problems.push(`${url}: ${error instanceof AnswerRefused ? `the answer ${said}` : said}`);
      }
    }
    return { answer: null, problem: problems.join('; ') };
  }

  return {
    async ask({ id, revocation: { ocsp } }, of) {
      const { certificate, issuer } = of;
      const addresses = ocsp === null ? certificate.extensions.ocspAddresses.slice(0, mostAddresses) : [ocsp];
      if (addresses.length === 0) return { answer: null, problem: 'no OCSP responder is named' };
      const key = [id, issuer.thumbprint, certificate.serialNumber, ...addresses].join(' ');
      const before = remembered.get(key);
      if (before !== undefined && clock.now() < before.until) return before;
      const asked = underWay.get(key);
      if (asked !== undefined) return asked;
      if (underWay.size >= mostUnderWay)
        return { answer: null, problem: 'too many responders are being asked' };
      const next = askAll(addresses, of)
        .then((outcome) => {
          const now = clock.now();
          const ends = outcome.answer?.nextUpdate ?? Number.POSITIVE_INFINITY;
          const stands = outcome.answer === null ? afterFailure : Math.min(answerStands, ends - now);
          remembered.set(key, { ...outcome, until: now + stands });
          return outcome;
        })
        .finally(() => underWay.delete(key));
      underWay.set(key, next);
      return next;
    },
  };
}
