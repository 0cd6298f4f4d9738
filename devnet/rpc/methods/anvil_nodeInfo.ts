import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { SUGGESTED_TIP } from '../queries/feeHistory.ts'

/** Programs of Foundry recognise a development node by it. */
export default defineMethod({
  handle({ chain, fork, options }) {
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
