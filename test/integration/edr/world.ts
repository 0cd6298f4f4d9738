import { getContractAddress, type Hex, numberToHex } from 'viem'
import type { DevAccount } from '../../../devnet/types.ts'
import { RandomTraffic, type Targets } from '../../devnet/chain/randomTraffic.ts'
import type { Random } from '../../support/random.ts'
import type { Duel } from './duel.ts'
import { blockForm, proofForm, receiptForm } from './forms.ts'
import type { PeerOptions } from './peer.ts'
import { balanceSlot, PLAYGROUND_SLOTS, slot } from './slots.ts'
import { hexOf, lower, record } from './values.ts'

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
  readonly sealed: number
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
  /** Hashes of transactions that both nodes have sealed, and not reverted. */
  readonly sealed: Hex[] = []
  /** What has been held against each other, reverted blocks included. */
  readonly compared = { blocks: 0, succeeded: 0, failed: 0 }
  /** Whether the next block has a prevRandao that was given. */
  randao = false
  /** Number and timestamp of the newest block. */
  head: { readonly number: number; readonly timestamp: number }
  /** Blocks whose time was not given, so that each node has its own. */
  readonly untimed = new Set<number>()
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

  /** Holds the blocks after `head` against each other, and what their transactions have touched. */
  async afterSeal(): Promise<void> {
    const { duel } = this
    const newest = Number(await duel.result('eth_blockNumber'))
    for (let number = this.head.number + 1; number <= newest; number++) await this.#sealed(number)
    // The contract that a playground made last, with CREATE2, which no receipt names.
    const { playground } = this.targets
    const made = await duel.result('eth_getStorageAt', [playground, slot(1), 'latest'])
    this.touch(`0x${hexOf(made).slice(-40)}`, slot(0))
    await this.compareTouched()
  }

  async #sealed(number: number): Promise<void> {
    const { duel } = this
    const form = blockForm(this.randao)
    const block = record(
      await duel.result('eth_getBlockByNumber', [numberToHex(number), true], form),
    )
    this.randao = false
    this.untimed.delete(number)
    this.compared.blocks++
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
    const receipt = record(await this.duel.result('eth_getTransactionReceipt', [hash], receiptForm))
    const { contractAddress, logs, status } = receipt
    this.compared[status === '0x1' ? 'succeeded' : 'failed']++
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
  async compareAccount(address: Hex): Promise<void> {
    const slots = [...(this.known.get(address) ?? [])]
    // Playgrounds store hashes of blocks, in which both nodes differ; dev accounts may be one by delegation.
    const storage = address !== this.targets.playground && !this.accounts.includes(address)
    await this.duel.result('eth_getProof', [address, slots, 'latest'], proofForm(storage))
  }
}
