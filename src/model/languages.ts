/** The languages of what people read, as BCP 47 tags. Where a text stands once with all of them, in this order. */
export const languageTags = ['en', 'de'] as const;
export type LanguageTag = (typeof languageTags)[number];
