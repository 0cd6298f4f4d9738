import { expect } from 'vitest'
import { blockRefOf } from '../../../../devnet/json/blockRef.ts'
import { formatBlock } from '../../../../devnet/json/formatBlock.ts'
import { formatReceipt } from '../../../../devnet/json/formatReceipt.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { profileOf } from '../../../../devnet/options/profileTable.ts'
import { type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { flashblocks } from '../../../../devnet/stream/raw/flashblock.ts'
import { type Effect, StreamReader } from '../../../../devnet/stream/raw/streamReader.ts'
import { createTestChain, type TestChain } from '../../../support/chain.ts'

/** A message, as far as the tests look at it. */
export interface Message {
  readonly payload_id: Hex
  readonly index: number
  readonly base?: Readonly<Record<string, Hex>> & { readonly parent_hash: Hex }
  readonly diff: {
    readonly transactions: readonly Hex[]
    readonly gas_used: Hex
    readonly receipts_root: Hex
    readonly logs_bloom: Hex
    readonly blob_gas_used?: Hex
    readonly withdrawals_root?: Hex
  } & Readonly<Record<string, unknown>>
  readonly metadata: {
    readonly block_number: number
    readonly receipts: Readonly<Record<Hex, object>>
    readonly new_account_balances: Readonly<Record<Hex, Hex>>
    readonly steps?: readonly { readonly after: number }[]
    readonly senders?: Readonly<Record<Hex, Hex>>
  } & Readonly<Record<string, unknown>>
}

/** Collects the messages of a chain's stream, as text. */
export function record({ chain }: Pick<TestChain, 'chain'>) {
  const texts: string[] = []
  const stop = flashblocks(profileOf('plain'))(chain).add(({ text }) => texts.push(text.text))
  return { texts, stop, messages: (): Message[] => texts.map((text) => JSON.parse(text)) }
}

/**
 * A second chain that knows of the first one nothing but its genesis and its messages; its own
 * clocks stand still.
 */
export async function createFollower(node: TestChain, options: OptionsInput) {
  const copy = await createTestChain({ ...options, instant: false, frozenTicks: true })
  const reader = new StreamReader(copy.chain, 'stream')
  const stream = record(node)
  const taken: Message[] = []
  /** Reads what has come since; answers what each message did. */
  async function read(): Promise<Effect[]> {
    const effects: Effect[] = []
    for (const text of stream.texts.splice(0)) {
      taken.push(JSON.parse(text))
      effects.push(await reader.read(text))
    }
    return effects
  }
  return { copy, reader, read, stream, taken }
}

/** What a chain shows at one moment: both blocks, all receipts, and the roots of both states. */
export function shown({ chain }: TestChain) {
  const { pending, head } = chain
  const ref = blockRefOf(pending)
  return {
    head: formatBlock(head, true),
    latest: toHex(chain.stateTrie(head).root()),
    pending: formatBlock(pending, true),
    receipts: pending.executed.map((one) => formatReceipt(one, ref)),
    steps: pending.steps,
    state: toHex(chain.stateTrie(pending).root()),
    chainId: chain.engine.chainId,
  }
}

/** Compares all that two chains hold: every block, receipt and code; the states by their roots. */
export function expectEqual(one: TestChain, other: TestChain): void {
  expect(shown(other)).toEqual(shown(one))
  expect(codesOf(other)).toEqual(codesOf(one))
  const { oldest, head } = one.chain.history
  for (const entry of one.chain.history.entries()) {
    const number = 'number' in entry ? entry.number : entry.last
    const [mine, theirs] = [one, other].map(({ chain }) => chain.history.byNumber(number))
    if (mine === undefined || theirs === undefined) throw new Error(`No block ${number}`)
    expect(formatBlock(theirs, true)).toEqual(formatBlock(mine, true))
    const [ref, executed] = [blockRefOf(mine), theirs.executed]
    expect(executed.map((receipt) => formatReceipt(receipt, ref))).toEqual(
      mine.executed.map((receipt) => formatReceipt(receipt, ref)),
    )
    expect(theirs.steps).toEqual(mine.steps)
    expect(theirs.accessList).toEqual(mine.accessList)
    if (mine.accessList === undefined) continue
    const { keccak256 } = one.engine.crypto
    expect(keccak256(mine.accessList)).toEqual(mine.header.blockAccessListHash)
  }
  expect([other.chain.history.oldest, other.chain.history.head.number]).toEqual([
    oldest,
    head.number,
  ])
}

/** The code of every account that has one, in the pending state. */
function codesOf({ chain }: TestChain): Map<string, Hex> {
  const { state } = chain.pending
  const codes = new Map<string, Hex>()
  for (const key of [...chain.store.accountKeys()].sort()) {
    const account = state.account(key)
    const code = account === null ? [] : state.code(account.codeHash)
    if (code.length > 0) codes.set(key, toHex(Uint8Array.from(code)))
  }
  return codes
}
