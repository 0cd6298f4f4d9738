import type { Profile } from '../../devnet/pluginApi.ts'
import { isUnknownMethod } from '../rpc-client.ts'
import { type Check, checksAt, type Part } from './check.ts'
import type { Seen } from './run.ts'
import { fieldsOf, listOf, numberOf, ONES_HASH, textOf, toQuantity, ZERO_HASH } from './values.ts'
import type { Answer } from './wire.ts'

const isHash = (value: unknown, hash: Profile['pendingHash']) =>
  hash === 'of its header'
    ? typeof value === 'string' && value !== ZERO_HASH && value !== ONES_HASH
    : value === (hash === 'zero' ? ZERO_HASH : ONES_HASH)
const isOne = (result: unknown) => numberOf(result) === 1
const isTicks = ({ result }: Answer, latest: Profile['latest']) =>
  isOne(result) === (latest === 'ticks')
const isThere = (result: unknown) => result !== null && result !== undefined

const preconfirms = (profile: Profile) => profile.preconfirms
const hasReceipts = ({ receipts }: Profile) => receipts !== 'sealed'

/** Number of the block behind the newest sealed one. */
const next = ({ latest }: Seen) => toQuantity(numberOf(latest.number) + 1)
const rootOf = (root: 'stateRoot' | 'withdrawalsRoot'): Part<readonly string[]> => [
  ({ pending }) => ({ saw: pending[root] }),
  ({ result }, zeros) => (result === ZERO_HASH) === zeros.includes(root),
  preconfirms,
]

/** Parameters of a method, and true if its answer holds what is pre-confirmed. */
type Read = readonly [
  params: (seen: Seen) => readonly unknown[],
  shows: (result: unknown, seen: Seen) => boolean,
]

const pendingTag = () => ['pending']
const byHash = ({ deployed }: Seen) => [deployed.hash]
const blockHash = ({ pending }: Seen) => [pending.hash ?? ZERO_HASH]
const index = ({ deployed, pending }: Seen) =>
  toQuantity(listOf(pending.transactions).indexOf(deployed.hash))

const holds = (result: unknown, { deployed }: Seen) =>
  listOf(fieldsOf(result).transactions).includes(deployed.hash)
const counts = (result: unknown, { latest }: Seen) =>
  numberOf(result) > 0 && numberOf(result) !== listOf(latest.transactions).length
const isHeader = (result: unknown, seen: Seen) => fieldsOf(result).number === next(seen)
const isItself = (result: unknown, { deployed }: Seen) => fieldsOf(result).hash === deployed.hash
const isCode = (result: unknown) => textOf(result).length === 18
const isRaw = (result: unknown, { deployed }: Seen) => result === deployed.raw
const isPlaced = (result: unknown) => isThere(fieldsOf(result).blockNumber)

/** Needs 2 million gas if the transfer is there: `if (BALANCE(…)) MLOAD(0x100000)`. */
const costly = ({ sender, transfer }: Seen) => ({
  from: sender,
  data: `0x73${transfer.account.slice(2)}31156020576210000051505b00`,
})
const isCostly = (result: unknown) => numberOf(result) > 1_000_000

const reads: Readonly<Record<string, Read>> = {
  eth_getBlockByNumber: [() => ['pending', false], holds],
  eth_getBlockByHash: [(seen) => [...blockHash(seen), false], holds],
  eth_getBlockTransactionCountByNumber: [pendingTag, counts],
  eth_getBlockTransactionCountByHash: [blockHash, counts],
  eth_getBlockReceipts: [
    pendingTag,
    (result, { deployed }) =>
      listOf(result).some((receipt) => fieldsOf(receipt).transactionHash === deployed.hash),
  ],
  eth_getHeaderByNumber: [pendingTag, isHeader],
  eth_getHeaderByHash: [blockHash, isHeader],
  eth_getTransactionByHash: [byHash, isPlaced],
  eth_getTransactionReceipt: [byHash, isPlaced],
  eth_getRawTransactionByHash: [byHash, isRaw],
  eth_getTransactionByBlockHashAndIndex: [(seen) => [...blockHash(seen), index(seen)], isItself],
  eth_getTransactionByBlockNumberAndIndex: [(seen) => ['pending', index(seen)], isItself],
  eth_getRawTransactionByBlockHashAndIndex: [(seen) => [...blockHash(seen), index(seen)], isRaw],
  eth_getRawTransactionByBlockNumberAndIndex: [(seen) => ['pending', index(seen)], isRaw],
  eth_getBalance: [({ transfer }) => [transfer.account, 'pending'], isOne],
  eth_getTransactionCount: [
    ({ sender }) => [sender, 'pending'],
    (result, { deployed }) => numberOf(result) > deployed.nonce,
  ],
  eth_getCode: [({ deployed }) => [deployed.account, 'pending'], isCode],
  eth_getStorageAt: [({ deployed }) => [deployed.account, '0x0', 'pending'], isOne],
  eth_call: [({ deployed }) => [{ to: deployed.account }, 'pending'], isOne],
  eth_estimateGas: [(seen) => [costly(seen), 'pending'], isCostly],
  eth_simulateV1: [
    ({ deployed }) => [{ blockStateCalls: [{ calls: [{ to: deployed.account }] }] }, 'pending'],
    (blocks) => isOne(fieldsOf(listOf(fieldsOf(listOf(blocks)[0]).calls)[0]).returnData),
  ],
  eth_getLogs: [
    ({ deployed }) => [{ fromBlock: 'latest', toBlock: 'pending', address: deployed.account }],
    (logs) => listOf(logs).length === 1,
  ],
}

/** A check of a method that may know what is pre-confirmed. */
function aware(method: string, [params, shows]: Read): Part<Profile['aware']> {
  return [
    (seen) => [method, ...params(seen)],
    (answer, methods, seen) => {
      const isAware = methods === 'all' || methods.includes(method)
      if (!isAware && isUnknownMethod(answer.error)) return 'the endpoint has no such method'
      const isShown = shows(answer.result, seen)
      const isStale =
        seen.pending.hash !== seen.pendingAfter.hash && /(?:Block|Header|Count).*Hash/.test(method)
      if (isAware && !isShown && isStale) return 'the pending block has changed meanwhile'
      const [newest, open] = [seen.latest, seen.pending].map(({ transactions }) => transactions)
      if (listOf(newest).length === listOf(open).length && shows === counts) {
        return 'latest and pending have as many transactions'
      }
      return isShown === isAware
    },
    ({ aware: methods, mempool, poolNonces }) => {
      // Waiting transactions may be shown as well.
      const isPool = {
        eth_getRawTransactionByHash: mempool !== 'null',
        eth_getTransactionCount: poolNonces,
      }[method]
      return methods === 'all' || methods.includes(method) || isPool !== true
    },
  ]
}

/** Checks of what is shown before the seal, and of what waits. */
export const earlyChecks: readonly Check[] = [
  ...checksAt('gap', {
    mempool: {
      row: [
        ({ transfer }) => ['eth_getTransactionByHash', transfer.hash],
        ({ result }, found) =>
          found === 'null' ? result === null : fieldsOf(result).blockNumber === null,
        ({ mempool }) => mempool !== 'after its tick',
      ],
      receipt: [
        ({ transfer }) => ['eth_getTransactionReceipt', transfer.hash],
        ({ result }) => result === null,
      ],
    },
  }),
  ...checksAt('early', {
    receipts: {
      row: [
        ({ deployed }) => ['eth_getTransactionReceipt', deployed.hash],
        ({ result }, from) => isThere(result) === (from !== 'sealed'),
      ],
    },
    latest: {
      balance: [({ transfer }) => ['eth_getBalance', transfer.account, 'latest'], isTicks],
      call: [({ deployed }) => ['eth_call', { to: deployed.account }, 'latest'], isTicks],
      default: [({ deployed }) => ['eth_call', { to: deployed.account }], isTicks],
    },
    pendingHash: {
      block: [
        ({ pending }) => ({ saw: pending.hash }),
        ({ result }, hash) => isHash(result, hash),
        preconfirms,
      ],
      receipt: [
        ({ receipt }) => ({
          saw: [receipt, ...listOf(receipt.logs)].map((one) => fieldsOf(one).blockHash),
        }),
        ({ result }, hash) =>
          listOf(result).length === 2 && listOf(result).every((one) => isHash(one, hash)),
        hasReceipts,
      ],
      transaction: [
        ({ deployed }) => ['eth_getTransactionByHash', deployed.hash],
        ({ result }, hash) => {
          const { blockHash } = fieldsOf(result)
          return hash === 'zero' ? blockHash === null : isHash(blockHash, hash)
        },
        hasReceipts,
      ],
    },
    pendingZeros: { stateRoot: rootOf('stateRoot'), withdrawalsRoot: rootOf('withdrawalsRoot') },
    pendingNumber: {
      block: [
        (seen) => ['eth_getBlockByNumber', next(seen), false],
        ({ result }, finds) => isThere(result) === (finds === 'all'),
      ],
      balance: [
        (seen) => ['eth_getBalance', seen.transfer.account, next(seen)],
        ({ result }, finds) => isOne(result) === (finds !== 'nothing'),
      ],
      logs: [
        (seen) => [
          'eth_getLogs',
          { fromBlock: next(seen), toBlock: next(seen), address: seen.deployed.account },
        ],
        ({ result }, finds) => (listOf(result).length === 1) === (finds !== 'nothing'),
      ],
    },
    callBlock: {
      row: [
        // Code that answers the number of its block.
        () => ['eth_call', { data: '0x435f5260205ff3' }, 'pending'],
        ({ result }, block, { latest }) =>
          numberOf(result) === numberOf(latest.number) + (block === 'latest' ? 0 : 1),
      ],
    },
    estimateBlock: {
      row: [
        (seen) => ['eth_estimateGas', costly(seen)],
        ({ result }, block, _, profile) =>
          isCostly(result) === (block === 'pending' && profile.preconfirms),
        ({ latest }) => latest === 'sealed',
      ],
    },
    aware: Object.fromEntries(
      Object.entries(reads).map(([method, read]) => [method, aware(method, read)]),
    ),
  }),
]
