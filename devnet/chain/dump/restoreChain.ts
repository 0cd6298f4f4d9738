import type { SavedClock } from '../../clock/savedClock.ts'
import type { Engine } from '../../engine/engine.ts'
import type { ForkSchedule } from '../../engine/forkSchedule.ts'
import { forkRules } from '../../engine/forks.ts'
import { Pace } from '../../engine/pace.ts'
import { ChainFileError } from '../../errors.ts'
import type { VersionedStore } from '../../state/versionedStore.ts'
import type { Hex } from '../../types.ts'
import { fromHex } from '../bytes.ts'
import type { GenesisParameters } from '../genesis.ts'
import type { BlockHeader } from '../header.ts'
import { type GenesisIdentity, History } from '../history.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import type { ChainOrigin } from '../origin.ts'
import { restoreAnvilChain } from './anvilDump.ts'
import { checkHeaders, readBlockEntries } from './blockEntries.ts'
import { forksFromJson, hardforkFromJson } from './forksJson.ts'
import type { Dump } from './readDump.ts'
import { type RestoredBlock, restoreBlock } from './restoreBlock.ts'
import { restoreStates } from './restoreStates.ts'
import { restoreWork } from './restoreWork.ts'
import { TransactionReader } from './transactionReader.ts'

/** What a node goes on from. */
export interface Restored {
  readonly origin: ChainOrigin
  /** `undefined` in a dump of anvil: time goes on from the newest block. */
  readonly clock: SavedClock | undefined
  readonly instanceId: Hex | undefined
}

/** What a dump of anvil leaves open. */
export type FreshState = Pick<GenesisParameters, 'accounts' | 'balance' | 'timestamp'>

/** The chain of a dump; `undefined` where it does not say so: in one of anvil. */
export function chainOf({ own }: Dump): { chainId: number; schedule: ForkSchedule } | undefined {
  if (own === undefined) return undefined
  return {
    chainId: Number(own.requiredNumber('chain_id')),
    schedule: forksFromJson(own.requiredObject('forks')),
  }
}

/**
 * Makes the chain of a dump, with everything in it held against its roots and hashes. Others get their turn meanwhile.
 *
 * @param engine - of the chain id and the hardforks that {@link chainOf} answers
 * @param store - an empty one
 * @param fresh - a dump of anvil is laid over it
 * @param signal - ends it when aborted
 * @throws {ChainFileError} which says what is wrong
 */
export async function restoreChain(
  dump: Dump,
  engine: Engine,
  store: VersionedStore,
  fresh: FreshState,
  signal?: AbortSignal,
): Promise<Restored> {
  const { label, fields, own } = dump
  const pace = new Pace()
  pace.begin({ signal })
  const reader = new TransactionReader(engine, label)
  const source = { label, engine, store, pace, reader, receipts: receiptsByBlock(fields) }
  if (own === undefined) {
    const origin = await restoreAnvilChain(fields, source, fresh)
    return { origin, clock: undefined, instanceId: undefined }
  }
  const entries = readBlockEntries(fields, engine.crypto)
  checkHeaders(label, entries, own.requiredBytes('head', 32))
  const blocks: RestoredBlock[] = []
  for (const entry of entries) {
    const rulesOf = ({ number, timestamp }: BlockHeader) =>
      entry.json.has('hardfork')
        ? forkRules(hardforkFromJson(entry.json))
        : engine.schedule.at(number, timestamp)
    blocks.push(await restoreBlock(entry, { ...source, rulesOf }))
    await pace.breathe()
  }
  const restored = await restoreStates(fields, own, entries, blocks, source)
  const history = makeHistory(label, restored.blocks, own)
  const saved = await restoreWork(own, history.head, restored.cheatDiffs, engine, reader)
  return {
    origin: { store, history, saved },
    clock: readClock(own.requiredObject('clock')),
    instanceId: own.bytes('instance_id', 32),
  }
}

/** The entries of `transactions` by the hash of their block, in their order there. */
function receiptsByBlock(fields: JsonFields): Map<Hex, JsonFields[]> {
  const placed = fields.objects('transactions').map((entry) => ({
    entry,
    block: entry.requiredBytes('block_hash', 32),
    index: Number(entry.requiredObject('info').requiredNumber('transaction_index')),
  }))
  placed.sort((one, other) => one.index - other.index)
  const receipts = new Map<Hex, JsonFields[]>()
  for (const { entry, block } of placed) {
    const list = receipts.get(block)
    if (list === undefined) receipts.set(block, [entry])
    else list.push(entry)
  }
  return receipts
}

function makeHistory(
  label: string,
  [oldest, ...later]: Awaited<ReturnType<typeof restoreStates>>['blocks'],
  own: JsonFields,
): History {
  if (oldest === undefined) throw new ChainFileError(`${label} has no blocks.`)
  const hashes = new Map<number, Uint8Array>()
  for (const dropped of own.objects('dropped_hashes')) {
    hashes.set(Number(dropped.requiredNumber('number')), fromHex(dropped.requiredBytes('hash', 32)))
  }
  const genesis = own.object('genesis')
  const history = new History(oldest, { hashes, genesis: genesis && readGenesis(genesis) })
  for (const block of later) history.push(block)
  return history
}

function readGenesis(json: JsonFields): GenesisIdentity {
  return {
    hash: fromHex(json.requiredBytes('hash', 32)),
    timestamp: json.requiredNumber('timestamp'),
  }
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
