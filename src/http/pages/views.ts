// The view for a visitor: the language they want, and the look of this server.

import type { Look, View } from '../../pages/layout.ts';
import { acceptedLanguages, languageFor } from '../../pages/texts/languages.ts';
import type { RequestContext } from '../request/request-context.ts';

/** The parts of a request that a view depends on. A request that failed early has no more than this. */
export type Visitor = Pick<RequestContext, 'queryText' | 'headers'> & {
  readonly sender: Pick<RequestContext['sender'], 'cookie'> | null;
};

export type Views = (visitor: Visitor) => View;

const cookieName = '__Host-overlay-auth-language';
/** The language that the person chose for this browser on the account page (web/account/language.tsx). */
const chosenCookieName = '__Host-overlay-auth-chosen-language';
const languageLifetimeSeconds = 1800;
const longestTags = 100;

/**
 * The language that the application asked for (`ui_locales`, OIDC Core 3.1.2.1) takes precedence over the person's and
 * the browser's, on this page and, through a cookie, on the following ones.
 */
export function viewsOf(look: Look): Views {
  return (visitor) => {
    const wanted = uiLocales(visitor) ?? rememberedLanguages(visitor);
    const accepted = acceptedLanguages(visitor.headers['accept-language']);
    const chosen = languageInCookie(visitor, chosenCookieName);
    const language = languageFor([...wanted, ...chosen, ...accepted]);
    return { look, language, texts: language.texts };
  };
}

/**
 * The cookies with which an authorization request sets the language of the following pages, or clears it.
 * @param asksFor its `ui_locales`, or null
 */
export function languageCookies(visitor: Visitor, asksFor: string | null): readonly string[] {
  const asked = tagsIn(asksFor);
  const rules = 'Path=/; Secure; HttpOnly; SameSite=Lax';
  if (asked !== null)
    return [`${cookieName}=${languageFor(asked).tag}; ${rules}; Max-Age=${languageLifetimeSeconds}`];
  return rememberedLanguages(visitor).length > 0 ? [`${cookieName}=; ${rules}; Max-Age=0`] : [];
}

function uiLocales({ queryText }: Visitor): readonly string[] | null {
  if (!queryText.includes('ui_locales=')) return null;
  return tagsIn(new URLSearchParams(queryText).get('ui_locales'));
}

/** The language tags of a `ui_locales` parameter; null when it has none. */
function tagsIn(value: string | null): readonly string[] | null {
  if (value === null || value.length > longestTags) return null;
  const tags = value.split(' ').filter((tag) => /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(tag));
  return tags.length === 0 ? null : tags;
}

function rememberedLanguages(visitor: Visitor): readonly string[] {
  return languageInCookie(visitor, cookieName);
}

function languageInCookie({ sender }: Visitor, name: string): readonly string[] {
  const value = sender?.cookie(name) ?? '';
  return /^[a-z]{2,8}$/.test(value) ? [value] : [];
}
