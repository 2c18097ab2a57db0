// Words of the console and the account page; those of the other pages too are in src/pages/texts/common.ts.

import { common } from '../../src/pages/texts/common.ts';

/** A number and its noun. */
export const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

export const english = {
  ...common.en,
  loading: 'One moment …',
  retry: 'Try again',
  reference: 'Reference',
  name: 'Name',
  administrator: 'Administrator',
  newPassword: 'New password',
  app: 'Authenticator app',
  passkeys: 'Passkeys',
  certificates: 'Certificates',
  refused: 'Refused',
  unknownProgram: 'A program that does not say its name',
  /** Such as `Firefox on Linux`. */
  programOn: (program: string, system: string) => `${program} on ${system}`,
};

export const german: typeof english = {
  ...common.de,
  loading: 'Einen Moment …',
  retry: 'Noch einmal versuchen',
  reference: 'Kennung',
  name: 'Name',
  administrator: 'Administrator',
  newPassword: 'Neues Passwort',
  app: 'Authenticator-App',
  passkeys: 'Passkeys',
  certificates: 'Zertifikate',
  refused: 'Abgelehnt',
  unknownProgram: 'Ein Programm, das seinen Namen nicht nennt',
  programOn: (program, system) => `${program} unter ${system}`,
};
