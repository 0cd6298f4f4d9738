import { DevnetError, ErrorCode, RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isLoopback } from '../../server/access.ts'
import { NoRpcUrlError, postRequest, toCaller } from './chainRpc.ts'
import type { Session } from './session.ts'
import type { WalletClient } from './walletMethod.ts'
import type { Transaction } from './walletTransaction.ts'

/**
 * Sends a transaction of a connected account on the chain that the person saw. The node fills in what is missing, with a nonce that follows
 * on those of all transactions sent before.
 *
 * @param chainId - that was active when the person was asked
 * @throws {DevnetError}
 */
export async function sendTransaction(
  session: Session,
  chainId: Hex,
  from: Hex,
  transaction: Transaction,
  client: WalletClient,
): Promise<Hex> {
  const { wallet } = session
  const request = { ...transaction, from }
  const answer =
    chainId === wallet.node.chainId
      ? await wallet.node.request(
          { method: 'eth_sendTransaction', params: [request] },
          toCaller(client),
        )
      : await session.remoteSends.run(() =>
          signAndSend(session, chainId, from, transaction, client.signal),
        )
  if (typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer)) {
    // The pattern holds the form.
    return answer as Hex
  }
  throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no hash.')
}

/** To another devnet on this machine: signed here, with the id that the wallet registered, never with one that an RPC answers. */
async function signAndSend(
  session: Session,
  chainId: Hex,
  from: Hex,
  transaction: Transaction,
  signal: AbortSignal,
): Promise<unknown> {
  const { chains, wallet } = session
  const url = chains.find(chainId)?.rpcUrls[0]
  if (url === undefined) throw new NoRpcUrlError(chainId)
  if (!isLoopback(new URL(url).hostname)) {
    throw new RefusedError(
      'the keys of a devnet may be public knowledge, so the wallet sends nothing to a chain that is not on this machine',
    )
  }
  const ask = (method: string, ...params: unknown[]) =>
    postRequest(session, url, { method, params }, signal)
  const { fromHex } = await import('../../primitives/hex.ts')
  const { nonce, gas, gasPrice, maxFeePerGas, value, to, input, data } = transaction
  const price =
    quantityOf(maxFeePerGas ?? gasPrice) ?? 2n * wanted(quantityOf(await ask('eth_gasPrice')))
  const tip = quantityOf(transaction.maxPriorityFeePerGas) ?? price
  const call = { from, to, value: value ?? '0x0', data: input ?? data ?? '0x' }
  const raw = await wallet.node.sign(
    from,
    {
      type: 0,
      from: fromHex(from),
      to: to === null || to === undefined ? undefined : fromHex(to),
      nonce:
        quantityOf(nonce) ??
        wanted(quantityOf(await ask('eth_getTransactionCount', from, 'pending'))),
      gasLimit: quantityOf(gas) ?? wanted(quantityOf(await ask('eth_estimateGas', call))),
      value: BigInt(value ?? '0x0'),
      data: fromHex(input ?? data ?? '0x'),
      maxFeePerGas: price,
      maxPriorityFeePerGas: tip < price ? tip : price,
      accessList: [],
      maxFeePerBlobGas: 0n,
      blobVersionedHashes: [],
      authorizationList: [],
    },
    chainId,
  )
  return ask('eth_sendRawTransaction', raw)
}

function quantityOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined
}

/** @throws {DevnetError} */
function wanted(value: bigint | undefined): bigint {
  if (value !== undefined) return value
  throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no quantity.')
}
