import { readValue } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { DevnetError, ErrorCode, RefusedError } from '../../primitives/errors.ts'
import { type Hex, isBytes, quantity, quantityFrom, toHex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { ProviderError } from '../../primitives/providerError.ts'
import { type Output, objectOf, type Reader } from '../../primitives/reader.ts'
import { isLoopback } from '../../server/access.ts'
import { requestTo, rpcUrlOf } from './chainRpc.ts'
import type { NonceSource } from './nonces.ts'
import type { RequestContext } from './requestContext.ts'
import type { WalletNode } from './types.ts'
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
 * @param upgrade - given its nonce, returns fields that take the nonce after it, too
 * @throws {DevnetError}
 */
export async function sendTransaction(
  { session, client }: RequestContext,
  chainId: Hex,
  from: Hex,
  transaction: Transaction,
  upgrade?: (nonce: bigint) => Promise<object>,
): Promise<Hex> {
  const { node, nonces } = session.wallet
  const ask: AskChain = (method, ...params) =>
    requestTo(session, chainId, { method, params }, client)
  const chain =
    chainId === node.chainId
      ? ownChain(node, ask)
      : otherChain(node, ask, chainId, rpcUrlOf(session, chainId))
  const { nonce } = transaction
  const count = upgrade === undefined ? 1 : 2
  return await nonces.send(chain, { from, nonce, count }, async (next) => {
    const answer = await chain.send({ ...transaction, from, ...(await upgrade?.(next)) }, next)
    if (isBytes(answer, 32)) return answer
    throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain gave no hash.')
  })
}

/**
 * Sends a call of a batch, for which the user has been asked with the others: one that fails is
 * executed, too, so that it has a receipt.
 *
 * @throws {DevnetError}
 */
export const sendCall: typeof sendTransaction = async (context, chainId, from, call, upgrade) => {
  const send = (fields: Transaction) =>
    sendTransaction(context, chainId, from, fields, upgrade).catch((error: unknown) => {
      // A chain that executes at once answers the failure in place of the hash.
      if (error instanceof ProviderError && error.transactionHash) return error.transactionHash
      throw error
    })
  try {
    return await send(call)
  } catch (refused) {
    // Maybe its gas could not be estimated, because it would fail.
    return await send({ ...call, gas: FAILING_GAS }).catch(() => Promise.reject(refused))
  }
}

/** Gas of a call that fails, unless it needs more to fail: the most since Osaka (EIP-7825). */
const FAILING_GAS: Hex = '0x1000000'

type AskChain = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** A chain to which the wallet sends. */
interface SendingChain extends NonceSource {
  /** @param next - nonce of a transaction that names none */
  send(transaction: Transaction & { readonly from: Hex }, next: bigint): Promise<unknown>
}

/** The node makes transactions as the wallet does, also for accounts that it impersonates. */
function ownChain(node: WalletNode, ask: AskChain): SendingChain {
  return {
    place: '',
    nextNonce: node.nextNonce,
    takesNonce: node.isWaiting,
    send(transaction, next) {
      // Others may send meanwhile, so the node itself counts.
      const counted = next === node.nextNonce(transaction.from) ? undefined : quantity(next)
      return ask('eth_sendTransaction', { ...transaction, nonce: transaction.nonce ?? counted })
    },
  }
}

/**
 * Another chain, for whose id, which the user saw, transactions are signed.
 *
 * @throws {RefusedError} if it is not on this machine
 */
function otherChain(node: WalletNode, ask: AskChain, chainId: Hex, url: string): SendingChain {
  if (!isLoopback(new URL(url).hostname)) {
    throw new RefusedError(
      'the keys of a devnet may be public knowledge, so the wallet sends nothing to a chain that is not on this machine',
    )
  }
  const quantityOf = async (method: string, ...params: readonly unknown[]) => {
    const value = quantityFrom(await ask(method, ...params))
    if (value !== undefined) return value
    throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain gave no quantity.')
  }
  const takesNonce = async (hash: Hex) => isObject(await ask('eth_getTransactionByHash', hash))
  return {
    place: url,
    nextNonce: (account) => quantityOf('eth_getTransactionCount', account, 'pending'),
    takesNonce,
    async send(transaction, nonce) {
      const { from, to, value, input, data, accessList, authorizationList } = transaction
      const call = { from, to, value, data: input ?? data, accessList, authorizationList }
      const request = readValue(callRequest(), transaction)
      const gas = request.gas ?? (await quantityOf('eth_estimateGas', call))
      const block = await ask('eth_getBlockByNumber', 'pending', false)
      const baseFee = isObject(block) ? quantityFrom(block.baseFeePerGas) : undefined
      const raw = await node.sign(
        { ...request, gas },
        {
          chainId: Number(chainId),
          nonce,
          rules: { baseFee: baseFee !== undefined, replayProtection: true },
          baseFeePerGas: baseFee ?? 0n,
          gasPrice: baseFee === undefined ? await quantityOf('eth_gasPrice') : undefined,
          blobBaseFee: request.blobVersionedHashes ? await quantityOf('eth_blobBaseFee') : 0n,
        },
      )
      try {
        return await ask('eth_sendRawTransaction', toHex(raw))
      } catch (error) {
        const transactionHash = toHex(node.keccak256(raw))
        if (!(error instanceof DevnetError) || !(await takesNonce(transactionHash))) throw error
        throw new ProviderError(error, { cause: error, transactionHash })
      }
    },
  }
}
