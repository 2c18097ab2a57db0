import { type Html, html } from './html.ts';
import { type Failure, failureSummary, layout, referenceLine, type View } from './layout.ts';
import { type LoginInProgress, startOverLink } from './login-forms.ts';
import {
  type Application,
  destination,
  otherWays,
  providerButtons,
  type SignInWays,
} from './sign-in-ways.ts';

/** Why a person came back from a provider without having signed in. */
export interface ProviderFailure extends Failure {
  readonly reason: 'refused' | 'cancelled' | 'unreachable';
  /** The provider. */
  readonly name: string;
}

/** Signs in at another provider, with one button for each. Works without scripts. */
export function providerLoginPage(
  view: View,
  page: { application: Application | null; ways: SignInWays; failure: ProviderFailure | null },
): Html {
  const { signIn, errorTitle } = view.texts;
  const { failure, ways } = page;
  const buttons = providerButtons(view.texts, ways.providers);
  return layout(view, {
    title: failure === null ? signIn.title : `${errorTitle(signIn.failedTitle)} - ${signIn.title}`,
    heading: signIn.title,
    lead: destination(view, page.application),
    hasHelp: true,
    content: html`${failure !== null && providerRefusal(view, failure)}
${
  buttons.length === 0
    ? html`<p>${signIn.noProvider}</p>`
    : html`<ul class="ways">${buttons.map((button) => html`<li>${button}</li>`)}</ul>`
}
${otherWays(view, { ...ways, providers: [] })}`,
  });
}

interface SecondProviderPage {
  /** The provider that must confirm the account; null if a browser cannot go there. */
  readonly provider: { readonly name: string; readonly href: string } | null;
  /** Issuer of the required token; null when it is unknown. */
  readonly issuer: string | null;
  readonly failure: ProviderFailure | null;
}

/** A token of another provider is still needed: a button that gets it, or who else can. */
export function secondProviderPage(view: View, login: LoginInProgress, page: SecondProviderPage): Html {
  const { secondProvider, signIn, errorTitle } = view.texts;
  const { provider, failure } = page;
  const title = `${secondProvider.heading} - ${signIn.title}`;
  return layout(view, {
    title: failure === null ? title : errorTitle(title),
    heading: secondProvider.heading,
    hasHelp: true,
    content: html`${failure !== null && providerRefusal(view, failure)}
${
  provider === null
    ? html`<p>${secondProvider.byProgram(page.issuer ?? secondProvider.unknown)} ${secondProvider.useProgram}</p>
${referenceLine(view, login.referenceId)}`
    : html`<p>${secondProvider.lead(provider.name)}</p>
<p class="reference">${page.issuer}</p>
<p><a id="second-provider" class="button" href="${provider.href}">${signIn.withProvider(provider.name)}</a></p>`
}
${startOverLink(view, login)}`,
  });
}

interface ProviderReturnPage {
  readonly application: Application | null;
  /** Where the application receives the result. */
  readonly address: string;
  /** Path that the form posts to. */
  readonly action: string;
  /** For the form. */
  readonly returned: Readonly<Record<string, string | null>>;
}

/** Names the application that began a sign-in at a provider, and asks whether to continue. Works without scripts. */
export function providerReturnPage(view: View, page: ProviderReturnPage): Html {
  const { providerReturn } = view.texts;
  const { heading } = providerReturn;
  const fields = Object.entries(page.returned).map(
    ([name, value]) => value !== null && html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return layout(view, {
    title: heading,
    heading,
    lead: destination(view, page.application),
    content: html`<dl><dt>${providerReturn.address}</dt><dd>${page.address}</dd></dl>
<p>${providerReturn.warning}</p>
<form method="post" action="${page.action}">
${fields}
<button id="continue" type="submit">${providerReturn.submit}</button>
</form>`,
  });
}

function providerRefusal(view: View, failure: ProviderFailure): Html {
  const { provider } = view.texts;
  return failureSummary(view, failure, {
    what: provider[failure.reason](failure.name),
    next: provider.tryAgain,
  });
}
