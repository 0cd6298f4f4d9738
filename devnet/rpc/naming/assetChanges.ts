import { type TokenUnit, tokenAmount } from '../../primitives/amounts.ts'
import type { Hex } from '../../primitives/hex.ts'
import {
  addressIn,
  type EmittedLog,
  ETHER,
  lower,
  movesIn,
  SYSTEM,
  type TokenMove,
  wordIn,
} from './tokenMoves.ts'

/** Names for what the lines show. */
export interface AssetNames {
  /** An address with its name. */
  describe(address: Hex): string
  /** An address with its checksum. */
  checksum(address: Hex): string
  unitOf(asset: Hex): Promise<TokenUnit>
}

/** `Approval(address,address,uint256)` of ERC-20 and ERC-721. */
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** `ApprovalForAll(address,address,bool)` of ERC-721 and ERC-1155. */
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'

/** Number of assets that are shown, since each is asked for its symbol and decimals. */
const MAX_ASSETS = 10

/** One line for each token that these logs move from or to an account, and for each allowance. */
export async function assetChanges(
  names: AssetNames,
  account: Hex,
  logs: readonly EmittedLog[],
): Promise<readonly string[]> {
  const held = sumsOf(logs.flatMap(movesIn)).filter(({ holder }) => holder === account)
  /** By asset and spender; a later approval replaces an earlier one. */
  const allowances = new Map<string, { asset: Hex; spender: Hex; amount: bigint }>()
  const others: string[] = []
  for (const log of logs) {
    const [kind, first, second] = log.topics
    const asset = lower(log.address)
    if (first === undefined || second === undefined || asset === SYSTEM) continue
    const [owner, spender] = [addressIn(first), addressIn(second)]
    const amount = wordIn(log.data)
    if (owner !== account || amount === undefined) {
      // An approval of another account, or of one ERC-721 token.
    } else if (kind === APPROVAL) {
      allowances.set(`${asset} ${spender}`, { asset, spender, amount })
    } else if (kind === APPROVAL_FOR_ALL && amount !== 0n) {
      others.push(`${names.describe(spender)} may move all tokens of ${names.checksum(asset)}`)
    }
  }
  const text = async (asset: Hex, amount: bigint) => {
    const place = asset === ETHER ? '' : ` (${names.checksum(asset)})`
    return `${tokenAmount(amount, await names.unitOf(asset))}${place}`
  }
  const changes = [
    shortened(
      held.filter(({ id }) => id === null),
      async ({ asset, amount }) => signText(amount) + (await text(asset, absolute(amount))),
    ),
    shortened(
      held.filter(({ id, isCollectible }) => id !== null && !isCollectible),
      async ({ asset, id, amount }) =>
        `${signText(amount)}${absolute(amount)} × token ${id} of ${names.checksum(asset)}`,
    ),
    shortened(
      [...allowances.values()],
      async ({ asset, spender, amount }) =>
        `${names.describe(spender)} may spend ${await text(asset, amount)}`,
    ),
    shortened(
      [
        ...held
          .filter(({ isCollectible }) => isCollectible)
          .map(
            ({ asset, id, amount }) => `${signText(amount)}token ${id} of ${names.checksum(asset)}`,
          ),
        ...others,
      ],
      async (line) => line,
    ),
  ]
  return (await Promise.all(changes)).flat()
}

/** The change of what an account holds of an asset. */
export interface HeldChange {
  readonly holder: Hex
  readonly asset: Hex
  readonly id: bigint | null
  /** Not 0; of ERC-721 1 or -1. */
  readonly amount: bigint
  readonly isCollectible: boolean
}

/** Sums of transfers for each account, asset and id, without those that cancel out. */
export function sumsOf(moves: readonly TokenMove[]): readonly HeldChange[] {
  const sums = new Map<string, HeldChange>()
  for (const { asset, from, to, id, amount } of moves) {
    for (const [holder, change] of [
      [from, -(amount ?? 1n)],
      [to, amount ?? 1n],
    ] as const) {
      const key = `${holder} ${asset} ${id}`
      const known = sums.get(key)?.amount ?? 0n
      sums.set(key, { holder, asset, id, amount: known + change, isCollectible: amount === null })
    }
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n)
}

const signText = (amount: bigint) => (amount > 0n ? '+' : '−')
const absolute = (amount: bigint) => (amount < 0n ? -amount : amount)

/** The first {@link MAX_ASSETS} items as text, and how many more there are. */
async function shortened<Item>(
  items: readonly Item[],
  text: (item: Item) => Promise<string>,
): Promise<readonly string[]> {
  const lines = await Promise.all(items.slice(0, MAX_ASSETS).map(text))
  const rest = items.length - lines.length
  return rest > 0 ? [...lines, `… and ${rest.toLocaleString('en')} more`] : lines
}
