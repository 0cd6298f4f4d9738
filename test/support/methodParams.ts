import {
  accountCode,
  address,
  blockHash,
  blockNumberReference,
  blockReference,
  blockReferenceOrNumber,
  data,
  hash32,
  quantity,
  quantity64,
  quantity64OrNumber,
  quantityOrNumber,
  storageSlot,
  storageSlotText,
} from '../../devnet/json/params.ts'
import { blockOverrides } from '../../devnet/json/schemas/blockOverrides.ts'
import { callRequest } from '../../devnet/json/schemas/callRequest.ts'
import { faultScript } from '../../devnet/json/schemas/faultScript.ts'
import { logFilter } from '../../devnet/json/schemas/logFilter.ts'
import { pageSize } from '../../devnet/json/schemas/pageSize.ts'
import { simulationPayload } from '../../devnet/json/schemas/simulationPayload.ts'
import { stateOverrides } from '../../devnet/json/schemas/stateOverrides.ts'
import { traceCallConfig, traceConfig } from '../../devnet/json/schemas/traceConfig.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { accepts, flag, type Reader } from '../../devnet/primitives/reader.ts'
import { methodFiles } from '../../devnet/rpc/methodFiles.ts'
import { aliases } from '../../devnet/rpc/methodTable.ts'
import { mineRequest } from '../../devnet/rpc/mineRequest.ts'

const ADDRESS = `0x${'ab'.repeat(20)}` as const
const HASH = `0x${'cd'.repeat(32)}` as const
const DATA = '0x1234'
/** The least that is a state. */
const STATE = `0x${Buffer.from('{"accounts":{}}').toString('hex')}`
/** An account of nobody, for cheats. */
const NOBODY = `0x${'cc'.repeat(20)}`

/** What good parameters name. */
interface Named {
  readonly account: Hex
  readonly transaction: Hex
  readonly block: Hex
}

const NAMED: Named = { account: ADDRESS, transaction: HASH, block: HASH }

interface Kind {
  /** The readers that all methods share, and which take it. */
  readonly readers?: readonly Reader<unknown>[]
  readonly good: (named: Named) => unknown
  readonly bad: readonly unknown[]
  /** Commands read `0x` as 0: largestValues.test.ts. */
  readonly mayBeEmpty?: true
}

const BAD_HASHES = ['0x', ADDRESS, `${HASH}00`, HASH.slice(2), 5, {}, []]

/** Every kind of parameter. */
const KINDS = {
  account: {
    readers: [address()],
    good: ({ account }: Named) => account,
    bad: ['0x', ADDRESS.slice(0, -1), `${ADDRESS}00`, 'ab', 5, {}, [], true],
  },
  hash: { readers: [hash32()], good: ({ transaction }: Named) => transaction, bad: BAD_HASHES },
  blockHash: { readers: [blockHash()], good: ({ block }: Named) => block, bad: BAD_HASHES },
  block: {
    readers: [blockReference()],
    good: () => 'latest',
    bad: ['newest', '0x', 0, '10', {}, { blockNumber: 'x' }, [], true],
  },
  number: {
    readers: [blockNumberReference()],
    good: () => 'latest',
    bad: ['newest', '0x', 0, '10', {}, { blockNumber: '0x0' }, [], HASH],
  },
  laxBlock: {
    readers: [blockReferenceOrNumber()],
    good: () => 'latest',
    bad: ['newest', '0x', '10', -1, 1.5, {}, { blockNumber: 'x' }, [], true],
  },
  pageSize: {
    readers: [pageSize()],
    good: () => 25,
    bad: [0, 101, '0x0', '0x', -1, 1.5, {}, [], true],
  },
  data: {
    readers: [data(), accountCode()],
    good: () => DATA,
    bad: ['0x1', '0xgg', '12', 5, {}, []],
  },
  quantity: {
    readers: [quantity(), quantity64(), quantityOrNumber(), quantity64OrNumber()],
    good: () => '0x0',
    bad: ['0x', 'x', '5', -1, 1.5, {}, [], `0x1${'0'.repeat(64)}`],
    mayBeEmpty: true,
  },
  flag: { readers: [flag()], good: () => true, bad: ['true', 1, {}, []] },
  mine: {
    readers: [mineRequest()],
    good: () => ({ blocks: '0x1' }),
    bad: ['0x', 'x', -1, [], { blocks: 'x' }, { timestamp: -1 }, { other: 1 }],
    mayBeEmpty: true,
  },
  slotText: {
    readers: [storageSlotText()],
    good: () => '0x0',
    bad: ['', 'x', `0x${'0'.repeat(65)}`, 5, {}, []],
  },
  slot: {
    readers: [storageSlot()],
    good: ({ transaction }: Named) => transaction,
    bad: ['0x', `0x${'0'.repeat(65)}`, 5, {}, []],
  },
  request: {
    readers: [callRequest()],
    good: ({ account }: Named) => ({ from: account, to: account, value: '0x1' }),
    bad: ['0x', 5, [], { to: 5 }, { from: '0x1' }, { value: 'x' }],
  },
  filter: {
    readers: [logFilter()],
    good: () => ({ fromBlock: 'latest' }),
    bad: ['0x', 5, [], { address: 5 }, { topics: {} }, { fromBlock: 5 }],
  },
  faults: {
    readers: [faultScript()],
    good: () => ({ rules: [] }),
    bad: [5, [], 'x', { rules: 5 }, { rules: [{ kind: 'x' }] }],
  },
  simulation: {
    readers: [simulationPayload()],
    good: ({ account }: Named) => ({
      blockStateCalls: [{ calls: [{ from: account, to: account, value: '0x1' }] }],
    }),
    bad: [5, [], 'x', {}, { blockStateCalls: {} }],
  },
  overrides: { readers: [stateOverrides()], good: () => ({}), bad: [5, [], 'x', { x: {} }] },
  blockFields: {
    readers: [blockOverrides()],
    good: () => ({}),
    bad: [5, [], 'x', { number: 'x' }],
  },
  trace: {
    readers: [traceConfig().inner],
    good: () => ({}),
    bad: [
      5,
      [],
      'x',
      { tracer: 'x' },
      { tracer: 5 },
      { timeout: 5 },
      { timeout: '5' },
      { limit: -1 },
      { enableMemory: 1 },
      { tracer: 'callTracer', tracerConfig: { withLog: 1 } },
    ],
  },
  traceCall: {
    readers: [traceCallConfig().inner],
    good: () => ({}),
    bad: [5, [], 'x', { stateOverrides: { x: {} } }, { txIndex: 'x' }],
  },
} satisfies Readonly<Record<string, Kind>>

/** The parameters of methods with readers of their own: `<name> <index>`. */
const OWN: Readonly<Record<string, Kind>> = {
  'anvil_reorg 1': {
    good: () => [],
    bad: ['0x', 5, {}, [5], [[]], [['0x1234']], [[{}, -1]], [['0x1', 0]], [[{ to: 5 }, 0]]],
  },
  'anvil_setRpcUrl 0': {
    good: () => 'http://127.0.0.1:1',
    bad: ['ws://127.0.0.1:1', 'http://[', '', 5, {}, []],
  },
  'eth_feeHistory 2': { good: () => [50], bad: ['0x', 5, {}, ['x']] },
  'eth_getProof 1': {
    good: () => ['0x0'],
    bad: ['0x0', 5, {}, [5], ['0x'], [`0x${'0'.repeat(65)}`]],
  },
  'eth_getStorageValues 0': {
    good: ({ account }: Named) => ({ [account]: ['0x0'] }),
    bad: ['0x', 5, [], { x: ['0x0'] }, { [ADDRESS]: '0x0' }, { [ADDRESS]: ['0x'] }],
  },
  'eth_signTypedData_v4 1': {
    good: () => ({
      types: {
        EIP712Domain: [{ name: 'name', type: 'string' }],
        Mail: [{ name: 'text', type: 'string' }],
      },
      primaryType: 'Mail',
      domain: { name: 'test' },
      message: { text: 'hello' },
    }),
    bad: ['{', 5, [], {}],
  },
  'evm_setIntervalMining 0': {
    good: () => 1000,
    bad: ['0x5', -1, 1.5, {}, [], [5], [2, 1], [0, 1], [1, 2, 3], 86_400_001],
  },
  'hardhat_reset 0': {
    good: () => ({ forking: {} }),
    bad: [5, 'x', [], { forking: 5 }, { forking: [] }],
  },
  'preconf_advance 0': { good: () => ({ ticks: 1 }), bad: [5, [], 'x', {}, { ticks: '1' }] },
  'preconf_deposit 0': {
    good: ({ account }: Named) => ({ to: account, mint: '0x1' }),
    bad: [5, [], 'x', { mint: 'x' }, { to: 5 }, { other: 1 }],
  },
  'preconf_dropBranch 0': { good: () => '1', bad: [5, {}, [], true] },
  'preconf_freeze 0': {
    good: () => ({ ticks: false }),
    bad: [5, [], 'x', { ticks: 1 }, { other: 1 }],
  },
  'preconf_resume 0': {
    good: () => ({ ticks: false }),
    bad: [5, [], 'x', { ticks: 1 }, { other: 1 }],
  },
  'testing_buildBlockV1 0': KINDS.blockHash,
  'testing_buildBlockV1 1': {
    good: ({ account, block }: Named) => ({
      timestamp: '0x1',
      prevRandao: block,
      suggestedFeeRecipient: account,
      withdrawals: [],
      parentBeaconBlockRoot: block,
    }),
    bad: ['0x', 5, [], {}, { timestamp: '0x1' }],
  },
  'testing_buildBlockV1 2': { good: () => [], bad: ['0x', 5, {}, [5], ['0x0'], ['x']] },
  'testing_buildBlockV1 3': { good: () => '0x', bad: KINDS.data.bad },
}

/** Parameters of methods that do more, or something else, with these than with those above. */
const EXAMPLES: Readonly<Record<string, (named: Named) => unknown[]>> = {
  anvil_dealERC20: ({ account, transaction }) => [account, transaction.slice(0, 42), '0x1'],
  anvil_setERC20Allowance: ({ account, transaction }) => [
    account,
    account,
    transaction.slice(0, 42),
    '0x1',
  ],
  eth_feeHistory: () => ['0x1', 'latest', [50]],
  eth_getFilterChanges: () => ['0xffff'],
  eth_getFilterLogs: () => ['0xffff'],
  eth_sendRawTransactionSync: () => [DATA, 5],
  eth_sendTransactionSync: ({ account }) => [{ from: account, to: account, value: '0x1' }, 500],
  eth_subscribe: () => ['newHeads'],
  eth_uninstallFilter: () => ['0xffff'],
  eth_unsubscribe: () => ['0x1'],
  evm_increaseTime: () => ['0x1'],
  evm_mine: () => ['0xffffffff'],
  evm_revert: () => ['0xffff'],
  evm_setAutomine: () => [false],
  evm_setBlockGasLimit: () => ['0x1c9c380'],
  evm_setNextBlockTimestamp: () => ['0xffffffff'],
  evm_setTime: () => ['0xffffffff'],
  hardhat_addBalance: () => [NOBODY, '0x1'],
  hardhat_autoImpersonateAccount: () => [false],
  hardhat_loadState: () => [STATE],
  hardhat_mine: () => ['0x1', '0x1'],
  hardhat_setBalance: () => [NOBODY, '0xffffffffffffffffffff'],
  hardhat_setBlockTimestampInterval: () => [1000],
  hardhat_setChainId: () => [31337],
  hardhat_setCode: () => [NOBODY, DATA],
  hardhat_setMinGasPrice: () => ['0x1'],
  hardhat_setNextBlockBaseFeePerGas: () => ['0x1'],
  hardhat_setNonce: () => [`0x${'cd'.repeat(20)}`, '0x1'],
  hardhat_setStorageAt: ({ transaction }) => [NOBODY, '0x0', transaction],
  ots_getBlockTransactions: () => ['latest', 0, 25],
  ots_getTransactionBySenderAndNonce: ({ account }) => [account, 0],
  ots_searchTransactionsAfter: ({ account }) => [account, 0, 25],
  ots_searchTransactionsBefore: ({ account }) => [account, 0, 25],
  realtime_sendRawTransaction: () => ['0x00', '0x1'],
}

/** The methods of which this file has rows. */
export const methodsWithRows: readonly string[] = [
  ...Object.keys(EXAMPLES),
  ...Object.keys(OWN).map((place) => place.replace(/ \d+$/, '')),
]

/** One parameter of a method. */
interface Parameter extends Omit<Kind, 'good'> {
  readonly good: unknown
  readonly isOptional: boolean
}

/** The parameters of a method, under any of its names, each with a good value and bad ones. */
export async function methodParameters(method: string, named = NAMED): Promise<Parameter[]> {
  const name = aliases[method] ?? method
  const { params } = (await methodFiles[name]?.())?.default ?? {}
  return (params?.readers ?? []).map((reader, index) => {
    const inner = 'inner' in reader ? reader.inner : reader
    const { good, ...kind } = kindOf(inner, `${name} ${index}`)
    return { ...kind, good: good(named), isOptional: accepts(reader, undefined) }
  })
}

function kindOf(reader: unknown, place: string): Kind {
  const kinds: readonly Kind[] = Object.values(KINDS)
  const kind = OWN[place] ?? kinds.find(({ readers }) => readers?.some((one) => one === reader))
  if (kind !== undefined) return kind
  throw new Error(
    `test/support/methodParams.ts: add to OWN the line '${place}': { good: <what the reader takes>, bad: [<what it refuses>] },`,
  )
}

/** Parameters that a method takes, under any of its names. */
export async function methodParams(method: string, named: Named): Promise<unknown[]> {
  const example = EXAMPLES[aliases[method] ?? method]
  return example?.(named) ?? (await methodParameters(method, named)).map(({ good }) => good)
}
