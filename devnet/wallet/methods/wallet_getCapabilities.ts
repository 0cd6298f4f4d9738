import { listOf, nullish } from '../../primitives/reader.ts'
import { atomicStatus } from '../core/atomicSend.ts'
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
  async handle(context, params) {
    const [from, wanted] = readParams(PARAMS, params, context.session.wallet.settings)
    requireAccount(context, from)
    const chains = context.session.chains.list().map((chain) => chain.chainId)
    const shown = chains.filter((id) => wanted === undefined || wanted.includes(id))
    const entries = shown.map(async (id) => {
      const status = await atomicStatus(context, id, from)
      return [id, { atomic: { status } }] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  },
} satisfies WalletMethod
