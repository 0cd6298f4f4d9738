import type { TokenUnit } from '../../primitives/amounts.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { sumsOf } from '../../rpc/naming/assetChanges.ts'
import { ETHER, type TokenMove } from '../../rpc/naming/tokenMoves.ts'
import type { CallNode } from '../../tracing/callTracer.ts'
import type { Dashboard } from '../dashboard.ts'
import type { Naming } from '../naming.ts'
import { movesOf } from './tokenHolders.ts'

/** Number of transfers and of changes that are listed, and of tokens that are asked. */
const MOST = 200
const MOST_TOKENS = 50

export type Transfers = Awaited<ReturnType<typeof transfersOf>>

/** Ether and tokens that a transaction moved, the latter as its events tell. */
export async function transfersOf(
  { tokens }: Dashboard,
  { logs }: Pick<ExecutedTransaction, 'logs'>,
  call: CallNode,
  naming: Naming,
) {
  const ofTokens = movesOf(logs)
  const all = [...etherMoves(call), ...ofTokens]
  const sums = sumsOf(ofTokens)
  const [shown, changes] = [all.slice(0, MOST), sums.slice(0, MOST)]
  const assets = new Set([...shown, ...changes].map(({ asset }) => asset))
  const units: Record<Hex, TokenUnit> = {}
  for (const asset of [...assets].slice(0, MOST_TOKENS)) {
    const { decimals, symbol } = await tokens.factsOf(asset)
    units[asset] = { decimals, symbol }
    await naming.pause()
  }
  await naming.nameAll([...assets].filter((asset) => asset !== ETHER))
  await naming.nameAll(shown.flatMap(({ from, to }) => [from, to]))
  await naming.nameAll(changes.map(({ holder }) => holder))
  return {
    /** Ether first, then tokens in the order of their events. */
    moves: shown.map(({ asset, from, to, id, amount }) => ({
      ...assetOf(asset, id, amount === null),
      from,
      to,
      /** In the smallest unit. */
      amount: String(amount ?? 1n),
    })),
    omittedMoves: all.length - shown.length,
    /** Sums of tokens by holder, with their sign. */
    held: changes.map(({ holder, asset, id, amount, isCollectible }) => ({
      ...assetOf(asset, id, isCollectible),
      holder,
      amount: String(amount),
    })),
    omittedHeld: sums.length - changes.length,
    units,
  }
}

function assetOf(asset: Hex, id: bigint | null, isCollectible: boolean) {
  return {
    /** `null`: ether. */
    token: asset === ETHER ? null : asset,
    /** Of ERC-721 and ERC-1155; otherwise `null`. */
    id: id === null ? null : String(id),
    /** True for ERC-721, of which there is one of each id. */
    isCollectible,
  }
}

/** Ether that calls moved, those that failed left out; with calls inside of others. */
function etherMoves(root: CallNode): TokenMove[] {
  const moves: TokenMove[] = []
  const stack = [root]
  // Not recursive, because calls nest 1,024 deep.
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.error !== undefined) continue
    const { type, from, to, value = '0x0', calls = [] } = node
    const amount = BigInt(value)
    // DELEGATECALL only repeats the value of its caller, and CALLCODE pays its own account.
    if (to !== undefined && amount > 0n && type !== 'DELEGATECALL' && type !== 'CALLCODE') {
      moves.push({ asset: ETHER, from, to, id: null, amount })
    }
    stack.push(...calls.toReversed())
  }
  return moves
}
