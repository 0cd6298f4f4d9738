import type { ForkRules } from '../../../protocol/forks.ts'
import type { BlockContext } from '../../types.ts'
import type { Core } from '../core/core.ts'
import { ENVIRONMENT, WORD } from '../core/layout.ts'

/** Place of the word that an opcode pushes. */
function at(opcode: number): number {
  return ENVIRONMENT + (opcode - 0x30) * WORD
}

/** The words of block and transaction in the core: the same in all frames. */
export class EnvironmentWords {
  readonly #core: Core
  readonly #rules: ForkRules
  /** The block whose words are set. */
  #block: BlockContext | undefined

  constructor(core: Core, rules: ForkRules, chainId: bigint) {
    this.#core = core
    this.#rules = rules
    core.setWord(at(0x46), chainId)
  }

  /** @param block - must not change afterwards: its words are set once */
  set(block: BlockContext, origin: Uint8Array, gasPrice: bigint): void {
    const core = this.#core
    core.setBytes(at(0x32), origin)
    core.setWord(at(0x3a), gasPrice)
    if (block === this.#block) return
    this.#block = block
    core.setBytes(at(0x41), block.coinbase)
    core.setWord(at(0x42), block.timestamp)
    core.setWord(at(0x43), block.number)
    // PREVRANDAO since Paris (EIP-4399), DIFFICULTY before.
    if (this.#rules.proofOfStake) core.setBytes(at(0x44), block.prevRandao)
    else core.setWord(at(0x44), block.difficulty)
    core.setWord(at(0x45), block.gasLimit)
    core.setWord(at(0x48), block.baseFeePerGas)
    core.setWord(at(0x4a), block.blobBaseFee)
  }
}
