/**
 * Where a person continues after signing in: an address within the console, and its start page for everything else. The
 * stored address is not trusted, because it decides where the browser goes.
 */
export function continueAddress(stored: unknown): string {
  if (typeof stored !== 'string') return '/console';
  let url: URL;
  try {
    url = new URL(stored, 'https://console.invalid');
  } catch {
    return '/console';
  }
  const isOurs = url.origin === 'https://console.invalid' && /^\/console(?:\/|$)/.test(url.pathname);
  const leadsBack = /^\/console\/(?:callback|signed-out)(?:\/|$)/.test(url.pathname);
  return isOurs && !leadsBack ? `${url.pathname}${url.search}${url.hash}` : '/console';
}
