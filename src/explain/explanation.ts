/** A refusal in words for an administrator. */
export interface Explanation {
  readonly happened: string;
  /** The change with which a legitimate login passes. */
  readonly remedy: string;
}

/** The first line says what happened, the second what to do. */
export function said({ raw: [text = ''] }: TemplateStringsArray): Explanation {
  const [happened = '', remedy = ''] = text.split('\n');
  return { happened, remedy: remedy.trim() };
}
