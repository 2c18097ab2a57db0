/**
 * Keeps the place of keyboards and screen readers where what has the focus goes away, such as a form that led to the next
 * one, or a button: its surroundings get the focus. Otherwise they would begin at the top of the page again.
 */
export function keepFocus(): void {
  let path: readonly HTMLElement[] = [];
  document.addEventListener('focusin', (event) => {
    path = event.composedPath().filter((at) => at instanceof HTMLElement);
  });
  const keep = () => {
    if (document.activeElement !== document.body || path[0]?.isConnected !== false) return;
    // A dialog stands beside the page.
    const around = path.find((one) => one.isConnected && !one.contains(document.body));
    const next = around ?? document.querySelector<HTMLElement>('main h1');
    if (next === null) return;
    if (next.tabIndex < 0) next.tabIndex = -1;
    next.focus({ preventScroll: true });
  };
  // Dialogs first give the focus back by themselves.
  new MutationObserver(() => setTimeout(keep)).observe(document.body, { childList: true, subtree: true });
}
