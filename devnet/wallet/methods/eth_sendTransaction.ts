import { sendTransaction, TRANSACTION, transactionFields } from '../core/sendTransaction.ts'
import type { WalletMethod } from '../core/types.ts'
import { WalletParamsError } from '../core/walletErrors.ts'
import { list, readParams, requireAccount, senderOf } from '../core/walletParams.ts'

const PARAMS = list([TRANSACTION], 'one transaction')

/** Sends a transaction of a connected account on the active chain. */
export default {
  async handle(context, params) {
    const { session, client } = context
    const [transaction] = readParams(PARAMS, params)
    const { active } = session.chains
    const { chainId } = transaction
    if (chainId && BigInt(chainId) !== BigInt(active)) {
      const expected = `the active chain (${active}): switch to the other with wallet_switchEthereumChain first`
      throw new WalletParamsError('chainId', 'chain-mismatch', expected, chainId)
    }
    const from = senderOf(context, transaction.from ?? undefined)
    const chain = session.chains.find(active)
    await context.ask({
      isChainBound: true,
      summary: {
        title: 'Send a transaction',
        fields: [
          { label: 'From', value: from },
          ...transactionFields(transaction, chain?.nativeCurrency.symbol ?? ''),
          { label: 'Network', value: `${chain?.chainName} (${BigInt(active)})` },
        ],
        warnings: [],
      },
    })
    requireAccount(context, from)
    return sendTransaction(session, active, from, transaction, client)
  },
} satisfies WalletMethod
