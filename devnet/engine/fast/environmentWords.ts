import type { BlockContext } from '../../protocol/blockContext.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import { Op } from '../../protocol/opcodes.ts'
import type { Core } from '../core/core.ts'
import { ENVIRONMENT, WORD } from '../core/layout.ts'

/** The words of block and transaction in the core: the same in all frames. */
export class EnvironmentWords {
  readonly #core: Core
  readonly #rules: ForkRules
  /** The block whose words are set. */
  #block: BlockContext | undefined

  constructor(core: Core, rules: ForkRules, chainId: bigint) {
    this.#core = core
    this.#rules = rules
    core.setWord(at(Op.chainId), chainId)
  }

  /** @param block - must not change afterwards: its words are set once */
  set(block: BlockContext, origin: Uint8Array, gasPrice: bigint): void {
    const core = this.#core
    core.setBytes(at(Op.origin), origin)
    core.setWord(at(Op.gasPrice), gasPrice)
    if (block === this.#block) return
    this.#block = block
    core.setBytes(at(Op.coinbase), block.coinbase)
    core.setWord(at(Op.timestamp), block.timestamp)
    core.setWord(at(Op.number), block.number)
    // PREVRANDAO since Paris (EIP-4399), DIFFICULTY before.
    if (this.#rules.proofOfStake) core.setBytes(at(Op.prevRandao), block.prevRandao)
    else core.setWord(at(Op.prevRandao), block.difficulty)
    core.setWord(at(Op.gasLimit), block.gasLimit)
    core.setWord(at(Op.baseFee), block.baseFeePerGas)
    core.setWord(at(Op.blobBaseFee), block.blobBaseFee)
    core.setWord(at(Op.slotNum), block.slotNumber)
  }
}

function at(opcode: number): number {
  return ENVIRONMENT + (opcode - 0x30) * WORD
}
