/** Input that breaks the rules of its format. `reason` is short, contains nothing from the input, and may be shown. */
export class MalformedInput extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'MalformedInput';
    this.reason = reason;
  }
}
