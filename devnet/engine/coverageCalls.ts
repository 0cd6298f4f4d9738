import type { Common } from '@ethereumjs/common'
import { getOpcodesForHF } from '@ethereumjs/evm'
import { type Hex, toHex } from '../primitives/hex.ts'
import { Op } from '../protocol/opcodes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import { type CustomOpcode, type LogicFunction, replacedOpcode } from './library/yieldOpcodes.ts'

/** Address that contracts instrumented by Hardhat call for each statement. It has no account. */
const COVERAGE = '0xc0bec0bec0bec0bec0bec0bec0bec0bec0bec0be'

const COVERAGE_WORD = BigInt(COVERAGE)

/** Length of a tag, the calldata of a hit, in bytes. */
const TAG_LENGTH = 32

/** The part of a recorder that the fast engine uses. */
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

  /** The library's STATICCALL, which records hits. */
  opcodes(common: Common): CustomOpcode[] {
    const logicOf =
      (handler: LogicFunction): LogicFunction =>
      async (state, rules) => {
        const [, target = 0n, offset = 0n, length = 0n] = state.stack.peek(4)
        const isHit = BigInt.asUintN(160, target) === COVERAGE_WORD
        const { returnBytes } = state
        if (isHit && length === BigInt(TAG_LENGTH)) {
          this.add(state.memory.read(Number(offset), TAG_LENGTH))
        }
        await handler(state, rules)
        if (isHit) state.returnBytes = returnBytes
      }
    return replacedOpcode(getOpcodesForHF(common), Op.staticCall, logicOf)
  }
}
