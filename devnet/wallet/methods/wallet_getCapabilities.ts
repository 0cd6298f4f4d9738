import { listOf, nullish } from '../../primitives/reader.ts'
import type { WalletMethod } from '../core/types.ts'
import { ACCOUNT, CHAIN_ID, list, readParams, requireAccount } from '../core/walletParams.ts'

const PARAMS = list(
  [ACCOUNT, nullish(listOf(CHAIN_ID, 'a list of chain ids'))],
  'the account and, if wanted, chain ids',
  1,
)

/** Capabilities of `wallet_sendCalls` by chain (EIP-5792); unknown chains are omitted. */
export default {
  isRead: true,
  handle(context, params) {
    const [from, wanted] = readParams(PARAMS, params, context.session.wallet.settings)
    requireAccount(context, from)
    const chains = context.session.chains.list().map((chain) => chain.chainId)
    const shown = chains.filter((id) => wanted === undefined || wanted.includes(id))
    return Object.fromEntries(shown.map((id) => [id, { atomic: { status: 'unsupported' } }]))
  },
} satisfies WalletMethod
