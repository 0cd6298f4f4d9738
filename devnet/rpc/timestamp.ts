import { InvalidParamsError } from '../errors.ts'

/** The latest time that a JavaScript Date can hold, in s since the epoch. */
const LATEST_TIMESTAMP = 8_640_000_000_000n

/** A timestamp in s that virtual time can go to. @throws {InvalidParamsError} */
export function checkedTimestamp(timestamp: bigint): number {
  if (timestamp > LATEST_TIMESTAMP) {
    throw new InvalidParamsError(
      `timestamp ${timestamp} is too late: it is in seconds, and at most ${LATEST_TIMESTAMP}`,
    )
  }
  return Number(timestamp)
}
