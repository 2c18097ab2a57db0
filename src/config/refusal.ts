/** A text that is no value for a setting; the message is a plain sentence without a final full stop. */
export class Refusal extends Error {
  override name = 'Refusal';
}
