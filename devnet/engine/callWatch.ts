import type { Block } from '@ethereumjs/block'
import type { EVMResult, Message, PrecompileFunc } from '@ethereumjs/evm'
import type { BlockContext } from './executor.ts'
import type { Machine } from './machine.ts'
import { TransferTrace } from './transferTrace.ts'

/** Where precompiles are during an execution, by addresses of 40 hexadecimal digits. */
export interface PrecompileChanges {
  /** These addresses hold none. */
  readonly removed: ReadonlySet<string>
  /** Address → the one whose precompile answers there. */
  readonly moved: ReadonlyMap<string, string>
}

/** What is different in a call from a transaction of a block. */
export interface CallOptions {
  /** The sender pays no base fee, which code sees nevertheless. Default: false. */
  readonly waiveBaseFee?: boolean | undefined
  /** The sender pays nothing for blobs, whose price code sees nevertheless. Default: false. */
  readonly waiveBlobFee?: boolean | undefined
  readonly precompiles?: PrecompileChanges | undefined
  /** Puts logs for transfers of ether among the others. Default: false. */
  readonly traceTransfers?: boolean | undefined
  /** Says which accounts and slots were accessed. Default: false. */
  readonly reportAccess?: boolean | undefined
}

/**
 * Listens to one execution. The library checks fees and warms addresses before its first message; what it must not see
 * then is put in place at that message.
 */
export class CallWatch {
  /** Addresses of 40 hexadecimal digits at which a contract was created, or should have been. */
  readonly created = new Set<string>()
  readonly #machine: Machine
  readonly #options: CallOptions
  readonly #transfers: TransferTrace | undefined
  readonly #onEntry: () => void
  #precompiles: Map<string, PrecompileFunc> | undefined
  #depth = 0

  /** @param onEntry - called when the checks are done and the first code is about to run */
  constructor(machine: Machine, options: CallOptions, onEntry: () => void) {
    this.#machine = machine
    this.#options = options
    this.#onEntry = onEntry
    this.#transfers = options.traceTransfers === true ? new TransferTrace() : undefined
    const { events } = machine.vm.evm
    events?.on('beforeMessage', this.#before)
    events?.on('afterMessage', this.#after)
  }

  /** Stops listening, and puts the precompiles back. */
  end(): void {
    const { events, precompiles } = this.#machine.vm.evm
    events?.off('beforeMessage', this.#before)
    events?.off('afterMessage', this.#after)
    if (this.#precompiles === undefined) return
    precompiles.clear()
    for (const [address, precompile] of this.#precompiles) precompiles.set(address, precompile)
  }

  readonly #before = (message: Message): void => {
    if (this.#depth++ === 0) {
      this.#onEntry()
      this.#changePrecompiles()
    }
    this.#transfers?.enter(message)
  }

  readonly #after = (result: EVMResult): void => {
    if (result.createdAddress !== undefined)
      this.created.add(result.createdAddress.toString().slice(2))
    this.#depth--
    this.#transfers?.leave(result)
  }

  #changePrecompiles(): void {
    const { precompiles: changes } = this.#options
    if (changes === undefined) return
    const { precompiles } = this.#machine.vm.evm
    this.#precompiles = new Map(precompiles)
    for (const address of changes.removed) precompiles.delete(address)
    for (const [address, source] of changes.moved) {
      const precompile = this.#precompiles.get(source)
      if (precompile !== undefined) precompiles.set(address, precompile)
    }
  }
}

/** What the library's checks see of the fees; {@link revealFees} shows code the true ones. */
export function waivedFees(block: BlockContext, options: CallOptions): BlockContext {
  if (options.waiveBaseFee !== true && options.waiveBlobFee !== true) return block
  return {
    ...block,
    ...(options.waiveBaseFee === true ? { baseFeePerGas: 0n } : {}),
    ...(options.waiveBlobFee === true ? { blobBaseFee: 0n } : {}),
  }
}

/** Shows code the fees of `block`. */
export function revealFees({ header }: Block, block: BlockContext): void {
  Object.assign(header, {
    baseFeePerGas: block.baseFeePerGas,
    getBlobGasPrice: () => block.blobBaseFee,
  })
}
