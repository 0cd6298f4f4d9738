import { type Hex, toHex } from '../primitives/hex.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'

/** Address that contracts instrumented by Hardhat call for each statement. It has no account. */
export const COVERAGE = '0xc0bec0bec0bec0bec0bec0bec0bec0bec0bec0be'

/** Length of a tag, the calldata of a hit, in bytes. */
export const TAG_LENGTH = 32

/** The part of a recorder that the engines use. */
export interface CoverageCalls {
  readonly address: AddressKey
  /** Records a hit, unless `data` is no tag. */
  add(data: Uint8Array): void
}

/**
 * Records the statements that instrumented contracts hit. A hit is a STATICCALL of an account
 * without code, for the gas of one; but the return data of the call before it stays, as code that
 * reads it does not know of the hits in between.
 */
export class CoverageRecorder implements CoverageCalls {
  readonly address = addressKeyFromHex(COVERAGE)
  readonly #report: (tags: readonly Hex[]) => void
  readonly #tags = new Set<Hex>()

  /** @param report - is given the tags of each execution, 0x-prefixed; may get one repeatedly */
  constructor(report: (tags: readonly Hex[]) => void) {
    this.#report = report
  }

  add(data: Uint8Array): void {
    if (data.length === TAG_LENGTH) this.#tags.add(toHex(data))
  }

  /** Reports what was recorded since the last report. */
  flush(): void {
    if (this.#tags.size === 0) return
    const tags = [...this.#tags]
    this.#tags.clear()
    this.#report(tags)
  }
}
