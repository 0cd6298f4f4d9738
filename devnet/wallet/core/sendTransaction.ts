import { DevnetError, ErrorCode, ProviderError, RefusedError } from '../../primitives/errors.ts'
import { type Hex, isBytes, quantity, quantityFrom } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { type Output, objectOf, type Reader } from '../../primitives/reader.ts'
import { isLoopback } from '../../server/access.ts'
import { requestTo, rpcUrlOf } from './chainRpc.ts'
import type { NonceSource } from './nonces.ts'
import type { RequestContext } from './requestContext.ts'
import type { Session } from './session.ts'
import type { WalletClient, WalletNode } from './types.ts'
import { ACCOUNT, BYTES, QUANTITY } from './walletParams.ts'

const FIELDS = objectOf({
  optional: {
    from: ACCOUNT,
    to: ACCOUNT,
    value: QUANTITY,
    data: BYTES,
    input: BYTES,
    gas: QUANTITY,
    nonce: QUANTITY,
    chainId: QUANTITY,
  },
  what: 'a transaction',
})

type Transaction = Partial<Output<typeof FIELDS>> & Readonly<Record<string, unknown>>

/** A transaction from a page. The node checks the fields that are not listed here. */
export const TRANSACTION: Reader<Transaction> = (given, context) => {
  const fields = FIELDS(given, context)
  return isObject(given) ? { ...given, ...fields } : fields
}

/**
 * Sends a transaction of a connected account. Missing fields are filled in; a missing nonce becomes
 * the next one after all earlier transactions, pending ones included.
 *
 * @param chainId - the chain that was active when the user was asked
 * @throws {DevnetError}
 */
export async function sendTransaction(
  { session, client }: Sender,
  chainId: Hex,
  from: Hex,
  transaction: Transaction,
): Promise<Hex> {
  const chain = sendingChain(session, chainId, client)
  const { nonce } = transaction
  return await session.wallet.nonces.send(chain, { from, nonce }, async (next) => {
    const answer = await chain.send({ ...transaction, from }, next)
    if (isBytes(answer, 32)) return answer
    throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no hash.')
  })
}

/**
 * Sends a call of a batch, for which the user has been asked with the others: one that fails is
 * executed, too, so that it has a receipt.
 *
 * @throws {DevnetError}
 */
export async function sendCall(
  sender: Sender,
  chainId: Hex,
  from: Hex,
  call: Transaction,
): Promise<Hex> {
  const send = async (fields: Transaction) => {
    try {
      return await sendTransaction(sender, chainId, from, fields)
    } catch (error) {
      // A chain that executes at once answers the failure in place of the hash.
      if (error instanceof ProviderError && error.transactionHash) return error.transactionHash
      throw error
    }
  }
  try {
    return await send(call)
  } catch (refused) {
    // Maybe its gas could not be estimated, because it would fail.
    return await send({ ...call, gas: FAILING_GAS }).catch(() => Promise.reject(refused))
  }
}

/** A request of a client, in whose name is sent. */
type Sender = Pick<RequestContext, 'session' | 'client'>

/** Gas of a call that fails, unless it needs more to fail: the most since Osaka (EIP-7825). */
const FAILING_GAS: Hex = '0x1000000'

/** A chain to which the wallet sends, this node's or another one on this machine. */
export interface SendingChain extends NonceSource {
  /** @param next - nonce of a transaction that names none */
  send(transaction: Transaction, next: bigint): Promise<unknown>
}

/** @throws {DevnetError} if the chain is on another machine, or has no RPC */
export function sendingChain(session: Session, chainId: Hex, client: WalletClient): SendingChain {
  const ask = (method: string, ...params: readonly unknown[]) =>
    requestTo(session, chainId, { method, params }, client)
  const { node } = session.wallet
  return chainId === node.chainId
    ? ownChain(node, ask)
    : otherChain(node, ask, chainId, rpcUrlOf(session, chainId))
}

type AskChain = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** The node makes transactions as the wallet does, also for accounts that it impersonates. */
function ownChain(node: WalletNode, ask: AskChain): SendingChain {
  return {
    place: '',
    nextNonce: node.nextNonce,
    takesNonce: node.isWaiting,
    send(transaction, next) {
      // Others may send meanwhile, so the node itself counts.
      const counted = next === node.nextNonce(transaction.from ?? '0x') ? undefined : quantity(next)
      return ask('eth_sendTransaction', { ...transaction, nonce: transaction.nonce ?? counted })
    },
  }
}

/** Transactions are signed for the chain id that the user saw. */
function otherChain(node: WalletNode, ask: AskChain, chainId: Hex, url: string): SendingChain {
  if (!isLoopback(new URL(url).hostname)) {
    throw new RefusedError(
      'the keys of a devnet may be public knowledge, so the wallet sends nothing to a chain that is not on this machine',
    )
  }
  const quantityOf = async (method: string, ...params: readonly unknown[]) =>
    required(quantityFrom(await ask(method, ...params)))
  const knows = async (hash: Hex) => isObject(await ask('eth_getTransactionByHash', hash))
  return {
    place: url,
    nextNonce: (account) => quantityOf('eth_getTransactionCount', account, 'pending'),
    takesNonce: knows,
    async send(transaction, next) {
      const { from, to, value, input, data, accessList, authorizationList } = transaction
      const call = { from, to, value, data: input ?? data, accessList, authorizationList }
      const gas = transaction.gas ?? quantity(await quantityOf('eth_estimateGas', call))
      const block = await ask('eth_getBlockByNumber', 'pending', false)
      const baseFee = isObject(block) ? quantityFrom(block.baseFeePerGas) : undefined
      const { raw, hash } = await node.sign(
        { ...transaction, gas },
        {
          chainId: Number(chainId),
          nonce: next,
          rules: { baseFee: baseFee !== undefined },
          baseFeePerGas: baseFee ?? 0n,
          gasPrice: baseFee === undefined ? await quantityOf('eth_gasPrice') : undefined,
          blobBaseFee: transaction.blobVersionedHashes ? await quantityOf('eth_blobBaseFee') : 0n,
        },
      )
      try {
        return await ask('eth_sendRawTransaction', raw)
      } catch (error) {
        if (!(error instanceof DevnetError) || !(await knows(hash))) throw error
        throw new ProviderError(error, { cause: error, transactionHash: hash })
      }
    },
  }
}

/** @throws {DevnetError} if the RPC returned no quantity */
function required(value: bigint | undefined): bigint {
  if (value !== undefined) return value
  throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no quantity.')
}
