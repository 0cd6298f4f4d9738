import { type Hex, keccak256, serializeTransaction } from 'viem'
import { deriveAccounts } from '../../devnet/chain/devAccounts.ts'
import { type Crypto, loadCrypto } from '../../devnet/engine/crypto.ts'

/** The phrase that all peers have by default. */
const MNEMONIC = 'test test test test test test test test test test test junk'

/** The chain id that all peers have by default. */
const CHAIN_ID = 31337

/** One of the dev accounts, which every peer has at genesis. */
export interface Sender {
  /** Lower case. */
  readonly address: Hex
  readonly privateKey: Uint8Array
}

/** What {@link sign} signs. */
export interface TransactionFields {
  readonly nonce: number
  readonly to?: Hex
  /** wei. Default: 0 */
  readonly value?: bigint
  readonly data?: Hex
  readonly gas: bigint
}

const crypto: Crypto = await loadCrypto()

/** The first `count` dev accounts. */
export async function devSenders(count: number): Promise<readonly Sender[]> {
  const accounts = await deriveAccounts(MNEMONIC, count, crypto)
  return accounts.map(({ address, privateKey }) => ({
    address,
    privateKey: Buffer.from(privateKey.slice(2), 'hex'),
  }))
}

/** A raw EIP-1559 transaction; its fees pass at every base fee that a benchmark gets to. */
export function sign(sender: Sender, fields: TransactionFields): Hex {
  const transaction = {
    type: 'eip1559',
    chainId: CHAIN_ID,
    maxFeePerGas: 20_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...fields,
  } as const
  const hash = keccak256(serializeTransaction(transaction), 'bytes')
  const { signature, recoveryId } = crypto.sign(hash, sender.privateKey)
  return serializeTransaction(transaction, {
    r: toHex(signature.subarray(0, 32)),
    s: toHex(signature.subarray(32)),
    yParity: recoveryId,
  })
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
