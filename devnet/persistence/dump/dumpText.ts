import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { PendingView } from '../../chain/building/pendingView.ts'
import type { CapturedBlock, ChainCapture } from '../../chain/chainCapture.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import { bytesToText, concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { fromHex, type Hex, optionalQuantity, quantity, toHex } from '../../primitives/hex.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { blobBaseFee } from '../../protocol/fees.ts'
import { blockTerms, sharedRules } from '../../protocol/forks.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import { executedToJson, headerToJson, reservedToJson } from './blockJson.ts'
import { changeText, pendingStepText, stepText } from './diffsText.ts'
import { forksToJson, limitsToJson } from './forksJson.ts'
import { forkText } from './forkText.ts'
import { accountsText, type Chunks } from './statesText.ts'
import { transactionToJson } from './transactionJson.ts'
import { batchToJson, type WalletBatch } from './walletBatches.ts'

export interface Capture extends ChainCapture {
  readonly clock: SavedClock
  /** Instance id that the next start takes over; `undefined` if each start gets a new one. */
  readonly instanceId: string | undefined
  /** Batches of the wallet that the next start knows. Default: none */
  readonly walletBatches?: readonly WalletBatch[]
}

/** Virtual time of a saved chain. Whether the clocks run is up to the options of the next start. */
export interface SavedClock {
  /** `stopped`: ms since the epoch; `offset`: s ahead of the wall clock, while time runs. */
  readonly time: { readonly stopped: number } | { readonly offset: number }
  /** Seconds by which `evm_increaseTime` moved virtual time in total. */
  readonly increased: number
  /** s since the epoch to which virtual time jumps at the seal of the pending block, if at all. */
  readonly expectedTimestamp: number | undefined
}

/**
 * Version of the dump format, the only one that is read. Dumps are JSON: anvil's
 * `SerializableState`, which anvil can load, with additional fields.
 *
 * - `block`, `best_block_number`: the newest sealed block, on which anvil continues.
 * - `accounts`: the state after that block and after the cheats that followed it.
 * - `blocks`: headers, signed transactions, uncles and withdrawals. This node adds `undo`, the
 *   earlier values of everything that the block changed, and `undo_cheats`, the same for the cheats
 *   after it. They give the state after every block, whose root is compared with the header.
 *   `steps` are the changes by command between the transactions of the block.
 *   `reserved` makes an entry a range of empty blocks: the header is that of the block that was
 *   reserved first, from which all others follow; `first` and `last` are numbers, and `step` is
 *   the ms between two timestamps.
 *   `chain_id`, `code_size_limit` and `transaction_gas_cap` are those that the block was executed
 *   under, if they are not the chain's and its hardfork's; a limit of 0 is none.
 *   Blocks loaded from anvil also have `hardfork` if it is not the scheduled one, and `state_root`
 *   if it is not that of the header.
 * - `transactions`: senders and receipts. `inner_frames` are the accounts that inner frames touched
 *   and the contracts that they created, if there are any; both are empty if they are not known.
 * - `historical_states`: null; `undo` replaces it.
 * - `pending_node`: chain id and hardforks, virtual time, overrides of the next block, waiting and
 *   pre-confirmed transactions with the steps between them and the limits of their block, code
 *   that no account has any more, and the wallet's batches of calls.
 *   `fork` is the block of another chain that this one stands on, with what is known of its state.
 *   Then `accounts` holds what was changed here, `blocks` those after that block, with `changes`
 *   and `cheats` in place of `undo`, and roots are not compared: they are stand-ins. Which upstream
 *   was read is not saved.
 */
export const FORMAT = 1

/** The text of a dump, see {@link FORMAT}. Equal captures give equal text. */
function* dumpText(capture: Capture): Chunks {
  const { store, blocks } = capture
  const head = blocks.at(-1)
  if (head?.states === undefined) throw new Error('The newest block of the chain has no state')
  const written = new Set<Hex>()
  const named = new Set<Hex>()
  yield `{"block":${environmentText(head.block)},\n"accounts":`
  yield* accountsText(store, head.states.final, written)
  yield `,\n"best_block_number":${head.block.number},\n"blocks":[`
  yield* blocksText(capture, named)
  yield '],\n"transactions":['
  yield* transactionsText(blocks)
  yield '],\n"historical_states":null,\n"pending_node":'
  const fork = yield* forkPieces(capture, named)
  yield* ownText(capture, codesOf(store, named, written), fork)
  yield '}\n'
}

/**
 * The bytes of a dump in chunks. Yields regularly, so that ticks stay on time.
 *
 * @param signal - cancels it when aborted
 * @throws {ExecutionAbortedError} if `signal` aborts
 */
export async function* dumpChunks(
  capture: Capture,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const scheduler = new Scheduler({ signal })
  let text = ''
  for (const piece of dumpText(capture)) {
    if (piece !== undefined) text += piece
    if (text.length >= CHUNK) {
      yield Buffer.from(text)
      text = ''
    }
    const pause = scheduler.yieldIfDue()
    if (pause !== undefined) await pause
  }
  yield Buffer.from(text)
}

/** A dump as `anvil_dumpState` returns it: its text, gzipped. Equal captures give equal bytes. */
export async function packedDump(capture: Capture, signal?: AbortSignal): Promise<Uint8Array> {
  const packed: Uint8Array[] = []
  await pipeline(dumpChunks(capture, signal), createGzip(), async (bytes) => {
    for await (const piece of bytes) packed.push(piece)
  })
  return concatBytes(...packed)
}

/** Number of characters to collect before they are written. */
const CHUNK = 1 << 16

/** The pieces of {@link forkText}: collected, because the codes that it names are written first. */
function* forkPieces({ origin, ...capture }: Capture, codes: Set<Hex>): Paced<readonly string[]> {
  const pieces: string[] = []
  if (origin === undefined) return pieces
  for (const piece of forkText(origin, capture, codes)) {
    if (piece !== undefined) pieces.push(piece)
    yield
  }
  return pieces
}

/** The block on which anvil continues. Not written by `JSON.stringify`, which takes no bigints. */
function environmentText({ header, rules }: SealedBlock): string {
  const { excessBlobGas } = header
  const fields = [
    ['number', `"${quantity(header.number)}"`],
    ['beneficiary', `"${toHex(header.coinbase)}"`],
    ['timestamp', `"${quantity(header.timestamp)}"`],
    ['gas_limit', header.gasLimit],
    ['basefee', header.baseFeePerGas ?? 0n],
    ['difficulty', `"${quantity(header.difficulty)}"`],
    ['prevrandao', rules.proofOfStake ? `"${toHex(header.mixHash)}"` : null],
    [
      'blob_excess_gas_and_price',
      excessBlobGas === undefined
        ? null
        : `{"excess_blob_gas":${excessBlobGas},"blob_gasprice":${blobBaseFee(excessBlobGas, rules.blobSchedule)}}`,
    ],
  ]
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join()}}`
}

function* blocksText(capture: Capture, codes: Set<Hex>): Chunks {
  const { store, origin, blocks, schedule, chainId } = capture
  // The fork block belongs to another chain, and not all of it is known.
  const [oldest] = blocks
  const skipped = oldest !== undefined && oldest.block.number === origin?.number ? 1 : 0
  for (const [index, { block, range, states }] of blocks.entries()) {
    if (index < skipped) continue
    const { rules } = block
    const { header } = range?.headers.origin ?? block
    yield `${index === skipped ? '' : ','}\n{"header":${JSON.stringify(headerToJson(header))},"transactions":[`
    for (const { transaction, index } of block.executed) {
      const signed = transactionToJson(transaction)
      const json = { transaction: signed, ...impersonatedSender(transaction) }
      yield `${index === 0 ? '' : ','}\n${JSON.stringify(json)}`
    }
    const scheduled = schedule.at(header.number, header.timestamp)
    const isScheduled =
      rules === scheduled || rules === sharedRules({ ...scheduled, ...blockTerms(rules) })
    const root = block.trie && toHex(block.trie.root())
    const rest = {
      ...bodyToJson(block),
      access_list: block.accessList && toHex(block.accessList),
      reserved: range && reservedToJson(range),
      hardfork: isScheduled ? undefined : rules.hardfork,
      chain_id: rules.chainId === chainId ? undefined : rules.chainId,
      ...limitsToJson(rules),
      state_root: root === toHex(header.stateRoot) ? undefined : root,
    }
    yield `],${JSON.stringify(rest).slice(1, -1)}`
    const parent = blocks[index - 1]?.states
    if (states && block.steps.length > 0) {
      yield `,"steps":[${block.steps.map((step) => stepText(step, codes))}]`
    }
    const [made, cheats] = origin === undefined ? ['undo', 'undo_cheats'] : ['changes', 'cheats']
    if (parent && states) yield* changeText(made, store, parent.final, states.sealed, codes)
    if (states) yield* changeText(cheats, store, states.sealed, states.final, codes)
    yield '}'
  }
}

function bodyToJson({ header, uncles, withdrawals }: SealedBlock): object {
  return {
    ommers: uncles.map((uncle) => headerToJson(uncle.header)),
    withdrawals:
      header.withdrawalsRoot === undefined
        ? null
        : withdrawals.map((one) => ({
            index: quantity(one.index),
            validatorIndex: quantity(one.validatorIndex),
            address: one.address,
            amount: quantity(one.amount),
          })),
  }
}

function* transactionsText(blocks: readonly CapturedBlock[]): Chunks {
  let separator = '\n'
  for (const { block } of blocks) {
    for (const executed of block.executed) {
      yield `${separator}${JSON.stringify(executedToJson(executed, block))}`
      separator = ',\n'
    }
  }
}

/** The codes that `undo` fields name by hash and `accounts` does not contain. */
function codesOf(store: VersionedStore, named: Set<Hex>, written: Set<Hex>): Record<Hex, Hex> {
  const codes: Record<Hex, Hex> = {}
  for (const hash of [...named].sort()) {
    if (written.has(hash)) continue
    codes[hash] = toHex(store.codes.find(bytesToText(fromHex(hash)))?.code ?? EMPTY_BYTES)
  }
  return codes
}

/** The field `pending_node`: everything that anvil has no field for. */
function* ownText(capture: Capture, codes: Record<Hex, Hex>, fork: readonly string[]): Chunks {
  const { blocks, pending, genesis, droppedHashes, walletBatches = [] } = capture
  const { next, settings } = capture.work
  const { time, increased, expectedTimestamp } = capture.clock
  const json = JSON.stringify({
    format: FORMAT,
    chain_id: capture.chainId,
    forks: forksToJson(capture.schedule),
    instance_id: capture.instanceId,
    // Absent without any, so that equal chains are equal files.
    wallet_batches: walletBatches.length === 0 ? undefined : walletBatches.map(batchToJson),
    head: blocks.at(-1)?.block.hash,
    states_from: firstWithState(blocks),
    first_head: capture.firstHead,
    genesis: genesis && { hash: toHex(genesis.hash), timestamp: quantity(genesis.timestamp) },
    dropped_hashes: [...droppedHashes].map(([number, hash]) => ({ number, hash: toHex(hash) })),
    codes,
    clock: { ...time, increased, expected_timestamp: expectedTimestamp },
    standing: {
      coinbase: toHex(settings.coinbase),
      gas_limit: quantity(settings.gasLimit),
      timestamp_interval: optionalQuantity(settings.timestampInterval),
      min_gas_price: quantity(settings.minGasPrice),
      impersonated: [...settings.impersonated].sort(),
      impersonate_all: settings.impersonateAll,
    },
    next: {
      timestamp: optionalQuantity(next.timestamp),
      base_fee: optionalQuantity(next.baseFeePerGas),
      prevrandao: next.prevRandao && toHex(next.prevRandao),
    },
  })
  yield json.slice(0, -1)
  if (fork.length > 0) {
    yield ',\n"fork":'
    yield* fork
  }
  yield ',\n"pending":'
  yield* pendingText(pending)
  yield ',\n"mempool":['
  for (const [index, transaction] of capture.mempool.entries()) {
    yield `${index === 0 ? '' : ','}\n${JSON.stringify(signedToJson(transaction))}`
  }
  yield ']}'
}

/** Number of the first block whose state is known. */
function firstWithState(blocks: readonly CapturedBlock[]): number | undefined {
  const found = blocks.find(({ states }) => states !== undefined)
  return found?.range?.first ?? found?.block.number
}

function* pendingText({ environment, executed, steps }: PendingView): Chunks {
  const { timestamp, rules } = environment
  // Empty ticks at the end are not counted: equal chains give equal dumps at any time.
  const ticks = (executed.at(-1)?.tick ?? -1) + 1
  const fields = { timestamp: quantity(timestamp), ticks, ...limitsToJson(rules) }
  yield `${JSON.stringify(fields).slice(0, -1)},"transactions":[`
  for (const [index, { transaction, tick }] of executed.entries()) {
    yield `${index === 0 ? '' : ','}\n${JSON.stringify({ ...signedToJson(transaction), tick })}`
  }
  yield `],"steps":[${steps.map(pendingStepText)}]}`
}

function signedToJson(transaction: ChainTransaction): object {
  return { raw: toHex(transaction.raw), ...impersonatedSender(transaction) }
}

/** The sender, if impersonated; otherwise it follows from the signature. */
function impersonatedSender({ impersonated, sender }: ChainTransaction): object {
  return { impersonated_sender: impersonated ? sender : null }
}
