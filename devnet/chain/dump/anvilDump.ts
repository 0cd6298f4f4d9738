import type { Engine } from '../../engine/engine.ts'
import { isAtLeast } from '../../engine/forks.ts'
import { ChainFileError } from '../../errors.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { StateTrie } from '../../state/stateTrie.ts'
import type { StateDiff } from '../../state/types.ts'
import type { SealedBlock } from '../block.ts'
import { isEmptyDiff } from '../diffs.ts'
import { genesisState } from '../genesis.ts'
import type { BlockHeader } from '../header.ts'
import { History } from '../history.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import type { ChainOrigin } from '../origin.ts'
import { anvilEntries, environmentBlock, rulesOfFields } from './anvilBlocks.ts'
import { differenceOf, readHistoricalStates } from './anvilStates.ts'
import { type BlockSource, type RestoredBlock, restoreBlock } from './restoreBlock.ts'
import type { FreshState } from './restoreChain.ts'
import { readState, type StateSource, withoutState } from './restoreStates.ts'

type Source = StateSource & Omit<BlockSource, 'rulesOf'>

/**
 * Makes the chain of a dump of anvil: its blocks as far as they hang together, and the state after the newest of them, with
 * those before as far as they are there. States need not have the root that their header names: anvil's cheats after a
 * block leave no trace in its dumps. Accounts that the dump does not have are as a fresh node has them, as with anvil.
 *
 * @throws {ChainFileError}
 */
export async function restoreAnvilChain(
  fields: JsonFields,
  source: Source,
  fresh: FreshState,
): Promise<ChainOrigin> {
  const { engine, store, label, pace } = source
  const newest = readState(fields, engine)
  const blocks: RestoredBlock[] = []
  for (const entry of anvilEntries(fields, label, engine)) {
    const rulesOf = (header: BlockHeader) => rulesOfFields(header, label)
    blocks.push(await restoreBlock(entry, { ...source, rulesOf }))
    await pace.breathe()
  }
  const found = blocks.pop()
  const old = restoreOldStates(fields, blocks, source)
  const difference = differenceOf(old.state, newest)
  const version = store.commit(difference)
  const trie = old.trie.apply(difference, store.view(version))
  const head = found ?? environmentBlock(fields, trie.root(), engine, fresh.timestamp)
  checkHardfork(head, label, engine)
  const changes = laterChanges(newest, fresh, engine, head)
  const sealed: SealedBlock = {
    ...head,
    sealedVersion: version,
    version: isEmptyDiff(changes) ? version : store.commit(changes),
    trie,
  }
  const [oldest = sealed, ...later] = [...old.blocks, sealed]
  const history = new History(oldest)
  for (const block of later) history.push(block)
  const saved = {
    firstHead: head.number,
    cheatDiffs: isEmptyDiff(changes) ? [] : [changes],
    standing: undefined,
    next: {},
    pending: undefined,
    mempool: [],
  }
  return { store, history, saved }
}

/** The blocks before the newest: the last ones with their states, as far back as these are there one after the other. */
function restoreOldStates(
  fields: JsonFields,
  blocks: readonly RestoredBlock[],
  { engine, store }: Source,
): { readonly blocks: SealedBlock[]; readonly state: StateDiff; readonly trie: StateTrie } {
  const states = readHistoricalStates(fields, engine)
  const first = blocks.findLastIndex(({ hash }) => !states.has(hash)) + 1
  const restored = blocks.slice(0, first).map(withoutState)
  let state: StateDiff = { accounts: new Map(), storage: new Map() }
  let trie = StateTrie.empty(engine.crypto.keccak256)
  for (const block of blocks.slice(first)) {
    const next = states.get(block.hash) ?? state
    const difference = differenceOf(state, next)
    const version = store.commit(difference)
    trie = trie.apply(difference, store.view(version))
    restored.push({ ...block, version, sealedVersion: version, trie })
    state = next
  }
  return { blocks: restored, state, trie }
}

/** Hardforks do not go backwards. */
function checkHardfork(head: RestoredBlock, label: string, { schedule }: Engine): void {
  const { hardfork } = schedule.at(head.header.number + 1n, head.header.timestamp)
  if (isAtLeast(hardfork, head.rules.hardfork)) return
  throw new ChainFileError(
    `${label} was made under ${head.rules.hardfork} or a later hardfork, and this node has ${hardfork}: start it with the hardfork ${head.rules.hardfork} or a later one.`,
  )
}

/** What of a fresh node's accounts the dump does not have; and those that a failed creation left empty go (EIP-161). */
function laterChanges(
  state: StateDiff,
  fresh: FreshState,
  engine: Engine,
  { header }: RestoredBlock,
): StateDiff {
  const rules = engine.schedule.at(header.number + 1n, header.timestamp)
  const { accounts } = genesisState(fresh, rules, engine)
  for (const [key, record] of state.accounts) {
    accounts.delete(key)
    if (record === null || state.storage.has(key)) continue
    const { nonce, balance, codeHash } = record
    if (nonce === 0n && balance === 0n && codeHash === EMPTY_CODE_HASH) accounts.set(key, null)
  }
  return { accounts, storage: new Map() }
}
