import { type Html, html } from './html.ts';
import type { View } from './layout.ts';

/** The other ways to complete this login. */
export interface SignInWays {
  readonly providers: readonly ProviderChoice[];
  /** Addresses of the other pages of this login; null if it cannot be done that way. */
  readonly password: string | null;
  readonly certificate: string | null;
  /** Address that leads back to the application without a sign-in; null if nothing waits there. */
  readonly cancel: string | null;
}

export interface ProviderChoice {
  readonly name: string;
  /** Address that leads to the provider. */
  readonly href: string;
}

/** A line between the first way and the others, then a button for each, and the way back. */
export function otherWays({ texts }: View, ways: SignInWays): Html {
  const { cancel } = ways;
  return html`${buttonsOf(texts, ways)}
${cancel !== null && html`<p class="elsewhere"><a id="cancel" href="${cancel}">${texts.signIn.cancel}</a></p>`}`;
}

function buttonsOf(texts: View['texts'], ways: SignInWays): Html {
  const buttons = [
    ...providerButtons(texts, ways.providers),
    ...(ways.password === null ? [] : [choice('use-password', ways.password, texts.signIn.withPassword)]),
    ...(ways.certificate === null
      ? []
      : [choice('use-certificate', ways.certificate, texts.signIn.withCertificate)]),
  ];
  if (buttons.length === 0) return html``;
  return html`<p class="or"><span>${texts.or}</span></p>
<ul class="ways">${buttons.map((button) => html`<li>${button}</li>`)}</ul>`;
}

/** One button for each provider, in the given order. */
export function providerButtons(texts: View['texts'], providers: readonly ProviderChoice[]): readonly Html[] {
  return providers.map(({ name, href }) => choice(null, href, texts.signIn.withProvider(name)));
}

/** Links, not forms: they end at another origin, which a form's policy would have to name. */
function choice(id: string | null, href: string, label: string): Html {
  return html`<a${id !== null && html` id="${id}"`} class="button second" href="${href}">${label}</a>`;
}

/**
 * Where a login leads: the account page or the console, which are parts of this service, an application, or another
 * device of an application without a name: client ids are not for people.
 */
export type Application = 'account' | 'console' | 'another-device' | NamedApplication;

export interface NamedApplication {
  readonly name: string;
  /** The host of its address; null if the name says it, or it has none. */
  readonly host: string | null | 'this-device' | 'another-device';
}

/** The application that this login leads to; null for one on the visitor's own device without a name. */
export function destination({ texts }: View, application: Application | null): Html | string {
  const { to, toHere, toDevice, toThisDevice, toAnotherDevice, toOwn } = texts.signIn;
  if (application === null) return toThisDevice;
  if (application === 'another-device') return toAnotherDevice;
  if (typeof application === 'string') return toOwn[application];
  const name = html`<strong>${application.name}</strong>`;
  if (application.host === 'this-device') return toHere(name);
  if (application.host === 'another-device') return toDevice(name);
  return to(application.host === null ? name : html`${name} (${application.host})`);
}
