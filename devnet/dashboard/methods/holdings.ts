import { address as addressSchema } from '../../json/params.ts'
import type { Hex } from '../../primitives/hex.ts'
import { wordIn } from '../../rpc/naming/tokenMoves.ts'
import type { Dashboard } from '../dashboard.ts'
import { defineQuery, fields } from '../query.ts'
import type { Received } from '../tokens/tokenHolders.ts'

/** Number of tokens that are asked. */
const MOST = 50

/** ms after which the answer is what was found so far. */
const SEARCH_TIME = 200

/** Tokens of an account in both states, of those that it received on this chain. */
export default defineQuery(
  fields({ address: addressSchema() }),
  async (dashboard, { address }, { signal }) => {
    const isDone = await dashboard.holders.sync(signal, SEARCH_TIME)
    const received = dashboard.holders.receivedBy(address)
    const { naming } = dashboard.work(signal)
    const holdings: Holding[] = []
    for (const one of received.slice(0, MOST)) {
      const holding = await holdingOf(dashboard, address, one)
      await naming.pause()
      if (holding === undefined) continue
      await naming.name(one.asset)
      holdings.push(holding)
    }
    const omitted = Math.max(0, received.length - MOST)
    return {
      /** Tokens that the account has in either state, the newest first. */
      holdings,
      /** Number of further tokens that it received. */
      omitted,
      /** True if the node has not looked at all blocks yet; the next answer has looked further. */
      isPartial: !isDone,
      names: naming.names,
    }
  },
)

export type Holding = NonNullable<Awaited<ReturnType<typeof holdingOf>>>

/** `undefined` if the account has nothing of it in either state, or the token does not say. */
async function holdingOf({ tokens }: Dashboard, account: Hex, { asset, id }: Received) {
  const data = balanceCall(account, id)
  const sealed = wordIn(await tokens.call(asset, data, 'latest')) ?? 0n
  const pending = wordIn(await tokens.call(asset, data, 'pending')) ?? 0n
  if (sealed === 0n && pending === 0n) return undefined
  const { decimals, symbol, isCollectible } = await tokens.factsOf(asset)
  return {
    token: asset,
    /** Of ERC-1155; `null` for other tokens. */
    id: id === null ? null : String(id),
    unit: { decimals: isCollectible ? 0 : decimals, symbol },
    /** In the smallest unit. */
    sealed: String(sealed),
    pending: String(pending),
  }
}

/** Call of `balanceOf(address)`, of ERC-1155 `balanceOf(address,uint256)`. */
function balanceCall(account: Hex, id: bigint | null): Hex {
  const holder = account.slice(2).padStart(64, '0')
  return id === null
    ? `0x70a08231${holder}`
    : `0x00fdd58e${holder}${id.toString(16).padStart(64, '0')}`
}
