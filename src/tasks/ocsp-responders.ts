// Asks OCSP responders, each about one certificate at a time, and remembers their answers.

import type { Ca } from '../model/entities/ca.ts';
import { recentMap } from '../platform/caches.ts';
import { type Clock, MINUTE, type Millis } from '../platform/clock.ts';
import { fairTurns, usualTurns } from '../platform/fair-turns.ts';
import type { AnswerPoster } from '../platform/network/outbound-client.ts';
import type { Random } from '../platform/random.ts';
import {
  AnswerRefused,
  longestAnswer,
  ocspRequest,
  ocspTypes,
  readOcspAnswer,
} from '../platform/x509/ocsp.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import type { StandingAnswer } from '../sessions/revocation-view.ts';

export interface OcspOutcome {
  readonly answer: StandingAnswer | null;
  /** Why there is none. */
  readonly problem: string;
}

export type OcspResponders = ReturnType<typeof ocspResponders>;

/** From this age on, a responder is asked again. */
const answerStands: Millis = 5 * MINUTE;
const mostRemembered = 20_000;
/**
 * Of one authority, whose responder may be slow, so that no other has to wait for it. A login gives up earlier, and the
 * answer is there for the next one.
 */
const turnsOfQuestions = { ...usualTurns, atOnce: 40, ofOne: 20, waiting: 2000, waitingOfOne: 500 };
/** Of the addresses that a certificate names. */
const mostAddresses = 2;
const afterFailure: Millis = MINUTE;

export function ocspResponders(needs: { client: AnswerPoster; clock: Clock; random: Random }) {
  const { client, clock, random } = needs;
  const remembered = recentMap<string, OcspOutcome & { readonly until: Millis }>(mostRemembered);
  const turns = fairTurns(turnsOfQuestions);
  const underWay = new Map<string, Promise<OcspOutcome>>();

  async function askAll(
    addresses: readonly string[],
    of: Parameters<OcspResponders['ask']>[1],
    known: StandingAnswer | null,
  ): Promise<OcspOutcome> {
    const problems: string[] = [];
    for (const url of addresses) {
      try {
        const question = { ...of, nonce: random.bytes(16) };
        const message = { contentType: ocspTypes.question, body: ocspRequest(question) };
        const wanted = { accept: ocspTypes.answer, maxBytes: longestAnswer, isSigned: true };
        const body = await client.postFor(url, message, wanted);
        const answer = await readOcspAnswer(body, question, clock.now());
        // An answer without a nonce may be a recorded one, sent again while it counts (RFC 6960 section 5).
        if (known?.revoked && answer.thisUpdate < known.thisUpdate)
          throw new AnswerRefused('is older than the one that revoked the certificate');
        const ends = answer.nextUpdate ?? Number.POSITIVE_INFINITY;
        return { answer: { ...answer, until: Math.min(clock.now() + answerStands, ends) }, problem: '' };
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        problems.push(`${url}: ${error instanceof AnswerRefused ? `the answer ${said}` : said}`);
      }
    }
    return { answer: null, problem: problems.join('; ') };
  }

  /** An attacker who blocks a responder must not make a revoked certificate valid again. */
  function failed(problem: string, before: OcspOutcome | undefined): OcspOutcome {
    const known = before?.answer ?? null;
    if (known === null || known.revoked === null) return { answer: null, problem };
    return { answer: { ...known, until: clock.now() + afterFailure }, problem: '' };
  }

  return {
    /** Never rejects. */
    async ask(
      { id, revocation: { ocsp } }: Ca,
      of: { certificate: PathCertificate; issuer: PathCertificate },
    ): Promise<OcspOutcome> {
      const { certificate, issuer } = of;
      const addresses = ocsp === null ? certificate.extensions.ocspAddresses.slice(0, mostAddresses) : [ocsp];
      if (addresses.length === 0) return { answer: null, problem: 'no OCSP responder is named' };
      const key = [id, issuer.thumbprint, certificate.serialNumber, ...addresses].join(' ');
      const before = remembered.get(key);
      if (before !== undefined && clock.now() < before.until) return before;
      const asked = underWay.get(key);
      if (asked !== undefined) return asked;
      const inTurn = async (end: () => void) => {
        const given = await askAll(addresses, of, before?.answer ?? null).finally(end);
        const outcome = given.answer === null ? failed(given.problem, before) : given;
        remembered.set(key, { ...outcome, until: outcome.answer?.until ?? clock.now() + afterFailure });
        return outcome;
      };
      const next = turns
        .take(id)
        .then(inTurn, () => failed('too many certificates are being asked about', before))
        .finally(() => underWay.delete(key));
      underWay.set(key, next);
      return next;
    },
  };
}
