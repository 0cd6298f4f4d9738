// An index of token balances, made from the flashblock stream alone: what is pre-confirmed stands
// beside what is sealed. It reads the receipts in a message, which all profiles but base have. As a
// program, it shows one over a node of its own:
//
//   node examples/indexer/indexer.ts
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createDevnet } from 'hardhat-pending-node/devnet'

/** What the index reads of a message. */
interface Flashblock {
  /** Another id: another build of a block, which replaces one with the same number. */
  readonly payload_id: string
  readonly index: number
  /** Only in the first message of a build. */
  readonly base?: { readonly block_number: string }
  readonly metadata: {
    /** By hash of the transaction. Base has none since its version 0.8. */
    readonly receipts?: Readonly<Record<string, Receipt | Tagged>>
  }
}

interface Receipt {
  readonly logs: readonly Log[]
}

/** A receipt below the name of its type, as on Unichain: `{"Eip1559": {…}}`. */
type Tagged = {
  readonly [Type in 'Legacy' | 'Eip2930' | 'Eip1559' | 'Eip7702' | 'Deposit']?: Receipt
}

interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** By holder, what a block adds to the balance. */
type Changes = Map<string, bigint>

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Balances of one token, before and after what is pre-confirmed. */
export class TokenIndex {
  readonly #token: string
  /** The changes by each block, by its number; the last one is pending. */
  readonly #blocks = new Map<number, Changes>()
  #pending: { readonly payloadId: string; readonly number: number; next: number } | undefined

  constructor(token: string) {
    this.#token = token.toLowerCase()
  }

  /**
   * @returns whether the message could be used: not before a block opens, nor after a gap. What the
   * rest of that block holds must then be read over JSON-RPC.
   * @throws {Error} if the messages have no receipts
   */
  add({ payload_id: payloadId, index, base, metadata }: Flashblock): boolean {
    if (base !== undefined) {
      const number = Number(base.block_number)
      // The block before is sealed. After a revert, this one and those behind it are no more.
      for (const later of this.#blocks.keys()) if (later >= number) this.#blocks.delete(later)
      this.#blocks.set(number, new Map())
      this.#pending = { payloadId, number, next: 0 }
    }
    const pending = this.#pending
    if (pending?.payloadId !== payloadId || index !== pending.next) {
      if (pending !== undefined) this.#blocks.delete(pending.number)
      this.#pending = undefined
      return false
    }
    pending.next++
    const changes = this.#blocks.get(pending.number)
    if (metadata.receipts === undefined) {
      throw new Error(
        'The messages of this stream have no receipts, as on Base: follow a node with --profile plain, op-subblocks, unichain or xlayer',
      )
    }
    const logs = Object.values(metadata.receipts).flatMap(logsOf)
    for (const { address, topics, data } of logs) {
      const [event, from, to] = topics
      if (address !== this.#token || event !== TRANSFER || !from || !to || !changes) continue
      change(changes, holder(from), -BigInt(data))
      change(changes, holder(to), BigInt(data))
    }
    return true
  }

  /** The holders, with what they have by the sealed blocks, and with what is pre-confirmed. */
  balances(): Map<string, { readonly sealed: bigint; readonly preconfirmed: bigint }> {
    const sealed: Changes = new Map()
    const preconfirmed: Changes = new Map()
    for (const [number, changes] of this.#blocks) {
      for (const [who, amount] of changes) {
        if (number !== this.#pending?.number) change(sealed, who, amount)
        change(preconfirmed, who, amount)
      }
    }
    return new Map(
      [...preconfirmed].map(([who, balance]) => [
        who,
        { sealed: sealed.get(who) ?? 0n, preconfirmed: balance },
      ]),
    )
  }
}

function logsOf(receipt: Receipt | Tagged): readonly Log[] {
  return 'logs' in receipt ? receipt.logs : Object.values(receipt).flatMap(({ logs }) => logs)
}

function change(changes: Changes, who: string, amount: bigint): void {
  // New tokens come from the zero address.
  if (BigInt(who) !== 0n) changes.set(who, (changes.get(who) ?? 0n) + amount)
}

/** The address in a topic. */
function holder(topic: string): string {
  return `0x${topic.slice(26)}`
}

/** Reads a stream into an index; calls `onChange` after each message. */
export async function follow(url: string, index: TokenIndex, onChange: () => void) {
  const socket = new WebSocket(url)
  socket.addEventListener('message', ({ data }) => {
    if (index.add(JSON.parse(String(data)))) onChange()
  })
  await once(socket, 'open')
  return socket
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await show()

async function show(): Promise<void> {
  await using devnet = createDevnet({ port: 0, frozenTicks: true })
  await devnet.start()
  const [alice, bob] = devnet.accounts.map(({ address }) => address)
  if (alice === undefined || bob === undefined) throw new Error('The node has no accounts')
  const call = (method: string, ...params: unknown[]) => devnet.provider.request({ method, params })

  // Not a token, but all that an index sees of one: it logs Transfer with its three arguments.
  const token = `0x${'70'.repeat(20)}`
  await call('hardhat_setCode', token, `0x6044355f526024356004357f${TRANSFER.slice(2)}60205fa300`)
  const word = (value: bigint) => value.toString(16).padStart(64, '0')
  const move = (from: string, to: string, amount: bigint) =>
    call('eth_sendTransaction', {
      from: alice,
      to: token,
      gas: '0x186a0',
      data: `0x00000000${word(BigInt(from))}${word(BigInt(to))}${word(amount)}`,
    })

  const index = new TokenIndex(token)
  const changed = new EventTarget()
  const socket = await follow(devnet.flashblocksUrl, index, () =>
    changed.dispatchEvent(new Event('change')),
  )
  const print = async (what: string, command: Promise<unknown>) => {
    const next = once(changed, 'change')
    await command
    await next
    console.log(what)
    for (const [who, { sealed, preconfirmed }] of index.balances()) {
      console.log(
        `  ${who === alice ? 'alice' : 'bob  '}  pre-confirmed ${preconfirmed}, sealed ${sealed}`,
      )
    }
  }
  await print('A block opens:', devnet.clock.seal())
  await move('0x0', alice, 100n)
  await print('100 for alice:', devnet.clock.advance({ ticks: 1 }))
  await print('Sealed:', devnet.clock.seal())
  const snapshot = await call('evm_snapshot')
  await move(alice, bob, 30n)
  await print('30 from alice to bob:', devnet.clock.advance({ ticks: 1 }))
  await print('Reverted:', call('evm_revert', snapshot))
  socket.close()
}
