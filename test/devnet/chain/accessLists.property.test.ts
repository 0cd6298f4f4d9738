import { describe, expect, test } from 'vitest'
import { decodeBlock } from '../../../devnet/persistence/import/decodeBlock.ts'
import { importBlock } from '../../../devnet/persistence/import/importBlock.ts'
import { bytesToText, concatBytes, sameBytes } from '../../../devnet/primitives/bytes.ts'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import { encodeRlp, type RlpInput } from '../../../devnet/primitives/rlp.ts'
import { decodeRlp } from '../../../devnet/primitives/rlpReader.ts'
import { encodeBlock, type SealedBlock } from '../../../devnet/protocol/block.ts'
import {
  type AccessedAccount,
  decodeBlockAccessList,
} from '../../../devnet/protocol/blockAccessList.ts'
import { headerContext } from '../../../devnet/protocol/environment.ts'
import type { StepAccesses } from '../../../devnet/protocol/stepAccesses.ts'
import { SYSTEM_ADDRESS } from '../../../devnet/protocol/systemContracts.ts'
import { EMPTY_ACCOUNT, isEmptyAccount } from '../../../devnet/state/accounts.ts'
import { emptyDiff } from '../../../devnet/state/diffs.ts'
import { addressKey, slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../devnet/state/store/versionedStore.ts'
import { StateTrie } from '../../../devnet/state/trie/stateTrie.ts'
import type { SlotKey, StateDiff, StateReader, Version } from '../../../devnet/state/types.ts'
import { temporaryFile } from '../../support/genesisFile.ts'
import { seeds } from '../../support/longRuns.ts'
import { AccessListChain, load } from './accessListChain.ts'

const BLOCKS = 12

function listOf({ accessList }: SealedBlock): AccessedAccount[] {
  if (accessList === undefined) throw new Error('It is no block of Amsterdam')
  return decodeBlockAccessList(accessList)
}

const slotOf = (slot: Uint8Array): SlotKey =>
  slotKeyFromBigInt(slot.length === 0 ? 0n : BigInt(toHex(slot)))

/** What a list changes at an index, in the state before. */
function diffAt(list: readonly AccessedAccount[], at: number, before: StateReader, chain: Replay) {
  const diff = emptyDiff()
  const valueAt = <Value>(changes: readonly (readonly [number, Value])[]) =>
    changes.find(([index]) => index === at)?.[1]
  for (const account of list) {
    const key = addressKey(account.address)
    const [balance, nonce, code] = [
      valueAt(account.balanceChanges),
      valueAt(account.nonceChanges),
      valueAt(account.codeChanges),
    ]
    const slots = new Map<SlotKey, Uint8Array>()
    for (const [slot, changes] of account.storageChanges) {
      const value = valueAt(changes)
      if (value !== undefined) slots.set(slotOf(slot), value)
    }
    if (slots.size > 0) diff.storage.set(key, { cleared: false, slots })
    if (balance === undefined && nonce === undefined && code === undefined) continue
    const was = before.account(key) ?? EMPTY_ACCOUNT
    const is = {
      balance: balance ?? was.balance,
      nonce: nonce ?? was.nonce,
      codeHash: code === undefined ? was.codeHash : chain.engine.codes.add(code),
    }
    if (isEmptyAccount(is)) {
      diff.accounts.set(key, null)
      diff.storage.set(key, { cleared: true, slots: new Map() })
    } else diff.accounts.set(key, is)
  }
  return diff
}

/** The states of a chain, of which each is the one before and what a list says. */
class Replay {
  readonly engine
  readonly store: VersionedStore
  #trie: StateTrie

  constructor({ loaded: { engine, base } }: AccessListChain) {
    this.engine = engine
    const genesis = base.history.byNumber(0)
    if (genesis === undefined) throw new Error('No genesis block')
    const before = base.store.view(genesis.version)
    const diff: StateDiff = { accounts: new Map(), storage: new Map() }
    for (const key of base.store.accountKeys()) {
      const account = before.account(key)
      if (account === null) continue
      diff.accounts.set(key, account)
      const slots = new Map(before.slots(key))
      if (slots.size > 0) diff.storage.set(key, { cleared: false, slots })
    }
    this.store = new VersionedStore(engine.codes)
    this.#trie = StateTrie.empty(engine.crypto.keccak256)
    this.#commit(diff)
    expect(toHex(this.#trie.root())).toBe(toHex(genesis.header.stateRoot))
  }

  /** Applies the list of a block; answers the versions of the state before each index, and after all. */
  apply(block: SealedBlock): Version[] {
    const list = listOf(block)
    const versions = [this.store.head]
    for (let index = 0; index <= block.executed.length + 1; index++) {
      versions.push(this.#commit(diffAt(list, index, this.store.view(), this)))
    }
    expect(toHex(this.#trie.root()), `block ${block.number}`).toBe(toHex(block.header.stateRoot))
    return versions
  }

  #commit(diff: StateDiff): Version {
    const version = this.store.commit(diff)
    this.#trie = this.#trie.apply(diff, this.store.view(version))
    return version
  }
}

/** What a list says of one index, as text; and of whatever the block accesses. */
function changesAt(list: readonly AccessedAccount[], at: number): string[] {
  const lines: string[] = []
  for (const account of list) {
    const name = toHex(account.address)
    const add = (what: string, changes: readonly (readonly [number, unknown])[]) => {
      for (const [index, value] of changes) {
        const text = value instanceof Uint8Array ? toHex(value) : String(value)
        if (index === at) lines.push(`${name} ${what} ${text}`)
      }
    }
    add('balance', account.balanceChanges)
    add('nonce', account.nonceChanges)
    add('code', account.codeChanges)
    for (const [slot, changes] of account.storageChanges) add(toHex(slotBytes(slot)), changes)
  }
  return lines.sort()
}

const slotBytes = (slot: Uint8Array): Uint8Array => Buffer.from(slotOf(slot), 'latin1')

/** As {@link changesAt}, of an execution. */
function changesOf(accesses: StepAccesses): string[] {
  const lines: string[] = []
  for (const { key, balance, nonce, code, writes } of accesses) {
    const name = toHex(Buffer.from(key, 'latin1'))
    if (balance !== undefined) lines.push(`${name} balance ${balance}`)
    if (nonce !== undefined) lines.push(`${name} nonce ${nonce}`)
    if (code !== undefined) lines.push(`${name} code ${toHex(code)}`)
    for (const [slot, value] of writes) {
      lines.push(`${name} ${toHex(Buffer.from(slot, 'latin1'))} ${toHex(value)}`)
    }
  }
  return lines.sort()
}

/** The accounts and slots of a list, or of an execution, as text. */
function touchedBy(list: readonly AccessedAccount[]): Set<string> {
  const touched = new Set<string>()
  for (const { address, storageChanges, storageReads } of list) {
    const name = toHex(address)
    touched.add(name)
    for (const slot of [...storageReads, ...storageChanges.map(([changed]) => changed)]) {
      touched.add(`${name} ${toHex(slotBytes(slot))}`)
    }
  }
  return touched
}

describe.each(seeds(60, 12))('random blocks, seed %i', (seed) => {
  async function create() {
    const chain = await AccessListChain.create(seed)
    const blocks: SealedBlock[] = []
    for (let count = 0; count < BLOCKS; count++) {
      blocks.push(await chain.addRandomBlock(chain.random.below(9)))
    }
    return { chain, blocks }
  }

  test('the list applied to the parent’s state gives the block’s state', async () => {
    const { chain, blocks } = await create()
    const replay = new Replay(chain)
    for (const block of blocks) replay.apply(block)
    expect(blocks.flatMap(({ executed }) => executed).length).toBeGreaterThan(BLOCKS)
  })

  test('transactions in any order, each on what the list says, have the same results', async () => {
    const { chain, blocks } = await create()
    const replay = new Replay(chain)
    const { engine } = chain.loaded
    for (const block of blocks) {
      const list = listOf(block)
      const known = touchedBy(list)
      const versions = replay.apply(block)
      const executor = await engine.executor(block.rules)
      const order = block.executed.map((_, index) => index)
      order.sort(() => (chain.random.once(2) ? 1 : -1))
      for (const index of order) {
        const executed = block.executed[index]
        // What the opening and the transactions before it have left.
        const version = versions[index + 1]
        if (executed === undefined || version === undefined) throw new Error('No such index')
        const view = replay.store.view(version)
        const execution = await executor.use(view, chain.blockHashes, async (machine) =>
          executor.run(machine, executed.transaction, headerContext(block)),
        )
        const { success, gasUsed, logs, accesses = [] } = execution
        expect({ success, gasUsed, logs }).toEqual({
          success: executed.success,
          gasUsed: executed.gasUsed,
          logs: executed.logs,
        })
        expect(changesOf(accesses)).toEqual(changesAt(list, index + 1))
        for (const { key, reads } of accesses) {
          const name = toHex(Buffer.from(key, 'latin1'))
          expect(known).toContain(name)
          for (const slot of reads) {
            expect(known).toContain(`${name} ${toHex(Buffer.from(slot, 'latin1'))}`)
          }
        }
      }
    }
  })

  test('the list is in the order of the EIP, names nothing twice, and not the system', async () => {
    const { chain, blocks } = await create()
    const expectRising = (values: readonly (string | number)[]) => {
      for (const [index, value] of values.entries()) {
        const next = values[index + 1]
        if (next !== undefined) expect(value < next, `${value}, ${next}`).toBe(true)
      }
    }
    for (const block of blocks) {
      const list = listOf(block)
      expectRising(list.map(({ address }) => bytesToText(address)))
      for (const account of list) {
        const { storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges } = account
        expect(sameBytes(account.address, SYSTEM_ADDRESS)).toBe(false)
        const changed = storageChanges.map(([slot]) => slotOf(slot))
        const read = storageReads.map(slotOf)
        expectRising(changed)
        expectRising(read)
        expect(read.filter((slot) => changed.includes(slot))).toEqual([])
        const lists = [
          balanceChanges,
          nonceChanges,
          codeChanges,
          ...storageChanges.map(([, c]) => c),
        ]
        for (const changes of lists) {
          expectRising(changes.map(([index]) => index))
          expect(changes.at(-1)?.[0] ?? 0).toBeLessThanOrEqual(block.executed.length + 1)
        }
        for (const [, changes] of storageChanges) expect(changes).not.toEqual([])
      }
      const { accessList = new Uint8Array(0), header } = block
      const { keccak256 } = chain.loaded.engine.crypto
      expect(encodeRlp(decodeRlp(accessList))).toEqual(accessList)
      expect(keccak256(accessList)).toEqual(header.blockAccessListHash)
    }
  })

  test('another node imports them', async () => {
    const { chain, blocks } = await create()
    const file = temporaryFile('chain.rlp', concatBytes(...blocks.map(encodeBlock)))
    const { base } = await load(chain.genesis, { import: file })
    expect(base.history.head.hash).toBe(chain.head.hash)
    expect(base.history.head.accessList).toEqual(chain.head.accessList)
  })
})

/** Every list that lacks one item of `list`, at any depth, but for the fields of fixed number. */
function* withoutOne(list: RlpInput, depth = 0): Generator<RlpInput> {
  if (list instanceof Uint8Array) return
  // Accounts, slots and changes are items; an account, a slot with its changes, and a change are not.
  const isFixed = depth % 2 === 1
  for (const [index, item] of list.entries()) {
    if (!isFixed) yield list.toSpliced(index, 1)
    for (const smaller of withoutOne(item, depth + 1)) yield list.with(index, smaller)
  }
}

test('an import fails if any item is missing from the list', async () => {
  const chain = await AccessListChain.create(3)
  let block = await chain.addRandomBlock(12)
  const parents: SealedBlock[] = []
  // One with changes of every kind.
  while (!listOf(block).some(({ codeChanges }) => codeChanges.length > 0)) {
    parents.push(block)
    block = await chain.addRandomBlock(12)
  }
  const import_ = temporaryFile('chain.rlp', concatBytes(...parents.map(encodeBlock)))
  const { base, engine } = await load(chain.genesis, { import: import_ })
  const { keccak256 } = engine.crypto
  const { version } = base.history.head
  const failed = new Set<string>()
  for (const list of withoutOne(decodeRlp(block.accessList ?? fromHex('0xc0')))) {
    const blockAccessListHash = keccak256(encodeRlp(list))
    const header = { ...block.header, blockAccessListHash }
    const decoded = decodeBlock(encodeBlock({ ...block, header }), keccak256)
    const imported = importBlock(decoded, base, engine, undefined)
    await expect(imported).rejects.toThrow(
      `has blockAccessListHash ${toHex(blockAccessListHash)}, expected ${toHex(keccak256(block.accessList ?? fromHex('0xc0')))}`,
    )
    failed.add(toHex(blockAccessListHash))
    base.store.abandon(version)
  }
  expect(failed.size).toBeGreaterThan(40)
  const whole = decodeBlock(encodeBlock(block), keccak256)
  expect((await importBlock(whole, base, engine, undefined)).hash).toBe(block.hash)
})
