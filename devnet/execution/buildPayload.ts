import { BlockBuilder } from '../chain/building/blockBuilder.ts'
import { closeBlock } from '../chain/building/closeBlock.ts'
import { executeAll } from '../chain/building/executeListed.ts'
import { emptyView } from '../chain/building/openPendingBlock.ts'
import type { Chain } from '../chain/chain.ts'
import { DevnetError, RefusedError } from '../primitives/errors.ts'
import { InvalidBlockError, requireTrie } from '../protocol/block.ts'
import { openEnvironment } from '../protocol/environment.ts'
import { hashHeader, makeHeader } from '../protocol/header.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { Withdrawal } from '../protocol/withdrawals.ts'
import { mergeDiffs } from '../state/diffs.ts'
import { type ExecutionLimits, withMachine } from './machineLease.ts'
import { leasedClosing, openSystemContracts } from './simulateBlock.ts'

/** The parts of a payload that its builder is given. Bytes are of the lengths of the header. */
export interface PayloadRequest extends ExecutionLimits {
  /** s since the epoch. */
  readonly timestamp: bigint
  readonly prevRandao: Uint8Array
  readonly feeRecipient: Uint8Array
  readonly parentBeaconBlockRoot: Uint8Array
  readonly withdrawals: readonly Withdrawal[]
  readonly extraData: Uint8Array
  /** The limit that the block comes nearer to, by less than a 1024th of its parent's. */
  readonly gasLimit: bigint
  /** From Amsterdam on (EIP-7843). Default: the one after the parent's */
  readonly slotNumber: bigint | undefined
  /**
   * EIP-2718 bytes; `undefined`: what is pre-confirmed and then what waits, if it can run and has
   * no blobs.
   */
  readonly transactions: readonly Uint8Array[] | undefined
}

export type Payload = Awaited<ReturnType<typeof buildPayload>>

/**
 * Builds a block on top of the newest one, which changes nothing.
 *
 * @throws {RefusedError} if a transaction cannot run there
 */
export async function buildPayload(chain: Chain, request: PayloadRequest) {
  const { blockHashes, engine, head, pending, store } = chain
  const { extraData, feeRecipient: coinbase, timestamp, withdrawals } = request
  const rules = engine.schedule.at(head.header.number + 1n, timestamp)
  const gasLimit = nextGasLimit(head.header.gasLimit, request.gasLimit)
  const { prevRandao, parentBeaconBlockRoot } = request
  const opened = openEnvironment(head, { timestamp, prevRandao, coinbase, gasLimit }, rules)
  const { slotNumber = opened.slotNumber } = request
  const environment = { ...opened, parentBeaconBlockRoot, slotNumber }
  const state = store.view(head.version)
  const { keccak256 } = engine.crypto
  return withMachine({ ...request, engine, rules, state, blockHashes }, async (lease) => {
    const { executor, machine } = lease
    const { overlay } = machine
    const opening = await openSystemContracts(lease, environment, head.hashBytes)
    const builder = new BlockBuilder(emptyView(environment, state, keccak256), executor, machine)
    const { transactions } = request
    if (transactions === undefined) {
      for (const given of chain.unsealed()) {
        const one = underRules(builder, given)
        const fits = one?.blobGas === 0n && builder.obstacle(one) === undefined
        if (fits) await builder.execute(one)
      }
    } else {
      await executeAll({ transactions }, { builder, executor, keccak256 }).catch(throwRefused)
    }
    const block = builder.extended()
    const { requests, accessList, results } = await closeBlock(block, {
      ...leasedClosing(lease, environment, state),
      ...{ opening, withdrawals, keccak256 },
    })
    const changed = mergeDiffs([...pending.cheatDiffs, overlay.shallowCopy().takeDiff()])
    const stateRoot = requireTrie(head).apply(changed, overlay).root()
    const header = makeHeader(environment, head.hashBytes, { ...results, extraData, stateRoot })
    const hash = hashHeader(header, keccak256)
    return { header, hash, executed: block.executed, requests, accessList }
  })
}

/** `undefined` if the rules of the block make `transaction` invalid. */
function underRules(
  builder: BlockBuilder,
  transaction: ChainTransaction,
): ChainTransaction | undefined {
  if (builder.isUnderRules(transaction)) return transaction
  try {
    return builder.redecode(transaction)
  } catch (error) {
    if (error instanceof DevnetError) return undefined
    throw error
  }
}

/** The gas limit that a builder chooses which wants another one, as in geth. */
function nextGasLimit(parent: bigint, wanted: bigint): bigint {
  const most = parent / 1024n - 1n
  const step = wanted - parent
  return parent + (step > most ? most : step < -most ? -most : step)
}

function throwRefused(error: unknown): never {
  if (!(error instanceof InvalidBlockError)) throw error
  throw new RefusedError(`the block ${error.message}`, { cause: error })
}
