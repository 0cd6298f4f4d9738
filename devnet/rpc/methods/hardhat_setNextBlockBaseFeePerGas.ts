import { params, quantityOrNumber } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/** Sets the base fee of the pending block in wei; later base fees follow from it. */
export default defineCommand({
  params: params(quantityOrNumber()),
  run: ({ chain, clocks }, [baseFeePerGas]) =>
    clocks.choose(
      (writer) => writer.overrideNext({ baseFeePerGas }),
      () => {
        if (chain.pending.environment.rules.baseFee) return
        throw new RefusedError(
          'hardhat_setNextBlockBaseFeePerGas is disabled because EIP-1559 is not active',
        )
      },
    ),
})
