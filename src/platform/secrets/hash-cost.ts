// The cost of a password hash, in a file of its own so that reading a configuration does not load the native code.

/** Of argon2id. */
export interface HashCost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

/**
 * 46 MiB, two passes: about 21 ms of one core. The minimum that OWASP advises (19 MiB, two passes) takes 10.
 * @see RFC 9106 section 4
 */
export const defaultHashCost: HashCost = { memoryKiB: 46 * 1024, passes: 2, lanes: 1 };

/** No setting may go below this. @see OWASP Password Storage Cheat Sheet, Argon2id */
export const leastHashCost: HashCost = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 };

/** Far above any cost in use. A stored hash that asks for more is damaged or planted. */
export const largestHashCost: HashCost = { memoryKiB: 1024 * 1024, passes: 32, lanes: 16 };
