// What a page needs besides its content: the texts in the visitor's language, and the look of the operator's pages.

import type { Branding } from '../model/branding.ts';
import type { Texts } from './texts/en.ts';
import type { Language } from './texts/languages.ts';

export interface Look {
  /** The operator's name. */
  readonly name: string;
  /** Path of the operator's logo; null: only the name is shown. */
  readonly logoPath: string | null;
  /** The same for the dark theme; null: one logo for both. */
  readonly logoDarkPath: string | null;
  /** Path of the icon that browsers show beside the title. */
  readonly iconPath: string;
  readonly stylesheetPath: string;
  /** Colours and the styles of every page, for pages with styles of their own. */
  readonly baseStylesPath: string;
  readonly scriptPath: string;
  readonly help: Branding['help'];
}

export interface View {
  readonly look: Look;
  readonly language: Language;
  readonly texts: Texts;
}
