import { type CallNames, standardNames } from '../../rpc/naming/contractNames.ts'
import { calldata, chainText, describeTransaction } from '../core/describeTransaction.ts'
import type { Facts } from '../core/facts.ts'
import { sendTransaction, TRANSACTION } from '../core/sendTransaction.ts'
import { askToSend } from '../core/simulation.ts'
import type { WalletMethod } from '../core/types.ts'
import { WalletParamsError } from '../core/walletErrors.ts'
import { list, readParams, senderOf } from '../core/walletParams.ts'

const PARAMS = list([TRANSACTION], 'one transaction')

/** Sends a transaction of a connected account on the active chain. */
export default {
  async handle(context, params) {
    const { session } = context
    const [transaction] = readParams(PARAMS, params, session.wallet.settings)
    const { active } = session.chains
    const { chainId } = transaction
    if (chainId && BigInt(chainId) !== BigInt(active)) {
      const expected = `the active chain (${active}): switch to the other with wallet_switchEthereumChain first`
      throw new WalletParamsError('chainId', 'chain-mismatch', expected, chainId)
    }
    const from = senderOf(context, transaction.from)
    const { wallet } = session
    const chain = session.chains.find(active)
    const symbol = chain?.nativeCurrency.symbol ?? ''
    const summarize = (
      [names = standardNames(wallet.naming, calldata(transaction))]: readonly CallNames[],
      facts: Facts,
    ) => {
      const { title, detail, fields, warnings } = describeTransaction(
        wallet,
        transaction,
        names,
        facts,
        symbol,
      )
      return {
        title,
        detail,
        fields: [
          { label: 'From', value: wallet.describe(from) },
          ...fields,
          { label: 'Network', value: chainText(chain, active) },
        ],
        warnings,
      }
    }
    await askToSend(context, { from, transactions: [transaction], summarize })
    return sendTransaction(context, active, from, transaction)
  },
} satisfies WalletMethod
