import type { Millis } from '../platform/clock.ts';
import type { Tags } from './identity.ts';
import type { ConfigTypeId } from './ids.ts';

/** A kind of configuration that clients may ask for at login. Other parts of the overlay define its contents. */
export interface ConfigType {
  readonly id: ConfigTypeId;
  /** Unique. */
  readonly name: string;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
