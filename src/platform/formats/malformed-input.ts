/** Input that breaks the rules of its format. `reason` is short, contains nothing from the input, and may be shown. */
export class MalformedInput extends Error {
  override readonly name = 'MalformedInput';
  get reason(): string {
    return this.message;
  }
}
