import type { Hex } from '../../primitives/hex.ts'
import { forward, ownClient } from './chainRpc.ts'
import { units } from './describeTransaction.ts'
import type { Session } from './session.ts'

export interface SimulatedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** The address of logs that stand for transfers of ether (`traceTransfers`). */
const ETHER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** `Transfer(address,address,uint256)` of ERC-20 and ERC-721, the latter with the id as a topic. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** `Approval(address,address,uint256)` of ERC-20 and ERC-721. */
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** `ApprovalForAll(address,address,bool)` of ERC-721 and ERC-1155. */
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'

/** How many assets are shown, since each is asked for its symbol and decimals. */
const MAX_ASSETS = 10
const MAX_SYMBOL_LENGTH = 20
const LARGEST = 2n ** 256n - 1n

/** What an account gains and loses by these logs, and whom it lets spend; one line each. */
export async function assetChanges(
  session: Session,
  account: Hex,
  logs: readonly SimulatedLog[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { wallet } = session
  const amounts = new Map<Hex, bigint>()
  /** By asset and spender; a later approval replaces an earlier one. */
  const allowances = new Map<string, { asset: Hex; spender: Hex; amount: bigint }>()
  const others: string[] = []
  for (const log of logs) {
    const [kind, first, second, id] = log.topics
    if (first === undefined || second === undefined) continue
    const asset = lower(log.address)
    const [from, to] = [addressIn(first), addressIn(second)]
    const amount = wordOf(log.data)
    if (kind === TRANSFER && from !== to && (from === account || to === account)) {
      const sign = to === account ? 1n : -1n
      if (id !== undefined) {
        others.push(`${sign > 0n ? '+' : '−'}token ${BigInt(id)} of ${wallet.checksum(asset)}`)
      } else if (amount !== undefined) {
        amounts.set(asset, (amounts.get(asset) ?? 0n) + sign * amount)
      }
    } else if (from !== account || amount === undefined) {
      // An approval of another account, or of one ERC-721 token.
    } else if (kind === APPROVAL) {
      allowances.set(`${asset} ${to}`, { asset, spender: to, amount })
    } else if (kind === APPROVAL_FOR_ALL && amount !== 0n) {
      others.push(`${wallet.describe(to)} may move all tokens of ${wallet.checksum(asset)}`)
    }
  }
  const changed = [...amounts].filter(([, amount]) => amount !== 0n).slice(0, MAX_ASSETS)
  const allowed = [...allowances.values()].slice(0, MAX_ASSETS)
  return [
    ...(await Promise.all(
      changed.map(async ([asset, amount]) => {
        const sign = amount > 0n ? '+' : '−'
        return sign + (await amountText(session, asset, amount < 0n ? -amount : amount, signal))
      }),
    )),
    ...(await Promise.all(
      allowed.map(async ({ asset, spender, amount }) => {
        const text = await amountText(session, asset, amount, signal)
        return `${wallet.describe(spender)} may spend ${text}`
      }),
    )),
    ...others.slice(0, MAX_ASSETS),
  ]
}

/** An amount of ether or of a token, e.g. `20 TOK (0x5FbDB2315678afecb367f032d93F642f64180aa3)`. */
async function amountText(
  session: Session,
  asset: Hex,
  amount: bigint,
  signal: AbortSignal,
): Promise<string> {
  const { chains, wallet } = session
  if (asset === ETHER) {
    const symbol = chains.find(chains.active)?.nativeCurrency.symbol ?? ''
    return `${units(amount, 18)} ${symbol}`
  }
  const ask = (data: string): Promise<unknown> =>
    forward(session, 'eth_call', [{ to: asset, data }, 'pending'], ownClient(signal)).catch(
      // A token need not have these functions, and has no code yet if the simulation creates it.
      () => undefined,
    )
  const [symbol, decimals] = await Promise.all([ask('0x95d89b41'), ask('0x313ce567')])
  const places = wordOf(decimals)
  const scale = places !== undefined && places <= 77n ? Number(places) : undefined
  const quantity =
    amount === LARGEST
      ? 'unlimited'
      : scale === undefined
        ? `${amount} units of`
        : units(amount, scale)
  return `${quantity} ${textIn(symbol) ?? 'a token'} (${wallet.checksum(asset)})`
}

function lower(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`
}

function addressIn(topic: Hex): Hex {
  return lower(`0x${topic.slice(-40)}`)
}

/** The first word of ABI-encoded data; `undefined` if there is none. */
function wordOf(data: unknown): bigint | undefined {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{64}/i.test(data)) return undefined
  return BigInt(data.slice(0, 66))
}

/** A symbol as a string or, as some old tokens answer it, as 32 bytes. */
function textIn(data: unknown): string | undefined {
  if (typeof data !== 'string' || wordOf(data) === undefined) return undefined
  const bytes = Buffer.from(data.slice(2), 'hex')
  const length = bytes.length >= 64 ? Number(wordOf(`0x${bytes.toString('hex', 32, 64)}`)) : 0
  const text =
    bytes.length === 32
      ? bytes.toString('utf8').replace(/\0+$/, '')
      : bytes.subarray(64, 64 + Math.min(length, MAX_SYMBOL_LENGTH)).toString('utf8')
  return text === '' ? undefined : text
}
