import { type UserName, userName } from '../../src/model/names.ts';

/** A user name as it is stored, with the key by which its login is found. */
export function userNamed(text: string): UserName {
  const name = userName(text);
  if (name === undefined) throw new Error(`${JSON.stringify(text)} cannot be a user name`);
  return name;
}
