import { AbiError, type AbiValue, decodeParameters } from '../../primitives/abi.ts'
import { fromHex, type Hex, isBytes } from '../../primitives/hex.ts'
import { readChain } from './chainRpc.ts'
import { units } from './describeTransaction.ts'
import type { Session } from './session.ts'

export interface SimulatedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** The address of logs that stand for transfers of ether (`traceTransfers`). */
const ETHER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** The address of the logs that say the same from Amsterdam on (EIP-7708). */
const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
/** `Transfer(address,address,uint256)` of ERC-20 and ERC-721, the latter with the id as a topic. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** `Approval(address,address,uint256)` of ERC-20 and ERC-721. */
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** `ApprovalForAll(address,address,bool)` of ERC-721 and ERC-1155. */
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'

/** Number of assets that are shown, since each is asked for its symbol and decimals. */
const MAX_ASSETS = 10
const MAX_SYMBOL_LENGTH = 20
const LARGEST = 2n ** 256n - 1n

/** One line for each token that these logs move from or to an account, and for each allowance. */
export async function assetChanges(
  session: Session,
  account: Hex,
  logs: readonly SimulatedLog[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { wallet } = session
  const amounts = new Map<Hex, bigint>()
  /** Of ERC-1155, by asset and id. */
  const held = new Map<string, { asset: Hex; id: bigint; amount: bigint }>()
  /** By asset and spender; a later approval replaces an earlier one. */
  const allowances = new Map<string, { asset: Hex; spender: Hex; amount: bigint }>()
  const others: string[] = []
  for (const log of logs) {
    const [kind, first, second, third] = log.topics
    if (first === undefined || second === undefined) continue
    const asset = lower(log.address)
    if (asset === SYSTEM) continue
    if (kind === TRANSFER_SINGLE || kind === TRANSFER_BATCH) {
      const sign = third === undefined ? 0n : signOf(account, addressIn(second), addressIn(third))
      if (sign === 0n) continue
      for (const [id, amount] of itemsOf(log)) {
        const known = held.get(`${asset} ${id}`)?.amount ?? 0n
        held.set(`${asset} ${id}`, { asset, id, amount: known + sign * amount })
      }
      continue
    }
    const [from, to] = [addressIn(first), addressIn(second)]
    const sign = signOf(account, from, to)
    const amount = wordOf(log.data)
    if (kind === TRANSFER && sign !== 0n) {
      if (third !== undefined) {
        others.push(`${signText(sign)}token ${BigInt(third)} of ${wallet.checksum(asset)}`)
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
  const changes = [
    shortened(
      [...amounts].filter(([, amount]) => amount !== 0n),
      async ([asset, amount]) =>
        signText(amount) + (await amountText(session, asset, absolute(amount), signal)),
    ),
    shortened(
      [...held.values()].filter(({ amount }) => amount !== 0n),
      async ({ asset, id, amount }) =>
        `${signText(amount)}${absolute(amount)} × token ${id} of ${wallet.checksum(asset)}`,
    ),
    shortened(
      [...allowances.values()],
      async ({ asset, spender, amount }) =>
        `${wallet.describe(spender)} may spend ${await amountText(session, asset, amount, signal)}`,
    ),
    shortened(others, async (line) => line),
  ]
  return (await Promise.all(changes)).flat()
}

/** 1 if the account receives, -1 if it gives, 0 if it does neither, or both. */
function signOf(account: Hex, from: Hex, to: Hex): bigint {
  return BigInt(to === account) - BigInt(from === account)
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

/** The ids and amounts of an ERC-1155 transfer; none if its data is malformed. */
function itemsOf({ topics: [kind], data }: SimulatedLog): readonly (readonly [bigint, bigint])[] {
  const type = kind === TRANSFER_SINGLE ? 'uint256' : 'uint256[]'
  const [ids = [], amounts = []] = decoded([type, type], data).map(integersIn)
  return ids.flatMap((id, index) => {
    const amount = amounts[index]
    return amount === undefined ? [] : [[id, amount] as const]
  })
}

/** The integers in a list, or the one that is none. */
function integersIn({ value }: AbiValue): readonly bigint[] {
  if (typeof value === 'object') return value.flatMap(integersIn)
  return typeof value === 'bigint' ? [value] : []
}

/** Limits of decoding a log or an answer. */
const LIMITS = { elements: 10_000, values: 20_000, bytes: MAX_SYMBOL_LENGTH }

/** ABI-encoded values; none if the data does not fit. */
function decoded(types: readonly string[], data: Hex): readonly AbiValue[] {
  try {
    const parameters = types.map((type) => ({ type, name: '', components: [] }))
    return decodeParameters(parameters, fromHex(data), LIMITS)
  } catch (error) {
    if (error instanceof AbiError) return []
    throw error
  }
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
    readChain(session, signal, 'eth_call', { to: asset, data }, 'pending')
      // A token need not have these functions, and has no code yet if the simulation creates it.
      .catch(() => undefined)
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
  if (!isBytes(data)) return undefined
  const [symbol] = decoded(['string'], data)
  const text =
    symbol === undefined && data.length === 66
      ? Buffer.from(fromHex(data)).toString().replace(/\0+$/, '')
      : symbol?.value
  return typeof text === 'string' && text !== '' ? text : undefined
}
