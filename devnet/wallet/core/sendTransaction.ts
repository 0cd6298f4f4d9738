import { DevnetError, ErrorCode, RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex, isBytes, quantityFrom } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { type Output, objectOf, type Reader } from '../../primitives/reader.ts'
import { isLoopback } from '../../server/access.ts'
import { postRequest, rpcUrlOf, toCaller } from './chainRpc.ts'
import type { Session } from './session.ts'
import type { WalletClient } from './types.ts'
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
  session: Session,
  chainId: Hex,
  from: Hex,
  transaction: Transaction,
  client: WalletClient,
): Promise<Hex> {
  const { node, upgrades } = session.wallet
  const send = (more: object) => {
    const params = [{ ...transaction, ...more, from }]
    return node.request({ method: 'eth_sendTransaction', params }, toCaller(client))
  }
  const answer =
    chainId === node.chainId
      ? await upgrades.behind(from, transaction.nonce, send)
      : await session.remoteSends.run(() =>
          signAndSend(session, chainId, from, transaction, client.signal),
        )
  if (isBytes(answer, 32)) return answer
  throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no hash.')
}

/** Signs for the chain id that the user saw, and sends to that other devnet on this machine. */
async function signAndSend(
  session: Session,
  chainId: Hex,
  from: Hex,
  transaction: Transaction,
  signal: AbortSignal,
): Promise<unknown> {
  const url = rpcUrlOf(session, chainId)
  if (!isLoopback(new URL(url).hostname)) {
    throw new RefusedError(
      'the keys of a devnet may be public knowledge, so the wallet sends nothing to a chain that is not on this machine',
    )
  }
  const ask = (method: string, ...params: unknown[]) =>
    postRequest(session, url, { method, params }, signal)
  const { nonce, gas, gasPrice, maxFeePerGas, value, to, input, data } = transaction
  const price =
    quantityFrom(maxFeePerGas ?? gasPrice) ?? 2n * required(quantityFrom(await ask('eth_gasPrice')))
  const tip = quantityFrom(transaction.maxPriorityFeePerGas) ?? price
  const call = { from, to, value: value ?? '0x0', data: input ?? data ?? '0x' }
  const raw = await session.wallet.node.sign(
    from,
    {
      type: 0,
      from: fromHex(from),
      to: to === undefined ? undefined : fromHex(to),
      nonce:
        quantityFrom(nonce) ??
        required(quantityFrom(await ask('eth_getTransactionCount', from, 'pending'))),
      gasLimit: quantityFrom(gas) ?? required(quantityFrom(await ask('eth_estimateGas', call))),
      value: BigInt(call.value),
      data: fromHex(call.data),
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

/** @throws {DevnetError} if the RPC returned no quantity */
function required(value: bigint | undefined): bigint {
  if (value !== undefined) return value
  throw new DevnetError(ErrorCode.internal, 'The RPC of the active chain answered no quantity.')
}
