// The texts of the page, in the language that the server chose.

import { language } from '../../parts/language.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export const texts: Texts = language === 'de' ? de : en;
