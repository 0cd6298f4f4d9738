import type { ChainBase } from '../../chain/chainBase.ts'
import { type ForkOrigin, forkBlock } from '../../chain/forkedBase.ts'
import { emptyBlock, type GenesisParameters, genesisState } from '../../chain/genesis.ts'
import { History } from '../../chain/history.ts'
import type { Engine } from '../../engine/engine.ts'
import {
  bytesToText,
  EMPTY_BYTES,
  sameBytes,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../../primitives/bytes.ts'
import { ChainFileError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import { type Paced, runPaced } from '../../primitives/paced.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { type ForkRules, forkRules, type HardforkName, isAtLeast } from '../../protocol/forks.ts'
import type { BlockHeader } from '../../protocol/header.ts'
import { isEmptyAccount, sameRecord } from '../../state/accounts.ts'
import { type Codes, EMPTY_CODE_HASH } from '../../state/codes.ts'
import { emptyDiff, isEmptyDiff } from '../../state/diffs.ts'
import { StateTrie } from '../../state/trie/stateTrie.ts'
import type { SlotKey, StateDiff } from '../../state/types.ts'
import { readState } from '../accountsJson.ts'
import type { JsonFields } from '../jsonFields.ts'
import { type BlockEntry, readBlockEntries } from './blockJson.ts'
import { readDiff } from './diffsText.ts'
import { type BlockSource, type RestoredBlock, restoreBlock, rulesShown } from './restoreBlock.ts'
import { type StateSource, withoutState } from './restoreStates.ts'

type Source = StateSource & Omit<BlockSource, 'rulesOf'>

/** Dev accounts, their balance and the time: used where a dump of anvil lacks them. */
export interface FreshState
  extends Pick<GenesisParameters, 'accounts' | 'balance' | 'contracts' | 'timestamp'> {
  /** The block that the chain stands on. Default: it is not a fork */
  readonly origin?: ForkOrigin | undefined
}

/**
 * Restores the chain of a dump of anvil: its newest block and that block's ancestors, the state
 * after the newest block, and earlier states as far as they are in the dump. State roots are not
 * compared with the headers, because anvil saves states after the cheats that followed a block. Dev
 * accounts that are not in the dump are added, as anvil does. With a fork block, the dump is laid
 * over its state; without its blocks, if they are another chain's.
 *
 * @throws {ChainFileError} if it is malformed, or its blocks do not match their headers
 */
export async function restoreAnvilChain(
  fields: JsonFields,
  source: Source,
  fresh: FreshState,
): Promise<ChainBase> {
  const { engine, codes, store, label, scheduler } = source
  const newest = await runPaced(readState(fields.requiredObject('accounts'), codes), scheduler)
  const entries = await runPaced(anvilEntries(fields, label, engine), scheduler)
  if (fresh.origin !== undefined && !areOnFork(fresh.origin, entries)) {
    return await overForkBlock(fresh.origin, newest, source)
  }
  const blocks: RestoredBlock[] = []
  const { chainId } = engine
  const rulesOf = (entry: BlockEntry) =>
    rulesShown(entry, { ...rulesOfFields(entry.header, engine), chainId })
  for (const entry of entries) {
    blocks.push(await restoreBlock(entry, { ...source, rulesOf }))
    await scheduler.yieldIfDue()
  }
  const found = blocks.pop()
  const { number } = blocks[0] ?? found ?? {}
  const isNext = fresh.origin !== undefined && number === fresh.origin.number + 1
  const below = isNext ? [bareForkBlock(fresh.origin, source)] : []
  const old = await restoreOldStates(fields, blocks, source, fresh.origin)
  const difference = await runPaced(differenceOf(old.state, newest), scheduler)
  const version = await runPaced(store.commitPaced(difference), scheduler)
  const trie = await runPaced(old.trie.applyPaced(difference, store.view(version)), scheduler)
  const head = found ?? environmentBlock(fields, trie.root(), engine, fresh.timestamp)
  checkHardfork(head, label, engine)
  const changes = await runPaced(laterChanges(newest, fresh, source, head), scheduler)
  const sealed: SealedBlock = {
    ...head,
    sealedVersion: version,
    version: isEmptyDiff(changes) ? version : await runPaced(store.commitPaced(changes), scheduler),
    trie,
  }
  const [oldest = sealed, ...later] = [...below, ...old.blocks, sealed]
  const { origin } = fresh
  const history = new History(oldest, { randaoSeed: origin?.hash })
  for (const block of later) history.push(block)
  const cheatDiffs = isEmptyDiff(changes) ? [] : [changes]
  return { store, history, origin, saved: { ...NO_WORK, firstHead: head.number, cheatDiffs } }
}

const NO_WORK = { settings: undefined, next: {}, pending: undefined, mempool: [] }

/** True if blocks follow on the fork block. A dump without blocks says nothing against it. */
function areOnFork(origin: ForkOrigin, entries: readonly BlockEntry[]): boolean {
  const fork = toHex(origin.hash)
  const isOn = ({ hash, header }: BlockEntry) => [hash, toHex(header.parentHash)].includes(fork)
  return entries.length === 0 || entries.some(isOn)
}

/** The fork block without own changes. */
function bareForkBlock(origin: ForkOrigin, { engine, store }: Source): SealedBlock {
  const version = store.commit(emptyDiff())
  const trie = StateTrie.empty(engine.crypto.keccak256, origin.header.stateRoot)
  return { ...forkBlock(origin, engine), version, sealedVersion: version, trie }
}

/** Applies a state on top of the fork block, as cheats would; absent values stay the upstream's. */
async function overForkBlock(
  origin: ForkOrigin,
  state: StateDiff,
  source: Source,
): Promise<ChainBase> {
  const { store, scheduler } = source
  for (const [key, record] of state.accounts) {
    const isEmpty = record === null || isEmptyAccount(record)
    if (isEmpty && !state.storage.has(key)) state.accounts.delete(key)
  }
  const changes = await runPaced(differenceOf(emptyDiff(), state), scheduler)
  const bare = bareForkBlock(origin, source)
  const head = { ...bare, version: await runPaced(store.commitPaced(changes), scheduler) }
  const saved = { ...NO_WORK, firstHead: origin.number, cheatDiffs: [changes] }
  return { store, history: new History(head, { randaoSeed: origin.hash }), origin, saved }
}

/**
 * Restores the blocks before the newest one. States are restored only for the blocks after the last
 * one whose state is missing. Also returns the newest of these states, and its trie.
 */
async function restoreOldStates(
  fields: JsonFields,
  blocks: readonly RestoredBlock[],
  { engine, codes, store, scheduler }: Source,
  origin: ForkOrigin | undefined,
) {
  const states = new Map<Hex, StateDiff>()
  for (const [hash, json] of fields.pairs('historical_states')) {
    const read = await runPaced(readHistoricalState(json, codes), scheduler)
    if (read !== undefined) states.set(hash, read)
  }
  const first = blocks.findLastIndex(({ hash }) => !states.has(hash)) + 1
  const restored = blocks.slice(0, first).map(withoutState)
  let state = emptyDiff()
  let trie = StateTrie.empty(engine.crypto.keccak256, origin?.header.stateRoot)
  for (const block of blocks.slice(first)) {
    const next = states.get(block.hash) ?? state
    const difference = await runPaced(differenceOf(state, next), scheduler)
    const version = await runPaced(store.commitPaced(difference), scheduler)
    trie = await runPaced(trie.applyPaced(difference, store.view(version)), scheduler)
    restored.push({ ...block, version, sealedVersion: version, trie })
    state = next
  }
  return { blocks: restored, state, trie }
}

/** @throws {ChainFileError} if the node's hardfork is earlier than that of the newest block */
function checkHardfork(head: RestoredBlock, label: string, { schedule }: Engine): void {
  const { hardfork } = schedule.at(head.header.number + 1n, head.header.timestamp)
  if (isAtLeast(hardfork, head.rules.hardfork)) return
  throw new ChainFileError(
    `${label} was made under ${head.rules.hardfork} or a later hardfork, and this node has ${hardfork}: start it with the hardfork ${head.rules.hardfork} or a later one.`,
  )
}

/**
 * Changes to the loaded state: adds the dev accounts that are not in the dump, and removes accounts
 * that a failed contract creation left empty (EIP-161).
 */
function* laterChanges(
  state: StateDiff,
  fresh: FreshState,
  { engine, codes }: Source,
  { header }: RestoredBlock,
): Paced<StateDiff> {
  const rules = engine.schedule.at(header.number + 1n, header.timestamp)
  // On a fork, the state below has them.
  const { accounts, storage } =
    fresh.origin === undefined ? genesisState(fresh, rules, { codes }) : emptyDiff()
  for (const [key, record] of state.accounts) {
    yield
    accounts.delete(key)
    storage.delete(key)
    if (record === null || state.storage.has(key)) continue
    if (isEmptyAccount(record)) accounts.set(key, null)
  }
  return { accounts, storage }
}

/**
 * The entries of the newest block and its ancestors, oldest first: anvil writes blocks in any
 * order, and keeps those that a reorganisation has orphaned.
 */
function* anvilEntries(fields: JsonFields, label: string, { crypto }: Engine): Paced<BlockEntry[]> {
  const blocks = yield* readBlockEntries(fields, crypto)
  const best = fields.number('best_block_number')
  const numbers = new Set(blocks.map(({ header }) => header.number))
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  let block =
    blocks.findLast(({ header }) => header.number === best) ??
    blocks.toSorted((one, other) => Number(one.header.number - other.header.number)).at(-1)
  const chain: BlockEntry[] = []
  while (block !== undefined) {
    const { header }: BlockEntry = block
    chain.push(block)
    block = byHash.get(toHex(header.parentHash))
    if (block === undefined && numbers.has(header.number - 1n)) {
      throw new ChainFileError(
        `${label}: block ${header.number} has the parent ${toHex(header.parentHash)}, and no block ${header.number - 1n} has that hash.`,
      )
    }
  }
  return chain.reverse()
}

/** For each hardfork, a header field that it introduced; newest hardfork first. */
const FIRST_FIELDS: readonly [HardforkName, keyof BlockHeader][] = [
  ['amsterdam', 'blockAccessListHash'],
  ['prague', 'requestsHash'],
  ['cancun', 'blobGasUsed'],
  ['shanghai', 'withdrawalsRoot'],
  ['london', 'baseFeePerGas'],
]

/**
 * Infers a block's fork rules from its header: a dump of anvil does not name the hardfork. Its
 * difficulty is 0 under all of them, so that between London and Paris the node's own one decides.
 */
function rulesOfFields(header: BlockHeader, { schedule }: Engine): ForkRules {
  const [hardfork] = FIRST_FIELDS.find(([, field]) => header[field] !== undefined) ?? ['berlin']
  if (hardfork !== 'london' || header.difficulty > 0n) return forkRules(hardfork)
  const isMerged = isAtLeast(schedule.at(header.number, header.timestamp).hardfork, 'paris')
  return forkRules(isMerged ? 'paris' : 'london')
}

/** The newest block of a dump without blocks, as older versions of anvil wrote them. */
function environmentBlock(
  fields: JsonFields,
  stateRoot: Uint8Array,
  engine: Engine,
  time: number,
): RestoredBlock {
  const block = fields.object('block')
  const number = fields.number('best_block_number') ?? block?.number('number', 256) ?? 0n
  const timestamp = block?.number('timestamp', 256) ?? BigInt(time)
  const rules = engine.schedule.at(number, timestamp)
  const blobs = block?.object('blob_excess_gas_and_price')
  const coinbase = block?.bytes('beneficiary', 20) ?? block?.bytes('coinbase', 20)
  const prevRandao = block?.bytes('prevrandao', 32)
  const environment = {
    rules,
    number,
    timestamp,
    gasLimit: block?.number('gas_limit', 256) ?? DEFAULT_GAS_LIMIT,
    baseFeePerGas: block?.number('basefee', 256) ?? 0n,
    coinbase: coinbase ? fromHex(coinbase) : ZERO_ADDRESS,
    prevRandao: prevRandao ? fromHex(prevRandao) : ZERO_HASH,
    difficulty: rules.proofOfStake ? 0n : (block?.number('difficulty', 256) ?? 1n),
    excessBlobGas: blobs?.number('excess_blob_gas') ?? 0n,
    parentBeaconBlockRoot: ZERO_HASH,
    slotNumber: number,
  }
  return emptyBlock(environment, stateRoot, engine)
}

/** As in anvil. */
const DEFAULT_GAS_LIMIT = 30_000_000n

/**
 * Reads the state of an old block, which anvil writes with `--preserve-historical-states` in revm's
 * format.
 *
 * @returns `undefined` if the code of an account is not in the dump
 * @throws {ChainFileError} if it is malformed
 */
function* readHistoricalState(json: JsonFields, codes: Codes): Paced<StateDiff | undefined> {
  const accounts = json.requiredObject('accounts')
  for (const address of accounts.names()) {
    if (!isCodeKnown(accounts.requiredObject(address), codes)) return undefined
    yield
  }
  return yield* readDiff(json, codes)
}

/** True if the code is in the newest state, or in `account` itself, padded with zeros. */
function isCodeKnown(account: JsonFields, codes: Codes): boolean {
  const hash = bytesToText(fromHex(account.requiredBytes('code_hash', 32)))
  if (hash === bytesToText(EMPTY_CODE_HASH) || codes.find(hash) !== undefined) return true
  const legacy = account.object('code')?.object('LegacyAnalyzed')
  const length = Number(legacy?.number('original_len') ?? 0n)
  const added = codes.add(fromHex(legacy?.bytes('bytecode') ?? '0x').subarray(0, length))
  return bytesToText(added) === hash
}

/** The change from the state `before` to `after`. */
function* differenceOf(before: StateDiff, after: StateDiff): Paced<StateDiff> {
  const difference = emptyDiff()
  for (const [key, record] of after.accounts) {
    if (!sameRecord(before.accounts.get(key) ?? null, record)) difference.accounts.set(key, record)
    yield
  }
  for (const key of before.accounts.keys()) {
    if (!after.accounts.has(key)) difference.accounts.set(key, null)
    yield
  }
  for (const key of keysOfBoth(before.storage, after.storage)) {
    const [old, now] = [before.storage.get(key)?.slots, after.storage.get(key)?.slots]
    const slots = new Map<SlotKey, Uint8Array>()
    for (const slot of keysOfBoth(old, now)) {
      const value = now?.get(slot) ?? EMPTY_BYTES
      if (!sameBytes(old?.get(slot) ?? EMPTY_BYTES, value)) slots.set(slot, value)
      yield
    }
    if (slots.size > 0) difference.storage.set(key, { cleared: false, slots })
  }
  return difference
}

/** Each key that one of the maps has, or both. */
function* keysOfBoth<Key>(
  one: ReadonlyMap<Key, unknown> = new Map(),
  other: ReadonlyMap<Key, unknown> = new Map(),
): Generator<Key, void> {
  yield* one.keys()
  for (const key of other.keys()) if (!one.has(key)) yield key
}
