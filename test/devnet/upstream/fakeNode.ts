import type { Hex } from '../../../devnet/primitives/hex.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import type { UpstreamTime } from '../../../devnet/upstream/client/upstreamTime.ts'
import type { Answerer, ProxiedItem } from '../../support/upstreamProxy.ts'

/** Waits between attempts take no time; longer ones, which end what hangs, take theirs. */
export const HASTY_TIME: UpstreamTime = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms < 10_000 ? 0 : ms)
    return () => clearTimeout(timer)
  },
  random: () => 0.5,
}

export const HASH: Hex = `0x${'ab'.repeat(32)}`
export const ADDRESS = `0x${'11'.repeat(20)}`
const COINBASE = `0x${'c0'.repeat(20)}`
export const NUMBER = 1000
/** The key of {@link ADDRESS}. */
export const CONTRACT = addressKeyFromHex(ADDRESS)

/** Ten slots, others for each piece. */
export function slotsOf(piece: number): bigint[] {
  return Array.from({ length: 10 }, (_, slot) => BigInt(piece * 10 + slot))
}

export const BLOCK = {
  number: '0x3e8',
  hash: HASH,
  parentHash: `0x${'aa'.repeat(32)}`,
  miner: COINBASE,
  stateRoot: `0x${'5a'.repeat(32)}`,
  timestamp: '0x65000000',
  gasLimit: '0x3938700',
  gasUsed: '0x0',
  difficulty: '0x0',
  extraData: '0x',
  mixHash: `0x${'3a'.repeat(32)}`,
  baseFeePerGas: '0x7',
  withdrawalsRoot: `0x${'77'.repeat(32)}`,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: `0x${'bb'.repeat(32)}`,
  requestsHash: `0x${'99'.repeat(32)}`,
  transactions: [],
}

const UNKNOWN = { error: { code: -32601, message: 'the method does not exist/is not available' } }
const WRONG_FORM = { error: { code: -32602, message: 'invalid argument 1: not a block' } }

/** What the fake node has, and how it behaves. */
export interface FakeNode {
  chainId: number
  block: Readonly<Record<string, unknown>>
  latest: number
  balance: string
  /** Of other accounts than {@link ADDRESS}, by address. */
  balances: Record<string, string>
  nonce: string
  code: string
  /** Values of the contract's slots that are not as usual, by slot. */
  slots: Record<string, string>
  config: unknown
  /** Methods that it does not have. */
  missing: string[]
  /** Forms of block parameters that it takes. */
  forms: ('hashObject' | 'hash' | 'number')[]
  /** What a call with overrides reads of a slot, or as balance of an address; `undefined`: it has none. */
  called: ((key: string) => string) | undefined
  /** Error of all requests for state. */
  stateError: { code: number; message: string } | undefined
}

export function fakeNode(changes: Partial<FakeNode> = {}): FakeNode {
  return {
    chainId: 4242,
    block: BLOCK,
    latest: 1500,
    balance: '0x64',
    balances: {},
    nonce: '0x5',
    code: '0x6001',
    slots: {},
    config: undefined,
    missing: [],
    forms: ['hashObject', 'hash', 'number'],
    called: undefined,
    stateError: undefined,
    ...changes,
  }
}

/** Answers as the fake node does at that moment. */
export function answersOf(node: FakeNode): Answerer {
  return ({ method, params }: ProxiedItem) => {
    if (node.missing.includes(method)) return UNKNOWN
    switch (method) {
      case 'eth_chainId':
        return { result: `0x${node.chainId.toString(16)}` }
      case 'eth_blockNumber':
        return { result: `0x${node.latest.toString(16)}` }
      case 'eth_config':
        return node.config === undefined ? UNKNOWN : { result: node.config }
      case 'eth_getBlockByNumber':
        return { result: isOwn(params[0], node) ? node.block : null }
      case 'eth_call':
        return node.called === undefined ? UNKNOWN : { result: called(node.called, params) }
      case 'eth_getBlockByHash':
        return { result: params[0] === node.block.hash ? node.block : null }
      default:
        return stateOf(node, method, params)
    }
  }
}

function isOwn(reference: unknown, { block }: FakeNode): boolean {
  return reference === block.number || (typeof reference === 'string' && /^[a-z]+$/.test(reference))
}

const ZERO = `0x${'0'.repeat(64)}`

/** Odd slots hold their own number times 42, if nothing else is said. */
export function slotValue({ slots }: Pick<FakeNode, 'slots'>, slot: string): string {
  const number = BigInt(slot)
  const value = number % 2n === 0n ? 0n : number * 42n
  return slots[slot] ?? `0x${value.toString(16).padStart(64, '0')}`
}

/** The answer to a call that reads values: the first word of its code, and theirs. */
function called(read: (key: string) => string, params: readonly unknown[]): string {
  // The code under test makes such calls and no others.
  const [{ to, data }, , overrides] = params as [
    { to: string; data: string },
    unknown,
    Record<string, { code: string }>,
  ]
  const code = overrides[to]?.code ?? '0x'
  const magic = code.slice('0x7f'.length, '0x7f'.length + 64)
  const slots = data.slice(2).match(/.{64}/g) ?? []
  // PUSH20 BALANCE
  const balances = [...code.matchAll(/73(.{40})31/g)].map(([, address = '']) => address)
  const words = [...slots, ...balances].map((key) => read(`0x${key}`).slice(2).padStart(64, '0'))
  return `0x${magic}${words.join('')}`
}

function stateOf(node: FakeNode, method: string, params: readonly unknown[]): object {
  const reference = params.at(-1)
  const form =
    typeof reference === 'object'
      ? 'hashObject'
      : String(reference).length === 66
        ? 'hash'
        : 'number'
  if (!node.forms.includes(form)) return WRONG_FORM
  if (node.stateError !== undefined) return { error: node.stateError }
  const isKnown = params[0] === ADDRESS
  const [balance, nonce, code] = isKnown
    ? [node.balance, node.nonce, node.code]
    : [node.balances[String(params[0])] ?? '0x0', '0x0', '0x']
  switch (method) {
    case 'eth_getBalance':
      return { result: balance }
    case 'eth_getTransactionCount':
      return { result: nonce }
    case 'eth_getCode':
      return { result: code }
    case 'eth_getAccountInfo':
      return { result: { balance, nonce, code } }
    case 'eth_getStorageAt':
      return { result: isKnown ? slotValue(node, String(params[1])) : ZERO }
    default:
      return UNKNOWN
  }
}
