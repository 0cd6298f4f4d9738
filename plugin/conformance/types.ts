import type { ProfileName } from '../../devnet/options/optionTable.ts'

/** Options of {@link conformance}. */
export interface ConformanceOptions {
  /** The network that the endpoint should be like. */
  readonly profile: ProfileName
  /** HTTP headers of each request. Default: none */
  readonly headers?: Readonly<Record<string, string>>
  /** WebSocket address, or `none`. Default: that of the endpoint, with `ws:` or `wss:` */
  readonly ws?: string
  /** Private key of an account with funds. Default: the first of the mnemonic */
  readonly key?: string
  /** Mnemonic of an account with funds. Default: `test test … junk` */
  readonly mnemonic?: string
  /** Beginnings of the names of checks. Default: all */
  readonly only?: readonly string[]
  /** Receives a line about the maximum cost before anything is sent. Default: nobody */
  readonly log?: (line: string) => void
}

/** A check, as a profile has it. */
export interface ConformanceCheck {
  /** Row of the table of profiles, and a part of it: `pendingHash.receipt`. */
  readonly name: string
  /** Moment of the run. */
  readonly subject: string
  /** Title of the row and value of the profile. */
  readonly expected: string
  /** Source of the value. */
  readonly source: string
}

/** A check that does not hold. */
export interface FailedCheck extends ConformanceCheck {
  /** Method and parameters, as JSON. Absent if the check is about what the run was told. */
  readonly asked?: string
  /** Answer or notification, as JSON; a long one is cut. */
  readonly came: string
}

export interface ConformanceReport {
  readonly passed: readonly ConformanceCheck[]
  readonly failed: readonly FailedCheck[]
  /** Checks that the profile does not have, or the run could not decide. */
  readonly notApplicable: readonly (ConformanceCheck & { readonly why: string })[]
}
