// Some tests show more the more they do. They do a little in every run, and everything on request.

/** Whether `OVERLAY_AUTH_TEST_SIZE=full` requests everything. */
export const isFullSize = process.env.OVERLAY_AUTH_TEST_SIZE === 'full';

/** Chooses a number, or several, by the size of this run. */
export function sized<T>(sizes: { readonly small: T; readonly full: T }): T {
  return isFullSize ? sizes.full : sizes.small;
}
