/** A result that is JSON text already, being too large for objects; it is written in slices. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** For callers that expect an object. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}
