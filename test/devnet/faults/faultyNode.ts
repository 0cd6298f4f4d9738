import type { FaultRule } from '../../../devnet/faults/types.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Status } from '../../../devnet/types.ts'
import { createRpcChain, SLOW_CLOCKS } from '../rpc/methods/rpcChain.ts'

/** A node under rules, whose clocks beat only by command unless `options` say otherwise. */
export async function nodeUnder(
  rules: readonly FaultRule[],
  { seed, ...options }: { readonly seed?: number } & OptionsInput = {},
) {
  // A look-up of what waits does not wait for a tick that no command runs.
  const node = await createRpcChain({ ...SLOW_CLOCKS, syncTimeout: 20, ...options })
  const { account, call } = node
  await call('preconf_faults', { rules, seed })
  return {
    ...node,
    /** Sends a transfer from an account. */
    send: (from: number, request: object = {}) =>
      call<Hex>('eth_sendTransaction', {
        from: account(from).address,
        to: account(9).address,
        ...request,
      }),
    tick: () => call<Status>('preconf_advance', { ticks: 1 }),
    seal: () => call<Status>('preconf_seal'),
    /** Hashes of the transactions of a block, the newest sealed one by default. */
    block: async (reference = 'latest') => {
      const block = await call<{ transactions: Hex[] }>('eth_getBlockByNumber', reference, false)
      return block.transactions
    },
    receipt: (hash: Hex) => call<{ blockHash: Hex } | null>('eth_getTransactionReceipt', hash),
  }
}

/** How often each rule has fired. */
export const fired = ({ faults }: Status) => faults?.rules.map((rule) => rule.fired)

/** An account of the default mnemonic. */
export function account(index: number): Hex {
  const address = ACCOUNTS[index]
  if (address === undefined) throw new Error(`No account ${index}`)
  return address
}

const ACCOUNTS: readonly Hex[] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
]
