import { quantity } from '../../primitives/hex.ts'
import { defineMethod, MethodNotFoundError } from '../method.ts'
import { SUGGESTED_TIP } from '../queries/feeHistory.ts'

/** hardhat-viem recognizes anvil by this method, so it exists only with the option `anvil`. */
export default defineMethod({
  handle({ chain, fork, options }) {
    if (!options.anvil) throw new MethodNotFoundError('anvil_nodeInfo')
    const { head, pending, settings } = chain
    const { rules, baseFeePerGas } = pending.environment
    return {
      currentBlockNumber: quantity(head.number),
      currentBlockTimestamp: Number(head.header.timestamp),
      currentBlockHash: head.hash,
      hardFork: `${rules.hardfork.charAt(0).toUpperCase()}${rules.hardfork.slice(1)}`,
      transactionOrder: options.order,
      environment: {
        baseFee: quantity(baseFeePerGas),
        chainId: chain.engine.chainId,
        gasLimit: quantity(settings.gasLimit),
        gasPrice: quantity(baseFeePerGas + SUGGESTED_TIP),
      },
      forkConfig: {
        forkUrl: fork.status()?.origin ?? null,
        forkBlockNumber: chain.origin?.number ?? null,
        forkRetryBackoff: null,
      },
    }
  },
})
