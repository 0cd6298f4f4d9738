/** A result as JSON text: too large to be built as objects, and written in slices. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** For those who take it for an object. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}
