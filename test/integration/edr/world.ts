import { encodeAbiParameters, getContractAddress, type Hex, keccak256, numberToHex } from 'viem'
import type { DevAccount } from '../../../devnet/types.ts'
import { RandomTraffic, type Targets } from '../../devnet/chain/randomTraffic.ts'
import type { Random } from '../../support/random.ts'
import type { Duel } from './duel.ts'
import { blockForm, proofForm, receiptForm, record } from './forms.ts'
import type { PeerOptions } from './peer.ts'

/** A transaction that both nodes have accepted and not sealed. */
export interface Pooled {
  readonly hash: Hex
  readonly from: Hex
  readonly nonce: number
}

/** What a snapshot has to bring back here, beside what it brings back in the nodes. */
export interface Saved {
  readonly id: unknown
  readonly nonces: readonly number[]
  readonly pooled: ReadonlyMap<Hex, Pooled>
  readonly randao: boolean
  readonly head: World['head']
}

/** What the run knows of the chain that both nodes build. */
export class World {
  readonly duel: Duel
  readonly traffic: RandomTraffic
  readonly targets: Targets
  readonly pooled = new Map<Hex, Pooled>()
  readonly snapshots: Saved[] = []
  /** Hashes of transactions that both nodes have sealed. */
  readonly sealed: Hex[] = []
  /** Whether the next block has a prevRandao that was given. */
  randao = false
  /** Number and timestamp of the newest block. */
  head: { readonly number: number; readonly timestamp: number }
  /** Every account that may have changed, with what it holds besides slots that are asked for everywhere. */
  readonly known = new Map<Hex, Set<Hex>>()
  /** Accounts that changed since they were last compared. */
  readonly #touched = new Set<Hex>()

  constructor(duel: Duel, seed: number, signers: readonly DevAccount[], options: PeerOptions) {
    this.duel = duel
    this.head = { number: 0, timestamp: options.timestamp }
    this.traffic = new RandomTraffic(seed, signers, options.chainId, options.hardfork)
    const from = this.account(0)
    this.targets = {
      token: lower(getContractAddress({ from, nonce: 0n })),
      playground: lower(getContractAddress({ from, nonce: 1n })),
    }
    for (const address of this.accounts) {
      this.touch(address, ...PLAYGROUND_SLOTS)
      this.touch(this.targets.token, balanceSlot(address))
    }
    this.touch(this.targets.token, slot(0))
    this.touch(this.targets.playground, ...PLAYGROUND_SLOTS)
  }

  get random(): Random {
    return this.traffic.random
  }

  /** Accounts that sign, in lower case. */
  get accounts(): Hex[] {
    return this.traffic.addresses.map(lower)
  }

  account(index: number): Hex {
    const address = this.accounts[index]
    if (address === undefined) throw new Error(`No account ${index}`)
    return address
  }

  /** Marks an account as changed, perhaps in these slots. */
  touch(address: Hex, ...slots: Hex[]): void {
    const known = this.known.get(address) ?? new Set()
    for (const one of slots) known.add(one)
    this.known.set(address, known)
    this.#touched.add(address)
  }

  /** Sends signed bytes to both. */
  async sendRaw(raw: Hex, sender: { readonly from: Hex; readonly nonce: number }): Promise<void> {
    const hash = hexOf(await this.duel.result('eth_sendRawTransaction', [raw]))
    this.pooled.set(hash, { hash, ...sender })
  }

  /** Holds the blocks after `head` against each other, and what their transactions have touched. */
  async afterSeal(): Promise<void> {
    const { duel } = this
    const newest = Number(await duel.result('eth_blockNumber'))
    for (let number = this.head.number + 1; number <= newest; number++) await this.#sealed(number)
    await this.compareTouched()
  }

  async #sealed(number: number): Promise<void> {
    const { duel } = this
    const form = blockForm(this.randao)
    const block = record(await duel.result('eth_getBlockByNumber', [numberToHex(number), true], form))
    this.randao = false
    this.head = { number, timestamp: Number(block.timestamp) }
    this.touch(hexOf(block.miner))
    const transactions = Array.isArray(block.transactions) ? block.transactions.map(record) : []
    for (const { hash, from, to } of transactions) {
      this.pooled.delete(hexOf(hash))
      this.sealed.push(hexOf(hash))
      this.touch(hexOf(from))
      if (to !== null) this.touch(hexOf(to))
      await this.#sealedTransaction(hexOf(hash))
    }
  }

  async #sealedTransaction(hash: Hex): Promise<void> {
    const receipt = record(
      await this.duel.result('eth_getTransactionReceipt', [hash], receiptForm),
    )
    const { contractAddress, logs } = receipt
    if (contractAddress !== null) this.touch(hexOf(contractAddress), slot(0), slot(1))
    if (!Array.isArray(logs)) return
    for (const log of logs) this.touch(hexOf(record(log).address))
  }

  /** Holds all accounts that changed against each other, on `latest`. */
  async compareTouched(): Promise<void> {
    const touched = [...this.#touched]
    this.#touched.clear()
    for (const address of touched) await this.compareAccount(address)
  }

  /** Holds every known account against each other, on `latest`. */
  async compareAll(): Promise<void> {
    this.#touched.clear()
    for (const address of this.known.keys()) await this.compareAccount(address)
  }

  /** Nonce, balance, code hash, storage. */
  async compareAccount(address: Hex, block = 'latest'): Promise<void> {
    const slots = [...(this.known.get(address) ?? [])]
    // Playgrounds store hashes of blocks, in which both nodes differ; dev accounts may be one by delegation.
    const storage = address !== this.targets.playground && !this.accounts.includes(address)
    await this.duel.result('eth_getProof', [address, slots, block], proofForm(storage))
  }
}

export const slot = (index: number | bigint): Hex => numberToHex(index, { size: 32 })

/** Slot of `mapping(uint256 => …)` or `mapping(address => …)` at `base`. */
function mappingSlot(key: Hex, base: number): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'uint256' }],
      [BigInt(key), BigInt(base)],
    ),
  )
}

export const balanceSlot = (address: Hex): Hex => mappingSlot(address, 1)

export const storedSlot = (index: number): Hex => mappingSlot(numberToHex(index), 0)

/**
 * All that a playground stores, but slot 1002, which is prevRandao, and 1003, the hash of a block: each node has its own.
 */
const PLAYGROUND_SLOTS = [
  ...Array.from({ length: 14 }, (_, index) => storedSlot(index)),
  storedSlot(1000),
  storedSlot(1001),
  storedSlot(1004),
  slot(1),
  slot(2),
]

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && value.startsWith('0x')
}

/** The value as hexadecimal text. */
export function hexOf(value: unknown): Hex {
  if (!isHex(value)) throw new Error(`Not hexadecimal: ${JSON.stringify(value)}`)
  return value
}

/** As nodes answer it, without the mixed case of a checksum. */
export function lower(address: Hex): Hex {
  return hexOf(address.toLowerCase())
}
