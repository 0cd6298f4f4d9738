/** Before the first moment, so that none of them is 0. */
const START = Date.now() - 1

/**
 * Wall time in ms since shortly before the process began to count: a small integer, which an object
 * holds without another one. {@link UNKNOWN_MOMENT} if it is not known.
 */
export type Moment = number

export const UNKNOWN_MOMENT: Moment = 0

export function momentNow(): Moment {
  return Date.now() - START
}

/** ms since the epoch; `null` if unknown. */
export function wallTime(moment: Moment | undefined): number | null {
  return moment === undefined || moment === UNKNOWN_MOMENT ? null : START + moment
}
