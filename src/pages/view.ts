// What a page needs besides its content: the words of the visitor's language, and how the operator's pages look.

import type { Texts } from './texts/en.ts';
import type { Language } from './texts/languages.ts';

export interface Look {
  /** Whose pages these are. */
  readonly name: string;
  /** Path of the operator's logo; null: the name stands alone. */
  readonly logoPath: string | null;
  /** The same for the dark theme; null: there is one for both. */
  readonly logoDarkPath: string | null;
  /** Path of the picture that browsers show beside the title. */
  readonly iconPath: string;
  readonly stylesheetPath: string;
  /** Colours and what every page has, for what has further styles of its own. */
  readonly baseStylesPath: string;
  readonly scriptPath: string;
}

export interface View {
  readonly look: Look;
  readonly language: Language;
  readonly texts: Texts;
}
