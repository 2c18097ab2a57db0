// A person has forgotten the password and asks for a mail. Whether the name exists must show neither in the answer nor
// in the time it takes: every request is counted and queued alike, and its name is looked up afterwards.

import { unknownNameMark } from '../login/password/password.ts';
import { countReset, countResetOf } from '../login/throttle.ts';
import type { Account } from '../model/account.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { DeliveryOutcome, Sender } from '../model/delivery.ts';
import type { StoredName } from '../model/ids.ts';
import type { LanguageTag } from '../model/languages.ts';
import type { AttemptLog } from '../model/login-attempt.ts';
import { type Mailing, mailServer } from '../model/mail.ts';
import { typedName, usernameKey } from '../model/names.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import type { DailySealer } from '../platform/secrets/sealed-box.ts';
import type { Store } from '../store/contracts/store.ts';
import { resettable } from './mailed-links.ts';

/** The subscriber of all requests. */
const lookUp = 'names';
/** An address that more identities with a password share than this names none of them. */
const mostOfAddress = 5;

/**
 * Takes the request. The work is the same for every name.
 * @throws AuthError rate_limited   this source has asked too often
 */
export async function askForReset(
  needs: { store: Pick<Store, 'attempts' | 'deliveries'>; clock: Clock; random: Random; resets: DailySealer },
  asked: { name: string; language: LanguageTag; issuer: string },
  { requestId, ipAddress }: RequestOrigin,
): Promise<void> {
  const { language, issuer } = asked;
  const name = typedName(asked.name);
  const isCounted = await countReset(needs, name.toLowerCase(), ipAddress);
  const now = needs.clock.now();
  const sealedName = needs.resets.seal(JSON.stringify(isCounted ? name : null), now);
  const payload = { sealedName, language, issuer, requestId, ipAddress };
  await needs.store.deliveries.add(
    { kind: 'reset', subscriber: lookUp, id: needs.random.id(), payload },
    now,
  );
}

interface ResetNeeds {
  readonly store: Pick<Store, 'identities' | 'authenticators' | 'attempts' | 'deliveries'>;
  readonly clock: Clock;
  readonly resets: DailySealer;
  readonly attempts: AttemptLog;
  readonly unknownNameKey: Buffer;
  readonly mailing: () => Mailing | null;
}

/** Looks up whom a request means, and queues the mails. */
export function resetSender(needs: ResetNeeds): Sender<'reset'> {
  return {
    atOnce: 8,
    order: 'least-tried',
    async send(_subscriber, { id, payload }): Promise<DeliveryOutcome> {
      const { sealedName, language, issuer, requestId, ipAddress } = payload;
      const opened = needs.resets.open(sealedName, needs.clock.now());
      const name = opened === undefined ? null : (JSON.parse(opened) as StoredName | null);
      // Counted out, or older than a day.
      if (name === null) return forgotten;
      const now = needs.clock.now();
      const accounts = await accountsOf(needs, name);
      const origin = { requestId, ipAddress, issuer };
      const step = { step: 'enroll', mechanism: 'enrollment', origin } as const;
      if (accounts.length === 0)
        await needs.attempts.decide(step, async (attempt) => {
          attempt.about({ subject: unknownNameMark(needs.unknownNameKey, usernameKey(name)) });
          attempt.passed('method', 'password reset by mail');
          attempt.failed('account', 'unknown-user');
          return { verdict: 'refused' };
        });
      for (const { identity } of accounts)
        await needs.attempts.decide(step, async (attempt) => {
          attempt.about({ identityId: identity.id, subject: identity.name });
          attempt.passed('method', 'password reset by mail');
          const found = await resettable({ ...needs, mailing: needs.mailing() }, identity.id);
          const objection =
            found === null
              ? 'method-not-allowed'
              : (found.objection ?? ((await countResetOf(needs, identity.id)) ? null : 'throttled'));
          if (found === null || found.email === null || objection !== null) {
            const saw = found === null ? 'no password' : undefined;
            attempt.failed('reset by mail', objection ?? 'reset-unverified', saw);
            return { verdict: 'refused' };
          }
          const matter = { kind: 'reset', askedAt: now } as const;
          const mail = { identityId: identity.id, to: found.email, language, issuer, matter };
          const ofMail = { kind: 'mail', subscriber: mailServer, id: `${id}.${identity.id}` } as const;
          await needs.store.deliveries.add({ ...ofMail, payload: mail }, now);
          attempt.passed('reset by mail', 'the mail is queued');
          return { verdict: 'passed' };
        });
      return forgotten;
    },
  };
}

/** The list of deliveries does not show who asked for which mail: the decision records do. */
const forgotten: DeliveryOutcome = { state: 'forgotten', result: '' };

/** By user name, and by verified address: the user name of one may be the address of another. */
async function accountsOf(
  { store }: Pick<ResetNeeds, 'store'>,
  name: StoredName,
): Promise<readonly Pick<Account, 'identity'>[]> {
  const key = usernameKey(name);
  const byName = key === undefined ? null : await store.authenticators.findPasswordLogin(key);
  const byAddress = name.includes('@')
    ? await store.identities.listAccountsByEmail(name, mostOfAddress + 1)
    : [];
  const all = [...(byName === null ? [] : [byName]), ...(byAddress.length > mostOfAddress ? [] : byAddress)];
  return [...new Map(all.map((account) => [account.identity.id, account])).values()];
}
