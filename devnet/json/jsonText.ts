/** A result as JSON text: too large to be built as objects, and written in slices. */
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
