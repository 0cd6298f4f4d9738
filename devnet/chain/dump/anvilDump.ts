import type { Engine } from '../../engine/engine.ts'
import { type ForkRules, forkRules, type HardforkName, isAtLeast } from '../../engine/forks.ts'
import { ChainFileError } from '../../errors.ts'
import { EMPTY_ROOT } from '../../state/persistentTrie.ts'
import { StateTrie } from '../../state/stateTrie.ts'
import type { StateDiff } from '../../state/types.ts'
import type { Hex } from '../../types.ts'
import { EMPTY_BODY, type SealedBlock } from '../block.ts'
import { fromHex, toHex, ZERO_HASH } from '../bytes.ts'
import { isEmptyDiff } from '../diffs.ts'
import { blobBaseFee } from '../fees.ts'
import { genesisState } from '../genesis.ts'
import { type BlockHeader, encodeHeader } from '../header.ts'
import { History } from '../history.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import type { ChainOrigin } from '../origin.ts'
import { EMPTY_REQUESTS_HASH, makeHeader } from '../roots.ts'
import { headerFromJson } from './headerJson.ts'
import { type BlockSource, type RestoredBlock, restoreBlock } from './restoreBlock.ts'
import type { FreshState } from './restoreChain.ts'
import { readState, type StateSource, withoutState } from './restoreStates.ts'

type Source = StateSource & Omit<BlockSource, 'rulesOf'>

/**
 * Makes the chain of a dump of anvil: its blocks as far as they hang together, and the state after the newest of them.
 * That is laid over the state of a fresh node, as anvil does, and need not have the root that the newest header names:
 * anvil's cheats after a block leave no trace in its dumps.
 *
 * @throws {ChainFileError}
 */
export async function restoreAnvilChain(
  fields: JsonFields,
  source: Source,
  fresh: FreshState,
): Promise<ChainOrigin> {
  const { engine, store, label, pace } = source
  const state = readState(fields, engine)
  const version = store.commit(state)
  const trie = StateTrie.empty(engine.crypto.keccak256).apply(state, store.view(version))
  const blocks: RestoredBlock[] = []
  for (const entry of chainOf(fields, label, engine)) {
    const rulesOf = (header: BlockHeader) => rulesOfFields(header, label)
    blocks.push(await restoreBlock(entry, blocks.at(-1), { ...source, rulesOf }))
    await pace.breathe()
  }
  const head = blocks.pop() ?? environmentBlock(fields, trie.root(), engine, fresh.timestamp)
  checkHardfork(head, label, engine)
  const missing = missingAccounts(state, fresh, engine, head)
  const sealed: SealedBlock = {
    ...head,
    sealedVersion: version,
    version: isEmptyDiff(missing) ? version : store.commit(missing),
    trie,
  }
  const [oldest = sealed, ...later] = [...blocks.map(withoutState), sealed]
  const history = new History(oldest)
  for (const block of later) history.push(block)
  const saved = {
    firstHead: head.number,
    cheatDiffs: isEmptyDiff(missing) ? [] : [missing],
    standing: undefined,
    next: {},
    pending: undefined,
    mempool: [],
  }
  return { store, history, saved }
}

/**
 * The entries of the newest block and its ancestors, oldest first: anvil writes them in any order, and keeps blocks that a
 * reorganisation left behind.
 */
function chainOf(fields: JsonFields, label: string, { crypto }: Engine): JsonFields[] {
  const blocks = fields.objects('blocks').map((entry) => {
    const header = headerFromJson(entry.requiredObject('header'))
    return { entry, header, hash: toHex(crypto.keccak256(encodeHeader(header))) }
  })
  const best = fields.number('best_block_number')
  const numbers = new Set(blocks.map(({ header }) => header.number))
  const byHash = new Map(blocks.map((block) => [block.hash, block]))
  let block =
    blocks.findLast(({ header }) => header.number === best) ??
    blocks.reduce<(typeof blocks)[number] | undefined>(
      (newest, one) =>
        newest === undefined || one.header.number > newest.header.number ? one : newest,
      undefined,
    )
  const chain: JsonFields[] = []
  while (block !== undefined) {
    const { header }: { header: BlockHeader } = block
    chain.unshift(block.entry)
    block = byHash.get(toHex(header.parentHash))
    if (block === undefined && numbers.has(header.number - 1n)) {
      throw new ChainFileError(
        `${label}: block ${header.number} has the parent ${toHex(header.parentHash)}, and no block ${header.number - 1n} has that hash.`,
      )
    }
  }
  return chain
}

/** The first field of a header that came with each hardfork, newest first. */
const BROUGHT: readonly [HardforkName, keyof BlockHeader][] = [
  ['prague', 'requestsHash'],
  ['cancun', 'blobGasUsed'],
  ['shanghai', 'withdrawalsRoot'],
  ['london', 'baseFeePerGas'],
]

/** anvil does not say what hardfork a block is of; its fields tell as much as matters for a block that is sealed. */
function rulesOfFields(header: BlockHeader, label: string): ForkRules {
  const [hardfork] = BROUGHT.find(([, field]) => header[field] !== undefined) ?? ['berlin']
  if (hardfork === 'berlin' && header.difficulty === 0n) {
    throw new ChainFileError(
      `${label}: block ${header.number} has neither a base fee nor a difficulty.`,
    )
  }
  if (hardfork !== 'london') return forkRules(hardfork)
  return forkRules(header.difficulty === 0n ? 'paris' : 'london')
}

/** Hardforks do not go backwards. */
function checkHardfork(head: RestoredBlock, label: string, { schedule }: Engine): void {
  const { hardfork } = schedule.at(head.header.number + 1n, head.header.timestamp)
  if (isAtLeast(hardfork, head.rules.hardfork)) return
  throw new ChainFileError(
    `${label} was made under ${head.rules.hardfork} or a later hardfork, and this node has ${hardfork}: start it with the hardfork ${head.rules.hardfork} or a later one.`,
  )
}

/** The newest block of a dump without blocks, from before anvil wrote them. */
function environmentBlock(
  fields: JsonFields,
  stateRoot: Uint8Array,
  { schedule, crypto }: Engine,
  time: number,
): RestoredBlock {
  const block = fields.object('block')
  const number = fields.number('best_block_number') ?? block?.number('number', 256) ?? 0n
  const timestamp = block?.number('timestamp', 256) ?? BigInt(time)
  const rules = schedule.at(number, timestamp)
  const excessBlobGas = block?.object('blob_excess_gas_and_price')?.number('excess_blob_gas') ?? 0n
  const coinbase = block?.bytes('beneficiary', 20) ?? block?.bytes('coinbase', 20)
  const header = makeHeader(
    {
      rules,
      number,
      timestamp,
      gasLimit: block?.number('gas_limit', 256) ?? DEFAULT_GAS_LIMIT,
      baseFeePerGas: block?.number('basefee', 256) ?? 0n,
      coinbase: fromHex(coinbase ?? `0x${'00'.repeat(20)}`),
      prevRandao: fromHex(block?.bytes('prevrandao', 32) ?? `0x${'00'.repeat(32)}`),
      difficulty: rules.proofOfStake ? 0n : (block?.number('difficulty', 256) ?? 1n),
      excessBlobGas,
      blobBaseFee: blobBaseFee(excessBlobGas, rules.blobSchedule),
      parentBeaconBlockRoot: ZERO_HASH,
    },
    ZERO_HASH,
    {
      stateRoot,
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      logsBloom: new Uint8Array(256),
      gasUsed: 0n,
      blobGasUsed: 0n,
      requestsHash: EMPTY_REQUESTS_HASH,
    },
  )
  const hashBytes = crypto.keccak256(encodeHeader(header))
  const hash: Hex = toHex(hashBytes)
  return { ...EMPTY_BODY, header, rules, number: Number(number), hash, hashBytes, executed: [] }
}

/** anvil's own. */
const DEFAULT_GAS_LIMIT = 30_000_000n

/** Accounts of a fresh node that the dump does not have. */
function missingAccounts(
  state: StateDiff,
  fresh: FreshState,
  engine: Engine,
  { header }: RestoredBlock,
): StateDiff {
  const rules = engine.schedule.at(header.number + 1n, header.timestamp)
  const { accounts } = genesisState(fresh, rules, engine)
  for (const key of state.accounts.keys()) accounts.delete(key)
  return { accounts, storage: new Map() }
}
