/** A result kept as JSON text, because objects would take too much memory. Written in slices. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
