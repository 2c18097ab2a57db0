import type { DeviceLogin } from '../../model/device-login.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewDeviceLogin = Omit<DeviceLogin, 'state' | 'sealedCode'> & {
  /** HMAC of the user code, base64url; unique among the stored ones. */
  readonly userCodeHash: string;
};

export interface DeviceLoginStore {
  /**
   * Stores a login that waits for a person.
   * @param most how many unexpired ones may exist, since strangers begin them
   * @returns `full` when that many exist, `taken` when the user code is in use; nothing is stored then
   */
  begin(login: NewDeviceLogin, most: number): Promise<'begun' | 'full' | 'taken'>;
  find(id: string): Promise<DeviceLogin | null>;
  /** The unexpired login of a user code that still waits. */
  findWaiting(
    by: { readonly userCodeHash: string } | { readonly codeChallenge: string },
    now: Millis,
  ): Promise<DeviceLogin | null>;
  /**
   * Ends the waiting, once: exactly one of any number of concurrent calls gets true.
   * @param sealedCode the code of the finished login; null when the person refused
   * @returns false when it no longer waits
   */
  settle(id: string, sealedCode: string | null, now: Millis): Promise<boolean>;
}
