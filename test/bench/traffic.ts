import { encodeAbiParameters, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { artifact } from '../support/solidity.ts'
import { devSenders, type Sender, sign, type TransactionFields } from './signing.ts'

/** A signed transaction and its place in the order of its sender. */
export interface Signed {
  readonly sender: Sender
  readonly nonce: number
  /** Gets the wei or the tokens. */
  readonly recipient: Hex
  readonly raw: Hex
}

/** Senders of all traffic: they have funds at genesis in every peer. */
export const senders = await devSenders(20)

const token = artifact('Token')

/** The contract of {@link Traffic.tokenSetup} or {@link Traffic.callerSetup}: the first transaction of the first sender makes it. */
export const tokenAddress: Hex = getContractAddress({
  from: senders[0]?.address ?? '0x',
  nonce: 0n,
})

/** Parameters of an eth_call that asks for a balance of the ERC-20 contract. */
export function balanceOf(holder: string): { readonly to: Hex; readonly data: Hex } {
  const { abi } = token
  return {
    to: tokenAddress,
    data: encodeFunctionData({ abi, functionName: 'balanceOf', args: [holder] }),
  }
}

/** Raw transactions by what is in them: every node starts with the same state, so they are signed once for all. */
const cache = new Map<string, Hex>()

/** Creates a contract that calls the address in its calldata, without value and data. */
const CALLER = '0x695f5f5f5f5f5f355af1005f52600a6016f3'

type Unnumbered = Omit<TransactionFields, 'nonce'>

/** Signs the transactions that one fresh node gets, with nonces from 0 on. */
export class Traffic {
  readonly #nonces = new Map<Sender, number>()
  #payments = 0

  /** How many transactions each sender has signed: its nonce once all of them are executed. */
  get nonces(): ReadonlyMap<Sender, number> {
    return this.#nonces
  }

  /** Transfers of 1 wei to addresses that do not exist yet, from all senders in turn. */
  transfers(count: number): readonly Signed[] {
    return this.#inTurn(count, 'transfer', (to) => ({ to, value: 1n, gas: 21_000n }))
  }

  /** Transfers 1 wei from each sender in turn to the next one. Kept nowhere, so there can be millions. */
  payment(): Signed {
    const place = this.#payments++ % senders.length
    const sender = senders[place]
    const next = senders[(place + 1) % senders.length]
    if (sender === undefined || next === undefined) throw new Error('No senders')
    const nonce = this.#nonces.get(sender) ?? 0
    this.#nonces.set(sender, nonce + 1)
    const recipient = next.address
    const raw = sign(sender, { to: recipient, value: 1n, gas: 21_000n, nonce })
    return { sender, nonce, recipient, raw }
  }

  /** ERC-20 transfers to addresses that have no tokens yet, from all senders in turn; after {@link tokenSetup}. */
  tokenTransfers(count: number): readonly Signed[] {
    return this.#inTurn(count, 'token', (to) =>
      this.#tokenCall(
        encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, 1n] }),
      ),
    )
  }

  /** Deploys the ERC-20 contract and gives tokens to all senders; must be the first transactions of a node. */
  tokenSetup(): readonly Signed[] {
    const [deployer] = senders
    if (deployer === undefined || this.#nonces.size > 0) throw new Error('Not the first traffic')
    const supply = encodeAbiParameters([{ type: 'uint256' }], [0n])
    const data: Hex = `${token.bytecode}${supply.slice(2)}`
    const mint = (to: Hex) =>
      encodeFunctionData({ abi: token.abi, functionName: 'mint', args: [to, 10n ** 24n] })
    return [
      this.#sign(deployer, tokenAddress, 'deployment', { data, gas: 2_000_000n }),
      ...senders.map((sender) =>
        this.#sign(sender, sender.address, 'mint', this.#tokenCall(mint(sender.address))),
      ),
    ]
  }

  /** Deploys a contract that calls whom it is told; must be the first transaction of a node. */
  callerSetup(): readonly Signed[] {
    const [deployer] = senders
    if (deployer === undefined || this.#nonces.size > 0) throw new Error('Not the first traffic')
    return [this.#sign(deployer, tokenAddress, 'caller', { data: CALLER, gas: 200_000n })]
  }

  /** Calls of an address of its own each, by the contract of {@link callerSetup}. */
  innerCalls(count: number): readonly Signed[] {
    return this.#inTurn(count, 'inner', (to) => ({
      to: tokenAddress,
      data: `0x${to.slice(2).padStart(64, '0')}`,
      gas: 60_000n,
    }))
  }

  #tokenCall(data: Hex): Unnumbered {
    return { to: tokenAddress, data, gas: 80_000n }
  }

  #inTurn(count: number, kind: string, fields: (to: Hex) => Unnumbered): readonly Signed[] {
    return Array.from({ length: count }, (_, index) => {
      const place = index % senders.length
      const sender = senders[place]
      if (sender === undefined) throw new Error('No senders')
      const to = recipientOf(place, this.#nonces.get(sender) ?? 0)
      return this.#sign(sender, to, kind, fields(to))
    })
  }

  #sign(sender: Sender, recipient: Hex, kind: string, fields: Unnumbered): Signed {
    const nonce = this.#nonces.get(sender) ?? 0
    this.#nonces.set(sender, nonce + 1)
    const key = `${kind} ${sender.address} ${nonce}`
    let raw = cache.get(key)
    if (raw === undefined) {
      raw = sign(sender, { ...fields, nonce })
      cache.set(key, raw)
    }
    return { sender, nonce, recipient, raw }
  }
}

/** An address that is like no other of this benchmark, spread over the trie as real ones are. */
function recipientOf(place: number, nonce: number): Hex {
  // Not the zero address, which gets the fees on anvil.
  const index = ((nonce << 5) | place) + 1
  const spread = Math.imul(index, 0x9e3779b1) >>> 0
  return `0x${spread.toString(16).padStart(8, '0')}${'0'.repeat(24)}${index.toString(16).padStart(8, '0')}`
}
