import type { FaultScript } from '../faults/types.ts'

/** A test fails under some schedule of faults, or without any. */
export class ExploreError extends Error {
  override name = 'ExploreError'
  /** The schedule in words; `undefined` if there was no fault. */
  readonly schedule: string | undefined
  /** The same as rules; `undefined` if there was no fault. */
  readonly script: FaultScript | undefined
  /** Path of the `--faults` file with these rules; `undefined` if there was no fault. */
  readonly file: string | undefined

  /** @param details.cause - what the test has thrown */
  constructor(
    message: string,
    details: { cause: unknown; schedule?: string; script?: FaultScript; file?: string },
  ) {
    super(message, { cause: details.cause })
    this.schedule = details.schedule
    this.script = details.script
    this.file = details.file
  }
}
