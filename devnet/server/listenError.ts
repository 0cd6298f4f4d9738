/** The server cannot listen where it was told to; the message says what to do. */
export class ListenError extends Error {
  override name = 'ListenError'
  /** The code of the system, such as `EADDRINUSE`. */
  readonly code: string
  constructor(code: string, message: string, options: { cause: unknown }) {
    super(message, options)
    this.code = code
  }
}
