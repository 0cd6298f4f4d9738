import { signTransaction } from '../../engine/signing.ts'
import { readValue } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'
import { type FillTerms, fillOn } from './transactionRequest.ts'
import { defaultAccount, privateKeyOf } from './unlockedAccounts.ts'

/**
 * Makes a transaction for another chain as the node makes one for its own, and signs it.
 *
 * @param transaction - with its gas, in the form of JSON-RPC
 * @throws {InvalidParamsError} if a field does not fit the transaction's type, or the chain
 * @throws {RefusedError} if the sender is not unlocked
 */
export function signForChain(
  context: RpcContext,
  transaction: object,
  terms: FillTerms,
): { readonly raw: Hex; readonly hash: Hex } {
  const {
    from = defaultAccount(context),
    gas = 0n,
    ...rest
  } = readValue(callRequest(), transaction)
  const { crypto } = context.chain.engine
  const fields = fillOn(terms, { ...rest, from, gas })
  if (fields.type >= 2 && !terms.rules.baseFee) {
    throw new InvalidParamsError(
      `chain ${terms.chainId} has no base fee (EIP-1559), so it takes no transaction of type ${fields.type}: give it a gasPrice, and no fields of that type`,
    )
  }
  const key = privateKeyOf(context, from)
  const raw = signTransaction(fields, BigInt(terms.chainId), key, crypto)
  return { raw: toHex(raw), hash: toHex(crypto.keccak256(raw)) }
}
