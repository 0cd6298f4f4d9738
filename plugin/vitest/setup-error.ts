/** The global set-up cannot do its work; the message says what to do. */
export class SetupError extends Error {
  override name = 'SetupError'
}

/** Errors of the node whose message is all that a user needs; classes would load the node. */
const NAMES = ['OptionError', 'ListenError', 'ChainFileError']

/** An error that the user can put right, without what vitest would print beside its message. */
export function forUser(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const known = NAMES.includes(error.name) ? new SetupError(error.message) : error
  // Places in this package and in vitest say nothing more.
  if (known instanceof SetupError) known.stack = String(known)
  return known
}
