import type { UnsignedTransaction } from '../../engine/unsignedTransaction.ts'
import { type Hex, quantity } from '../../primitives/hex.ts'
import type { RpcContext } from '../../rpc/context.ts'
import type { Dispatch } from '../../rpc/dispatch.ts'
import type { Caller } from '../../rpc/method.ts'
import type { RequestArguments } from '../../types.ts'

/** The node under the wallet, as any wallet sees one, and the keys, which never leave it. */
export interface WalletNode {
  /** Chain id as a quantity. */
  readonly chainId: Hex
  /** The accounts whose keys the wallet has, in lower case. */
  readonly accounts: readonly Hex[]
  /** @throws {ProviderError} */
  request(args: RequestArguments, caller: Caller): Promise<unknown>
  /**
   * Signs a transaction for another chain, with that chain's registered id.
   *
   * @returns its EIP-2718 bytes
   * @throws {UnknownAccountError}
   */
  sign(from: Hex, transaction: UnsignedTransaction, chainId: Hex): Promise<Hex>
}

/** The node's side of the wallet. */
export function createWalletNode(
  context: RpcContext,
  dispatch: Pick<Dispatch, 'request'>,
): WalletNode {
  return {
    get chainId(): Hex {
      return quantity(context.chain.engine.chainId)
    },
    accounts: [...context.accounts.keys()],
    request: (args, caller) => dispatch.request(args, caller),
    async sign(from, transaction, chainId) {
      const { privateKeyOf } = await import('../../rpc/sending/unlockedAccounts.ts')
      const { signTransaction } = await import('../../engine/signing.ts')
      const { toHex } = await import('../../primitives/hex.ts')
      const key = privateKeyOf(context, from)
      const { crypto } = context.chain.engine
      return toHex(signTransaction(transaction, BigInt(chainId), key, crypto))
    },
  }
}
