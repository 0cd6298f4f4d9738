import { type Block, createBlock } from '@ethereumjs/block'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import type { Core } from '../../../../devnet/engine/core/core.ts'
import {
  ENVIRONMENT,
  F_ADDRESS,
  F_CALLER,
  F_VALUE,
  FRAMES,
} from '../../../../devnet/engine/core/layout.ts'
import type { Crypto } from '../../../../devnet/engine/crypto.ts'
import { executionHalt } from '../../../../devnet/engine/library/executionResult.ts'
import { createFixedCommon } from '../../../../devnet/engine/library/fixedCommon.ts'
import { bytesToBigInt } from '../../../../devnet/primitives/bytes.ts'
import { hasImmediate } from '../../../../devnet/protocol/opcodes.ts'

const address = (byte: number) => new Address(new Uint8Array(20).fill(byte))
const TO = address(0x11)
const CALLER = address(0x22)
const ORIGIN = address(0x33)
const COINBASE = address(0x44)
const VALUE = 5n
const GAS_PRICE = 7n

/** The library's own interpreter, on code without a state. */
export class LibraryRun {
  readonly #evm: EVM
  readonly #block: Block

  private constructor(evm: EVM, block: Block) {
    this.#evm = evm
    this.#block = block
  }

  static async create(hardfork: string, crypto: Crypto): Promise<LibraryRun> {
    const common = createFixedCommon({ chainId: 1, hardfork, crypto })
    const evm = await createEVM({ common })
    const header = {
      number: 9n,
      timestamp: 1_000n,
      gasLimit: 30_000_000n,
      coinbase: COINBASE,
      ...(common.isActivatedEIP(1559) ? { baseFeePerGas: 3n } : {}),
      ...(common.isActivatedEIP(4844) ? { excessBlobGas: 0n } : {}),
      ...(common.isActivatedEIP(4399)
        ? { mixHash: new Uint8Array(32).fill(9) }
        : { difficulty: 17n }),
      ...(common.isActivatedEIP(7843) ? { slotNumber: 77n } : {}),
    }
    return new LibraryRun(evm, createBlock({ header }, { common, setHardfork: false }))
  }

  /** Gives the core the surroundings that {@link run} gives the library. */
  prepare(core: Core): void {
    const { header, common } = this.#block
    const environment: [opcode: number, word: bigint][] = [
      [0x32, bytesToBigInt(ORIGIN.bytes)],
      [0x3a, GAS_PRICE],
      [0x41, bytesToBigInt(COINBASE.bytes)],
      [0x42, header.timestamp],
      [0x43, header.number],
      [0x44, common.isActivatedEIP(4399) ? bytesToBigInt(header.prevRandao) : header.difficulty],
      [0x45, header.gasLimit],
      [0x46, common.chainId()],
      [0x48, header.baseFeePerGas ?? 0n],
      [0x4b, header.slotNumber ?? 0n],
      [0x4a, common.isActivatedEIP(4844) ? header.getBlobGasPrice() : 0n],
    ]
    for (const [opcode, word] of environment) core.setWord(ENVIRONMENT + (opcode - 0x30) * 32, word)
    core.setBytes(FRAMES + F_ADDRESS, TO.bytes)
    core.setBytes(FRAMES + F_CALLER, CALLER.bytes)
    core.setWord(FRAMES + F_VALUE, VALUE)
  }

  async run(code: Uint8Array, data: Uint8Array, gas: number) {
    const result = await this.#evm.runCode({
      code,
      data,
      gasLimit: BigInt(gas),
      to: TO,
      caller: CALLER,
      origin: ORIGIN,
      value: VALUE,
      gasPrice: GAS_PRICE,
      block: this.#block,
    })
    const { executionGasUsed, returnValue, runState } = result
    if (runState === undefined) throw new Error('The library has not run the code')
    const memory = runState.memory._store.subarray(0, Number(runState.memoryWordCount) * 32)
    const error = executionHalt(result)
    // The library has gone on beyond an immediate that it refuses.
    const isBeyond =
      error === 'invalidOpcode' &&
      this.#block.common.isActivatedEIP(8024) &&
      hasImmediate(runState.opCode)
    return {
      error,
      gasLeft: gas - Number(executionGasUsed),
      output: returnValue,
      stack: runState.stack.getStack(),
      memory,
      position: runState.programCounter - (isBeyond ? 2 : 0),
    }
  }
}
