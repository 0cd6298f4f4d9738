import { objectOf } from '../../primitives/reader.ts'
import { chainText } from '../core/describeTransaction.ts'
import type { WalletMethod } from '../core/types.ts'
import { UnknownChainError } from '../core/walletErrors.ts'
import { CHAIN_ID, list, readParams } from '../core/walletParams.ts'

const PARAMS = list([objectOf({ fields: { chainId: CHAIN_ID } })], 'one object { chainId }')

/** Switches to a known chain (EIP-3326). For others, error 4902 tells dApps to add the chain. */
export default {
  async handle(context, params) {
    const { session } = context
    const [{ chainId }] = readParams(PARAMS, params, session.wallet.settings)
    const wanted = session.chains.find(chainId)
    if (wanted === undefined) {
      throw new UnknownChainError(chainId, 'Add it with wallet_addEthereumChain first.')
    }
    if (chainId === session.chains.active) return null
    const from = session.chains.find(session.chains.active)
    await context.ask({
      chainId,
      isExclusive: true,
      summary: {
        title: 'Switch the network',
        detail: `to ${wanted.chainName}`,
        fields: [
          { label: 'From', value: chainText(from, session.chains.active) },
          { label: 'To', value: chainText(wanted, chainId) },
        ],
        warnings: [],
      },
    })
    session.activate(chainId)
    return null
  },
} satisfies WalletMethod
