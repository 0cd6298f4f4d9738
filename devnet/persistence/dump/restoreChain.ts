import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ChainBase, SavedWork } from '../../chain/chainBase.ts'
import type { ChainSettings, NextBlockOverrides } from '../../chain/chainWork.ts'
import { type ForkOrigin, forkBlock } from '../../chain/forkedBase.ts'
import { History, randaoSeed } from '../../chain/history.ts'
import type { ReservedRange } from '../../chain/reservedRange.ts'
import type { Engine } from '../../engine/engine.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import { ChainFileError, reasonOf } from '../../primitives/errors.ts'
import { LONGEST_TEXT } from '../../primitives/foreign.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import { type Paced, runPaced } from '../../primitives/paced.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { GenesisIdentity } from '../../protocol/forkId.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import { type ForkRules, forkRules, sharedRules } from '../../protocol/forks.ts'
import { isOpeningDeposit } from '../../protocol/rollup/openingDeposits.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { ScratchCodes } from '../../state/codes.ts'
import type { RemoteLayer } from '../../state/remote/remoteLayer.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import type { StateDiff } from '../../state/types.ts'
import { readState } from '../accountsJson.ts'
import { JsonFields } from '../jsonFields.ts'
import { type FreshState, restoreAnvilChain } from './anvilDump.ts'
import {
  type BlockEntry,
  checkHeaders,
  linkOf,
  rangeFromJson,
  readBlockEntries,
} from './blockJson.ts'
import { readCodes, readDiff, readPendingSteps } from './diffsText.ts'
import { FORMAT, type SavedClock } from './dumpText.ts'
import { forksFromJson, hardforkFromJson, limitsFromJson } from './forksJson.ts'
import type { SavedFork } from './forkText.ts'
import { type BlockSource, type RestoredBlock, restoreBlock } from './restoreBlock.ts'
import { restoreStates } from './restoreStates.ts'
import { type ReadTransaction, transactionReader } from './transactionJson.ts'
import { batchFromJson, type WalletBatch } from './walletBatches.ts'

/** A dump, parsed as JSON but not interpreted. */
export interface Dump {
  /** Name of the dump in errors: the path of the file, or "the state". */
  readonly label: string
  readonly fields: JsonFields
  /** The field `pending_node`, which only this node writes; `undefined` in a dump of anvil. */
  readonly own: JsonFields | undefined
}

/** Magic bytes of gzip. */
const GZIP = [0x1f, 0x8b]

/** A dump may always unpack to so many bytes. */
const ALWAYS_UNPACKED = 1 << 26

/** A larger dump may have this many times its packed size: ten times what real ones need. */
const MOST_UNPACKED = 300

/**
 * Restores the chain of a dump, and compares its content with the roots and hashes in it. Yields
 * regularly. Changes nothing but `store`, unless it succeeds.
 *
 * @param engine - has the chain id and hardforks that {@link chainOf} returned, and the codes that
 *   {@link restoreKnown} has read
 * @param store - must be empty; stands on `origin` if there is one
 * @param fresh - used where a dump of anvil lacks something
 * @param fresh.origin - the fork block of the dump, or the one that a dump of anvil is laid over
 * @param signal - cancels it when aborted
 * @throws {ChainFileError} if it is malformed, or does not match its roots and hashes
 */
export async function restoreChain(
  dump: Dump,
  engine: Engine,
  store: VersionedStore,
  fresh: FreshState,
  signal?: AbortSignal,
): Promise<Restored> {
  const { label, fields, own } = dump
  const { origin } = fresh
  const scheduler = new Scheduler({ signal })
  const read = transactionReader(engine, label)
  const receipts = await runPaced(receiptsByBlock(fields), scheduler)
  const codes = new ScratchCodes(engine.codes)
  const tellsFrames = own !== undefined
  const source = { label, engine, codes, store, scheduler, read, receipts, tellsFrames }
  if (own === undefined) {
    const base = await restoreAnvilChain(fields, source, fresh)
    codes.publish()
    return { base, clock: undefined, instanceId: undefined, walletBatches: [] }
  }
  const genesis = readGenesis(own)
  const entries = await runPaced(readBlockEntries(fields, engine.crypto), scheduler)
  const { keccak256 } = engine.crypto
  const schedule = engine.schedule
    .withChainId(Number(own.requiredNumber('chain_id')))
    .withLimits({})
  const parts: { entry: BlockEntry; rules: ForkRules; range: ReservedRange | undefined }[] = []
  for (const entry of entries) {
    const { number, timestamp } = entry.header
    const rules = rulesOf(entry, schedule.at(number, timestamp))
    const seed = origin?.hash ?? randaoSeed(genesis)
    const range = rangeFromJson(entry, { rules, randaoSeed: seed, keccak256 })
    parts.push({ entry, rules, range })
    await scheduler.yieldIfDue()
  }
  const links = parts.map(({ entry, range }) => linkOf(entry, range))
  // The fork block is not among the blocks of a dump, but below them, unless it was dropped.
  const isBelow =
    origin !== undefined && (links[0]?.first ?? origin.number + 1) === origin.number + 1
  const below = isBelow ? [forkBlock(origin, { schedule })] : []
  const jsons = entries.map(({ json }) => json)
  if (isBelow) jsons.unshift(own.requiredObject('fork'))
  const chained = [...below.map((block) => linkOf(block)), ...links]
  checkHeaders(label, chained, own.requiredBytes('head', 32))
  const blocks: (RestoredBlock | ReservedRange)[] = [...below]
  for (const { entry, rules, range } of parts) {
    const block = await restoreBlock(entry, { ...source, rulesOf: () => rules })
    if (range !== undefined && block.executed.length > 0) {
      throw entry.json.error('reserved', 'is a range of blocks with transactions')
    }
    blocks.push(range ?? block)
    await scheduler.yieldIfDue()
  }
  const restored = await restoreStates({ fields, own }, jsons, blocks, source)
  const history = makeHistory(label, restored.blocks, own, { genesis, randaoSeed: origin?.hash })
  const saved = await restoreWork(own, history.head, restored.cheatDiffs, { ...source, schedule })
  codes.publish()
  return {
    base: { store, history, origin, saved },
    clock: readClock(own.requiredObject('clock')),
    instanceId: own.bytes('instance_id', 32),
    walletBatches: [...own.objects('wallet_batches')].map(batchFromJson),
  }
}

/**
 * Reads a dump of this node or of anvil, gzipped or plain. Yields regularly.
 *
 * @param label - name of the dump in errors
 * @param signal - cancels it when aborted
 * @throws {ChainFileError} if it is neither, too large, or of another format version
 */
export async function readDump(
  bytes: Uint8Array,
  label: string,
  signal?: AbortSignal,
): Promise<Dump> {
  const scheduler = new Scheduler({ signal })
  const plain = GZIP.every((byte, index) => bytes[index] === byte)
    ? await unpack(bytes, label)
    : bytes
  if (plain.length > LONGEST_TEXT) {
    throw new ChainFileError(`${label} has ${plain.length} bytes, more than can be read.`)
  }
  // Unpacked and decoded, 64 MB take 20 ms each.
  await scheduler.yieldIfDue()
  const text = new TextDecoder().decode(plain)
  await scheduler.yieldIfDue()
  const fields = await runPaced(JsonFields.parse(label, text), scheduler)
  const own = fields.object('pending_node')
  if (own === undefined && !fields.has('accounts')) {
    throw new ChainFileError(
      `${label} is not a state of this node or of anvil: it has no accounts.`,
    )
  }
  const format = own?.requiredNumber('format')
  if (format !== undefined && format !== BigInt(FORMAT)) {
    throw new ChainFileError(
      `${label} has format ${format}, and this version reads format ${FORMAT} only: use the version that wrote it.`,
    )
  }
  return { label, fields, own }
}

async function unpack(bytes: Uint8Array, label: string): Promise<Uint8Array> {
  const most = Math.max(ALWAYS_UNPACKED, bytes.length * MOST_UNPACKED)
  const maxOutputLength = Math.min(LONGEST_TEXT, most)
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength })
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ChainFileError(
        `${label} unpacks to more than ${maxOutputLength} bytes, which is no state: unpack it yourself if it is one.`,
        { cause: error },
      )
    }
    throw new ChainFileError(`${label} cannot be unpacked: ${reasonOf(error)}.`, { cause: error })
  }
}

export interface Restored {
  readonly base: ChainBase
  /** `undefined` in a dump of anvil: time goes on from the newest block. */
  readonly clock: SavedClock | undefined
  readonly instanceId: Hex | undefined
  readonly walletBatches: readonly WalletBatch[]
}

/** Chain id and hardforks of a dump; `undefined` in a dump of anvil, which does not name them. */
export function chainOf({ own }: Dump): { chainId: number; schedule: ForkSchedule } | undefined {
  if (own === undefined) return undefined
  return {
    chainId: Number(own.requiredNumber('chain_id')),
    schedule: forksFromJson(own.requiredObject('forks')),
  }
}

/**
 * The block that the chain of a dump stands on, with what the dump knows of its state.
 *
 * @param fork - as `forkOf` returned it
 * @param remote - receives what is known; its codes are those of `engine`
 * @throws {ChainFileError} if it is malformed
 */
export async function restoreKnown(
  { fields, own }: Dump,
  fork: SavedFork,
  engine: Engine,
  remote: RemoteLayer,
  signal?: AbortSignal,
): Promise<ForkOrigin> {
  const scheduler = new Scheduler({ signal })
  // The other fields name codes by hash: these two hold the bytes.
  await runPaced(readState(fields.requiredObject('accounts'), engine.codes), scheduler)
  if (own) await runPaced(readCodes(own.objectOrEmpty('codes'), engine.codes), scheduler)
  const { fields: saved, ...origin } = fork
  const known = readDiff(saved.requiredObject('known'), engine.codes)
  remote.restore(await runPaced(known, scheduler))
  return { ...origin, remote }
}

function rulesOf({ json }: BlockEntry, scheduled: ForkRules): ForkRules {
  const { chainId } = scheduled
  const rules = json.has('hardfork') ? forkRules(hardforkFromJson(json), { chainId }) : scheduled
  const named = Number(json.number('chain_id') ?? chainId)
  return underLimits(json, named === chainId ? rules : sharedRules({ ...rules, chainId: named }))
}

/** `rules` with the limits that `json` names. */
function underLimits(json: JsonFields, rules: ForkRules): ForkRules {
  if (!json.has('code_size_limit') && !json.has('transaction_gas_cap')) return rules
  return sharedRules({ ...rules, ...limitsFromJson(json, rules.hardfork) })
}

/** The entries of `transactions`, grouped by block hash and sorted by transaction index. */
function* receiptsByBlock(fields: JsonFields): Paced<Map<Hex, JsonFields[]>> {
  const indexed = new Map<Hex, { readonly entry: JsonFields; readonly index: number }[]>()
  for (const entry of fields.objects('transactions')) {
    const hash = entry.requiredBytes('block_hash', 32)
    const index = Number(entry.requiredObject('info').requiredNumber('transaction_index'))
    const block = indexed.get(hash) ?? []
    block.push({ entry, index })
    indexed.set(hash, block)
    yield
  }
  const receipts = new Map<Hex, JsonFields[]>()
  for (const [hash, block] of indexed) {
    const inOrder = block.sort((one, other) => one.index - other.index)
    const sorted = inOrder.map(({ entry }) => entry)
    receipts.set(hash, sorted)
    yield
  }
  return receipts
}

function makeHistory(
  label: string,
  [oldest, ...later]: readonly (SealedBlock | ReservedRange)[],
  own: JsonFields,
  identity: {
    readonly genesis: GenesisIdentity | undefined
    readonly randaoSeed: Uint8Array | undefined
  },
): History {
  if (oldest === undefined) throw new ChainFileError(`${label} has no blocks.`)
  const hashes = new Map<number, Uint8Array>()
  for (const dropped of own.objects('dropped_hashes')) {
    hashes.set(Number(dropped.requiredNumber('number')), fromHex(dropped.requiredBytes('hash', 32)))
  }
  const history = new History(oldest, { hashes, ...identity })
  for (const entry of later) history.push(entry)
  return history
}

function readGenesis(own: JsonFields): GenesisIdentity | undefined {
  const genesis = own.object('genesis')
  if (genesis === undefined) return undefined
  const hash = fromHex(genesis.requiredBytes('hash', 32))
  return { hash, timestamp: genesis.requiredNumber('timestamp') }
}

function readClock(json: JsonFields): SavedClock {
  const expected = json.number('expected_timestamp')
  return {
    time: json.has('stopped')
      ? { stopped: Number(json.requiredNumber('stopped')) }
      : { offset: json.integer('offset') },
    increased: Number(json.requiredNumber('increased')),
    expectedTimestamp: expected === undefined ? undefined : Number(expected),
  }
}

/**
 * Restores the work in progress when the chain was saved: pending block, mempool and settings.
 *
 * @param own - `pending_node` of the dump
 * @throws {ChainFileError} if it is malformed
 */
async function restoreWork(
  own: JsonFields,
  head: SealedBlock,
  cheatDiffs: readonly StateDiff[],
  source: Pick<BlockSource, 'read' | 'scheduler'> & { readonly schedule: ForkSchedule },
): Promise<SavedWork> {
  const { read, scheduler, schedule } = source
  const pending = own.requiredObject('pending')
  const timestamp = pending.requiredNumber('timestamp')
  const rules = underLimits(pending, schedule.at(head.header.number + 1n, timestamp))
  const executed: { transaction: ChainTransaction; tick: number }[] = []
  for (const entry of pending.objects('transactions')) {
    await scheduler.yieldIfDue()
    const transaction = await restoreSigned(entry, rules, read)
    executed.push({ transaction, tick: Number(entry.requiredNumber('tick')) })
  }
  const mempool: ChainTransaction[] = []
  for (const entry of own.objects('mempool')) {
    await scheduler.yieldIfDue()
    mempool.push(await restoreSigned(entry, rules, read))
  }
  // If time was running, an empty pending block is opened again: its saved timestamp would be
  // long past.
  const isFixed = executed.length > 0 || own.requiredObject('clock').has('stopped')
  return {
    firstHead: Math.min(Number(own.requiredNumber('first_head')), head.number),
    cheatDiffs,
    settings: readSettings(own.requiredObject('standing'), Number(own.requiredNumber('chain_id'))),
    next: readNext(own.requiredObject('next')),
    pending: {
      timestamp: isFixed ? timestamp : undefined,
      rules: executed.every(({ transaction }) => isOpeningDeposit(transaction)) ? undefined : rules,
      ticks: Number(pending.requiredNumber('ticks')),
      executed,
      steps: readPendingSteps(pending),
    },
    mempool,
  }
}

function restoreSigned(
  json: JsonFields,
  rules: ForkRules,
  read: ReadTransaction,
): Promise<ChainTransaction> {
  const raw = fromHex(json.requiredBytes('raw'))
  const sender = json.bytes('impersonated_sender', 20)
  // Transactions beyond the limits are dropped when they are executed.
  const unlimited = { ...rules, codeSizeLimit: Infinity, transactionGasCap: undefined }
  return read(raw, sender, rules).catch(() => read(raw, sender, sharedRules(unlimited)))
}

function readNext(json: JsonFields): NextBlockOverrides {
  const timestamp = json.number('timestamp')
  const baseFeePerGas = json.number('base_fee', 256)
  const prevRandao = json.bytes('prevrandao', 32)
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
    ...(prevRandao === undefined ? {} : { prevRandao: fromHex(prevRandao) }),
  }
}

function readSettings(json: JsonFields, chainId: number): ChainSettings {
  return {
    coinbase: fromHex(json.requiredBytes('coinbase', 20)),
    gasLimit: json.requiredNumber('gas_limit'),
    chainId,
    timestampInterval: json.number('timestamp_interval'),
    minGasPrice: json.number('min_gas_price', 256) ?? 0n,
    impersonated: new Set(json.bytesList('impersonated', 20)),
    impersonateAll: json.flag('impersonate_all'),
  }
}
