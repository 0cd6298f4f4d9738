import { randomBytes } from 'node:crypto'
import { addr, Transaction } from 'micro-eth-signer'
import { accountsOf, OptionError } from '../../devnet/pluginApi.ts'
import type { ConformanceOptions } from './types.ts'
import type { Endpoint } from './wire.ts'

/** The phrase of most development chains. */
const WELL_KNOWN = 'test test test test test test test test test test test junk'

/** Most attempts to look at something before its seal; each sends three transactions. */
export const MOST_ATTEMPTS = 3

/** Topic of the logs of this run's contracts. */
export const TOPIC = `0x${randomBytes(32).toString('hex')}`

/** Emits {@link TOPIC}, writes 1 to slot 0, and leaves a contract that answers slot 0. */
const DEPLOYMENT = `0x7f${TOPIC.slice(2)}5f5fa160015f55675f545f5260205ff35f5260086018f3`

/** Gas limits, with room for chains that charge more than others. */
const GAS = { deployment: 400_000n, transfer: 100_000n }

/** A signed transaction. */
export interface Signed {
  readonly raw: string
  readonly hash: string
  readonly nonce: number
  /** Recipient, or the contract that it deploys. */
  readonly account: string
}

/** The account that a run spends from. */
export class Sender {
  readonly address: string
  readonly #key: string
  readonly #terms: { readonly chainId: bigint; readonly maxFeePerGas: bigint }

  private constructor(key: string, terms: { chainId: bigint; maxFeePerGas: bigint }) {
    this.#key = key
    this.#terms = terms
    this.address = addr.fromPrivateKey(key).toLowerCase()
  }

  /**
   * @param isSpending - false if the run sends nothing that costs something
   * @throws {OptionError} if the key is not valid, or the account cannot pay what a run may cost
   * @throws {NodeError} if the endpoint does not answer
   */
  static async create(
    endpoint: Endpoint,
    options: ConformanceOptions,
    isSpending: boolean,
  ): Promise<Sender> {
    const key = await privateKey(options)
    const chainId = await endpoint.quantity('eth_chainId')
    // Base fees may rise meanwhile.
    const maxFeePerGas = 2n * (await endpoint.quantity('eth_gasPrice'))
    const sender = new Sender(key, { chainId, maxFeePerGas })
    if (!isSpending) return sender
    const balance = await endpoint.quantity('eth_getBalance', sender.address, 'latest')
    const most = BigInt(MOST_ATTEMPTS) * ((GAS.deployment + 2n * GAS.transfer) * maxFeePerGas + 2n)
    const ether = (wei: bigint) => `${(Number(wei) / 1e18).toFixed(6)} ETH`
    const spends = `spends at most ${ether(most)}, and fees of L1 if the chain has any, in ${3 * MOST_ATTEMPTS} transactions`
    options.log?.(`${sender.address} on chain ${chainId} ${spends}.`)
    if (balance >= most) return sender
    throw new OptionError(
      `${sender.address} has ${ether(balance)} on chain ${chainId}, but a run ${spends}: name another account with --key or --mnemonic.`,
    )
  }

  /** A transfer of 1 wei to an account of its own. */
  transfer(nonce: number): Signed {
    const account = `0x${randomBytes(20).toString('hex')}`
    return this.#sign({ nonce, to: account, value: 1n, gasLimit: GAS.transfer }, account)
  }

  deployment(nonce: number): Signed {
    const account = addr.getCreateAddress(this.address, nonce).toLowerCase()
    const fields = { nonce, to: '0x', value: 0n, gasLimit: GAS.deployment, data: DEPLOYMENT }
    return this.#sign(fields, account)
  }

  /** A transfer of 1 ether by an account that nobody has ever used. */
  unfunded(): { readonly from: string; readonly raw: string } {
    const { privateKey, address } = addr.random()
    const fields = { nonce: 0, to: this.address, value: 10n ** 18n, gasLimit: GAS.transfer }
    return { raw: this.#sign(fields, this.address, privateKey).raw, from: address.toLowerCase() }
  }

  #sign(fields: Unsigned, account: string, key = this.#key): Signed {
    const { nonce } = fields
    const maxPriorityFeePerGas = this.#terms.maxFeePerGas / 2n
    const all = { ...fields, ...this.#terms, maxPriorityFeePerGas, nonce: BigInt(nonce) }
    // The library's limits for what people type would refuse the fees of some chains.
    const signed = Transaction.prepare(all, false).signBy(key, false)
    return { raw: signed.toHex(), hash: signed.hash, nonce, account }
  }
}

interface Unsigned {
  readonly nonce: number
  readonly to: string
  readonly value: bigint
  readonly gasLimit: bigint
  readonly data?: string
}

async function privateKey({ key, mnemonic = WELL_KNOWN }: ConformanceOptions): Promise<string> {
  const text = key ?? (await accountsOf(mnemonic, 1))[0]?.privateKey ?? ''
  if (/^0x[0-9a-f]{64}$/i.test(text) && addr.isValidPrivateKey(text)) return text
  throw new OptionError('--key must be a private key: 0x and 64 hexadecimal digits.')
}
