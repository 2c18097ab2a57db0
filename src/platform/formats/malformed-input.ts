/** Input that breaks the rules of its format. `reason` is short, holds nothing of the input, and may be shown. */
export class MalformedInput extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'MalformedInput';
    this.reason = reason;
  }
}
