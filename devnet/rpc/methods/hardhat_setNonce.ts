import { address, params, quantity64 } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineCommand } from '../method.ts'

/** Sets an account's nonce. It can be lowered only with the option `anvil`. */
export default defineCommand({
  params: params(address(), quantity64()),
  async run(context, [address, nonce]) {
    const { chain, clocks, options } = context
    const key = addressKeyFromHex(address)
    await clocks.command((writer) => {
      const existing = chain.pending.state.account(key)?.nonce ?? 0n
      if (nonce < existing && !options.anvil) {
        throw new RefusedError(
          `New nonce (${nonce}) must not be smaller than the existing nonce (${existing})`,
        )
      }
      return writer.cheat({ kind: 'setNonce', address, nonce })
    })
  },
})
