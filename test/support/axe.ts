// Runs axe-core in the pages of a real browser.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CDPSession, Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Up to WCAG 2.2 AA, and what axe calls best practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** One for each page: another session cannot find the world again, and loading axe costs more than running it. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * What axe finds wrong with a page as currently shown: one line for each element. It runs in a world of its own beside
 * the page's, so the page's content security policy stays as it is. The world exists until the document is left.
 */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  const opening = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, opening);
  const session = await opening;
  const { frameTree } = await session.send('Page.getFrameTree');
  const world = { frameId: frameTree.frame.id, worldName: 'axe' };
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', world);
  const { result: axe } = await session.send('Runtime.evaluate', { contextId, expression: 'typeof axe' });
  if (axe.value === 'undefined') await session.send('Runtime.evaluate', { contextId, expression: source });
  // What axe would load before are the style sheets for an experimental rule, and sounds and films, which no page has.
  const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], preload: false };
  const expression = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + ': ' + help + ': ' + target.join(' ') + ': ' + failureSummary)))`;
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId,
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined) throw new Error(`axe failed: ${JSON.stringify(exceptionDetails)}`);
  return result.value;
}
