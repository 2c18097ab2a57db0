import { Screen } from '../parts/screen.tsx';
import { Form } from './form.tsx';
import { texts } from './texts.ts';

/** The server reads it and chooses the language of every page (src/http/pages/views.ts). */
const cookie = '__Host-overlay-auth-chosen-language';
const yearSeconds = 365 * 24 * 3600;
const chosen = new RegExp(`(?:^|;\\s*)${cookie}=(en|de)(?:;|$)`).exec(document.cookie)?.[1] ?? 'browser';

/** The language of all pages in this browser. */
export function LanguagePart() {
  const change = async (values: FormData) => {
    const language = String(values.get('language'));
    const lifetime = language === 'browser' ? 0 : yearSeconds;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
    document.cookie = `${cookie}=${language}; Path=/; Secure; SameSite=Lax; Max-Age=${lifetime}`;
    // Chromium stores it beside what follows: unless it was read, the reload might go without it.
    void document.cookie;
    location.reload();
  };
  return (
    <Screen title={texts.language} lead={texts.languageText}>
      <Form id="change-language" submit={texts.changeLanguage} action={change}>
        <div className="field">
          <label htmlFor="language">{texts.language}</label>
          <select id="language" name="language" defaultValue={chosen}>
            {Object.entries(texts.languages).map(([value, label]) => (
              <option key={value} value={value} lang={value === 'browser' ? undefined : value}>
                {label}
              </option>
            ))}
          </select>
        </div>
      </Form>
    </Screen>
  );
}
