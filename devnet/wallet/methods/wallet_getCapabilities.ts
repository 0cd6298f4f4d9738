import * as z from 'zod'
import type { WalletMethod } from '../core/types.ts'
import { ACCOUNT, CHAIN_ID, must, readParams, requireAccount } from '../core/walletParams.ts'

const PARAMS = z.tuple(
  [ACCOUNT, z.array(CHAIN_ID, must('a list of chain ids')).nullish()],
  must('a list of the account and, if wanted, chain ids'),
)

/** Capabilities of `wallet_sendCalls` by chain (EIP-5792); unknown chains are omitted. */
export default {
  isRead: true,
  handle(context, params) {
    const [from, wanted] = readParams(PARAMS, params, context.session.wallet.settings)
    requireAccount(context, from)
    const chains = context.session.chains.list().map((chain) => chain.chainId)
    const shown = chains.filter(
      (id) => wanted === null || wanted === undefined || wanted.includes(id),
    )
    return Object.fromEntries(shown.map((id) => [id, { atomic: { status: 'unsupported' } }]))
  },
} satisfies WalletMethod
