// axe-core in the pages of a real browser.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Up to WCAG 2.2 AA, and what axe calls best practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe finds wrong with a page as it is shown now: one line for each element. It runs in a world of its own beside the
 * page's, so the content security policy of the page stays as it is.
 */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
    const contextId = world.executionContextId;
    await session.send('Runtime.evaluate', { contextId, expression: source });
    const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] };
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
  } finally {
    await session.detach();
  }
}
