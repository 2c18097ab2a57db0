// The texts of the screens for auth policies.

import { count, wordsOf } from '../../parts/language.ts';

export const words = wordsOf({
  text: [
    'The sign-in methods that are allowed, and the further factors that they need.',
    'Die erlaubten Anmeldemethoden und die weiteren Faktoren, die sie brauchen.',
  ],
  rules: ['Rules', 'Regeln'],
  inWords: ['In plain words', 'In einfachen Worten'],
  create: ['New auth policy', 'Neue Auth-Richtlinie'],
  nothing: ['No auth policy matches.', 'Keine Auth-Richtlinie passt dazu.'],
  none: ['No auth policy yet.', 'Noch keine Auth-Richtlinie.'],
  noneText: [
    'A policy says how the people who have it may sign in. Each person has one; “Default” is always there.',
    'Eine Richtlinie sagt, wie sich die Personen anmelden dürfen, die sie haben. Jede Person hat eine; „Default“ gibt es immer.',
  ],
  second: ['Second factor', 'Zweiter Faktor'],
  whoIsTouched: ['Who would be affected?', 'Wen würde es betreffen?'],
  touched: (number: number) => [
    number === 0
      ? 'No person has this policy.'
      : `${count(number, 'person has', 'people have')} this policy.`,
    number === 0
      ? 'Keine Person hat diese Richtlinie.'
      : `${count(number, 'Person hat', 'Personen haben')} diese Richtlinie.`,
  ],
  moves: (joins: number, leaves: number) => [
    `${count(joins, 'person would get', 'people would get')} it by this change, ${leaves === 0 ? 'none' : leaves} would lose it.`,
    `${count(joins, 'Person bekäme', 'Personen bekämen')} sie durch diese Änderung, ${leaves === 0 ? 'keine' : leaves} ${leaves > 1 ? 'verlören' : 'verlöre'} sie.`,
  ],
  asksMore: (number: number) => [
    number === 0
      ? 'No person would be asked for more than now.'
      : `${count(number, 'person', 'people')} would be asked for more than now.`,
    number === 0
      ? 'Keine Person müsste mehr nachweisen als jetzt.'
      : `${count(number, 'Person müsste', 'Personen müssten')} mehr nachweisen als jetzt.`,
  ],
  lockedOut: (number: number) => [
    number === 0
      ? 'No person would be locked out.'
      : `${count(number, 'person', 'people')} could no longer sign in:`,
    number === 0
      ? 'Keine Person würde ausgesperrt.'
      : `${count(number, 'Person könnte', 'Personen könnten')} sich nicht mehr anmelden:`,
  ],
  andMore: (number: number) => [`and ${number} more`, `und ${number} weitere`],
  objection: ['It is not possible:', 'Nicht möglich:'],
  saveTitle: ['Save this policy?', 'Diese Richtlinie speichern?'],
  saveText: [
    'It applies at once, to sessions that are open too.',
    'Sie gilt sofort, auch für offene Sitzungen.',
  ],
  deleteEnds: [
    'It cannot be deleted while people have it or a signer gives it to new identities: give them another policy, and take the role attributes off this one.',
    'Sie kann nicht gelöscht werden, solange Personen sie haben oder ein Signer sie neuen Identitäten gibt: Geben Sie ihnen zuerst eine andere Richtlinie und nehmen Sie dieser die Rollenattribute.',
  ],
});
