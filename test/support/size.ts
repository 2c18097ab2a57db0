// Some tests show more the more they do. They do a little with every run of the tests, and all of it when asked for.

/** Whether `OVERLAY_AUTH_TEST_SIZE=full` asks for all of it. */
export const isFullSize = process.env.OVERLAY_AUTH_TEST_SIZE === 'full';

/** What the size of this run makes of a number, or of several. */
export function sized<T>(sizes: { readonly small: T; readonly full: T }): T {
  return isFullSize ? sizes.full : sizes.small;
}
