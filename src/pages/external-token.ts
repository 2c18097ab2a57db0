import { type Html, html } from './html.ts';
import { layout } from './layout.ts';

/** Says that a token of another provider is still needed, which a form cannot send. */
export function externalTokenPage(page: {
  /** Issuers of the tokens that are asked for; may be unknown. */
  readonly issuers: readonly string[];
  /** Address of the first step of this login. */
  readonly startOver: string;
  readonly referenceId: string;
}): Html {
  return layout({
    title: 'One more proof is needed - Sign in',
    heading: 'One more proof is needed',
    content: html`<p>Your account also has to show a token of ${page.issuers.length === 0 ? 'another provider' : page.issuers.join(', ')}, and a browser cannot send it from this page.</p>
<p>Sign in with the application or command that has such a token. If you did not expect this, give this reference to an administrator: <code>${page.referenceId}</code></p>
<p><a href="${page.startOver}">Sign in as someone else</a></p>`,
  });
}
