// Payments that an app shows as soon as they are pre-confirmed, and takes back when the network
// does: the pre-confirmation may be dropped, and the block reorganised. As a program, it shows both
// over a node of its own:
//
//   node examples/reorg-safe-app/payments.ts
import { fileURLToPath } from 'node:url'
import { createDevnet, type Devnet } from 'hardhat-pending-node/devnet'
import {
  createPublicClient,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  parseGwei,
  TransactionReceiptNotFoundError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'

/** Where a payment is now. All but `final` may change again, in any direction. */
export type Place =
  /** No block has it. */
  | { readonly is: 'waiting' }
  | { readonly is: 'pre-confirmed'; readonly block: bigint }
  | { readonly is: 'sealed'; readonly block: bigint; readonly confirmations: number }
  /** Sealed under as many blocks as were asked for. */
  | { readonly is: 'final'; readonly block: bigint }
  /** Another transaction of its sender has its nonce. */
  | { readonly is: 'replaced' }

/** A payment with what tells it from another one of its sender. */
export interface SignedPayment {
  readonly signed: Hex
  readonly sender: Hex
  readonly nonce: number
}

export interface Followed extends SignedPayment {
  place: Place
}

/** Follows payments until they are final. It believes no receipt that it has seen before. */
export class Payments {
  protected readonly client: PublicClient
  readonly #confirmations: number
  readonly #payments = new Map<Hex, Followed>()

  /** @param confirmations - number of blocks, its own included, that make a payment final */
  constructor(client: PublicClient, confirmations = 3) {
    this.client = client
    this.#confirmations = confirmations
  }

  /** Sends a payment and follows it; keeps its bytes, because it may have to send them again. */
  async send(payment: SignedPayment): Promise<Hex> {
    const hash = keccak256(payment.signed)
    this.#payments.set(hash, { ...payment, place: { is: 'waiting' } })
    await this.offer(payment.signed)
    return hash
  }

  place(hash: Hex): Place | undefined {
    return this.#payments.get(hash)?.place
  }

  /** Asks where each payment is that is not final. To be called at each tick, or every 200 ms. */
  async look(): Promise<void> {
    const latest = await this.client.getBlockNumber({ cacheTime: 0 })
    for (const [hash, payment] of this.#payments) {
      if (payment.place.is !== 'final') payment.place = await this.find(hash, payment, latest)
    }
  }

  protected async find(
    hash: Hex,
    { signed, sender, nonce }: Followed,
    latest: bigint,
  ): Promise<Place> {
    const block = await this.blockOf(hash)
    if (block === undefined) {
      const used = await this.client.getTransactionCount({ address: sender, blockTag: 'latest' })
      if (used > nonce) return { is: 'replaced' }
      await this.offer(signed)
      return { is: 'waiting' }
    }
    if (block > latest) return { is: 'pre-confirmed', block }
    const confirmations = Number(latest - block) + 1
    if (confirmations >= this.#confirmations) return { is: 'final', block }
    return { is: 'sealed', block, confirmations }
  }

  /** Not `waitForTransactionReceipt`, which answers the first receipt that it saw. */
  protected async blockOf(hash: Hex): Promise<bigint | undefined> {
    try {
      const { blockNumber } = await this.client.getTransactionReceipt({ hash })
      return blockNumber
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    }
  }

  /** Gives a node the transaction, which may have it already, or have sealed it just now. */
  protected async offer(signed: Hex): Promise<void> {
    try {
      await this.client.sendRawTransaction({ serializedTransaction: signed })
    } catch (error) {
      if (!(error instanceof Error) || !/already known|nonce too low/.test(error.message))
        throw error
    }
  }
}

export function clientOf({ url }: Pick<Devnet, 'url'>): PublicClient {
  return createPublicClient({ chain: hardhat, transport: http(url) })
}

/**
 * A payment of the node's first account, signed as a wallet does.
 *
 * @param payment.to - default: the node's second account
 */
export async function signPayment(
  { accounts }: Pick<Devnet, 'accounts'>,
  payment: { readonly nonce: number; readonly value: bigint; readonly to?: Hex },
): Promise<SignedPayment> {
  const [alice, bob] = accounts
  if (alice === undefined || bob === undefined) throw new Error('The node has no accounts')
  const signed = await privateKeyToAccount(alice.privateKey).signTransaction({
    to: bob.address,
    ...payment,
    type: 'eip1559',
    gas: 50_000n,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: parseGwei('1'),
    chainId: hardhat.id,
  })
  return { signed, sender: alice.address, nonce: payment.nonce }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await show()

async function show(): Promise<void> {
  await using devnet = createDevnet({ port: 0, frozenTicks: true })
  await devnet.start()
  const { clock, accounts } = devnet
  const client = clientOf(devnet)
  const payments = new Payments(client)
  const address = accounts[1]?.address ?? '0x'
  const print = async (what: string, hash: Hex) => {
    await payments.look()
    const [pending, latest] = await Promise.all([
      client.getBalance({ address, blockTag: 'pending' }),
      client.getBalance({ address, blockTag: 'latest' }),
    ])
    const { is, ...where } = payments.place(hash) ?? { is: 'unknown' }
    const details = Object.entries(where).map(([name, value]) => `, ${name} ${value}`)
    const gained = (balance: bigint) => balance - 10n ** 22n
    console.log(
      `${what}\n  ${is}${details.join('')}; bob has ${gained(pending)}, ${gained(latest)} sealed`,
    )
  }

  // Once, the seal loses what was pre-confirmed; and once, two blocks are reorganised.
  await devnet.faults({
    rules: [
      { kind: 'drop', block: 1 },
      { kind: 'reorg', block: 3, depth: 2 },
    ],
  })
  const hash = await payments.send(await signPayment(devnet, { nonce: 0, value: 5n }))
  await print('Sent:', hash)
  await clock.advance({ ticks: 1 })
  await print('A tick:', hash)
  await clock.seal()
  await print('Block 1 is sealed without it, so it is sent again:', hash)
  await clock.advance({ ticks: 1 })
  await print('A tick:', hash)
  await clock.seal()
  await print('Block 2 is sealed:', hash)
  await clock.seal()
  await print('Blocks 2 and 3 are replaced:', hash)
  await clock.advance({ blocks: 1 })
  await print('Block 4 is sealed:', hash)
  await clock.advance({ blocks: 2 })
  await print('Blocks 5 and 6 are sealed:', hash)
}
