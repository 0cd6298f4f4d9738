import { isSameHex, type Profile } from '../../devnet/pluginApi.ts'
import { isUnknownMethod } from '../rpc-client.ts'
import { type Check, checksAt, type Part } from './check.ts'
import type { Seen } from './run.ts'
import { fieldsOf, listOf, numberOf, textOf, toQuantity } from './values.ts'

const L1_BLOCK = '0x4200000000000000000000000000000000000015'
const ORACLE = '0x420000000000000000000000000000000000000f'
const BASE_TIME = '0x4200000000000000000000000000000000000030'
const DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001'

/** A transaction of the newest block. */
const transactionAt = (index: string) => () =>
  ['eth_getTransactionByBlockNumberAndIndex', 'latest', index] as const
const isOpStack = ({ opStack }: Profile) => opStack
const isDeposit = (transaction: unknown, recipient: string) => {
  const { type, from, to } = fieldsOf(transaction)
  return type === '0x7e' && isSameHex(from, DEPOSITOR) && isSameHex(to, recipient)
}

const predeploy = (address: string): Part<boolean> => [
  () => ['eth_getCode', address, 'latest'],
  ({ result }, isOp) => textOf(result).length > 2 === isOp,
]

/** Code of a rejected transaction: that of geth, or of EIP-1474, which reth has. */
const REJECTED = { geth: -32000, reth: -32003 }
const rejected = (look: Part<Profile['errors']>[0]): Part<Profile['errors']> => [
  look,
  ({ error }, words) => error?.code === REJECTED[words],
]

const unfundedCall = ({ unfunded: { from } }: Seen) => ({ from, to: from, value: '0x1' })

/** A value that has a time in ms in a field, or not. */
const timed = (look: Part<boolean>[0], field: string): Part<boolean> => [
  look,
  ({ result }, has) => {
    const found = fieldsOf(Array.isArray(result) ? result[0] : result)
    return 'hash' in found || 'topics' in found ? numberOf(found[field]) > 1e12 === has : false
  },
]

/** Blocks back from the newest one, over which the time of one is measured. */
const STEPS = 20

/** Fields of a receipt that the seal leaves as they are. */
const FINAL = [
  'blockNumber',
  'transactionIndex',
  'gasUsed',
  'cumulativeGasUsed',
  'status',
  'logsBloom',
]
const finalOf = (receipt: unknown) => FINAL.map((name) => fieldsOf(receipt)[name]).join()
const receiptOf = ({ deployed }: Seen) => ['eth_getTransactionReceipt', deployed.hash] as const

const SYNC = 'eth_sendRawTransactionSync'

/** Checks of errors, of sealed blocks, and of what the OP Stack adds to them. */
export const sealedChecks: readonly Check[] = [
  ...checksAt('calm', {
    emptyPending: {
      row: [
        ({ latest, pending }) => ({ saw: [latest, pending] }),
        ({ result }, empty) => {
          const [latest, pending] = listOf(result).map(fieldsOf)
          if (pending?.number === undefined) return false
          const isLatest = pending.number === latest?.number
          if (empty !== '`latest`') return !isLatest
          return isLatest || listOf(pending.transactions).length > 0
        },
      ],
    },
    opStack: {
      deposit: [transactionAt('0x0'), ({ result }, isOp) => isDeposit(result, L1_BLOCK) === isOp],
      // number() of the block of L1.
      number: [
        () => ['eth_call', { to: L1_BLOCK, data: '0x8381f58a' }, 'latest'],
        ({ result }) => numberOf(result) > 0,
        isOpStack,
      ],
      // getL1FeeUpperBound(200), which Fjord added.
      fee: [
        () => ['eth_call', { to: ORACLE, data: `0xf1c7a58b${'c8'.padStart(64, '0')}` }, 'latest'],
        ({ result }) => textOf(result).length === 66,
        isOpStack,
      ],
      L1Block: predeploy(L1_BLOCK),
      GasPriceOracle: predeploy(ORACLE),
      WETH: predeploy('0x4200000000000000000000000000000000000006'),
      L2ToL1MessagePasser: predeploy('0x4200000000000000000000000000000000000016'),
    },
    realtimeSend: {
      row: [
        ({ unfunded: { raw } }) => ['realtime_sendRawTransaction', raw],
        ({ error }, has) => isUnknownMethod(error) !== has,
      ],
    },
    baseTime: {
      deposit: [
        transactionAt('0x1'),
        ({ result }, has) =>
          (isDeposit(result, BASE_TIME) &&
            textOf(fieldsOf(result).input).startsWith('0x86bdf394')) === has,
      ],
      predeploy: predeploy(BASE_TIME),
      // timestampMillisPart()
      part: [
        () => ['eth_call', { to: BASE_TIME, data: '0x7b2fea99' }, 'latest'],
        ({ result }) => [0, 200, 400, 600, 800].includes(numberOf(result)),
        ({ baseTime }) => baseTime,
      ],
    },
    errors: {
      send: rejected(({ unfunded: { raw } }) => ['eth_sendRawTransaction', raw]),
      call: rejected((seen) => ['eth_call', unfundedCall(seen), 'latest']),
      estimate: rejected((seen) => ['eth_estimateGas', unfundedCall(seen)]),
    },
  }),
  ...checksAt('sealed', {
    preconfirms: {
      row: [
        ({ isEarly }) => ({ saw: isEarly || 'each was sealed before the look at it ended' }),
        ({ result }) => result === true,
        ({ preconfirms }) => preconfirms,
      ],
      final: [
        receiptOf,
        ({ result }, _, { isEarly, receipt }) =>
          isEarly && 'status' in receipt
            ? finalOf(receipt) === finalOf(result)
            : 'no receipt was there before',
        ({ preconfirms }) => preconfirms,
      ],
    },
    poolNonces: {
      row: [
        ({ waitingNonces }) => ({ saw: waitingNonces }),
        (_, counts, { waitingNonces }) =>
          Number.isNaN(waitingNonces)
            ? 'no transaction was seen waiting'
            : waitingNonces > 0 === counts,
      ],
    },
    aware: {
      [SYNC]: [
        ({ sync, latestAtSync }) => ({ saw: [sync, latestAtSync.number] }),
        (_, methods, { sync, latestAtSync }) => {
          const { blockNumber } = fieldsOf(sync.result)
          const isEarly = numberOf(blockNumber) > numberOf(latestAtSync.number)
          return (
            blockNumber !== undefined && isEarly === (methods === 'all' || methods.includes(SYNC))
          )
        },
      ],
    },
    errors: {
      gap: [
        ({ gapSync }) => ({ saw: gapSync }),
        // Those of EIP-7966: reth waits, geth does not.
        (_, words, { gapSync: { error } }) => error?.code === (words === 'reth' ? 4 : 6),
      ],
    },
    longSync: {
      row: [
        ({ longSync }) => ({ saw: longSync }),
        (_, does, { longSync: { error } }) => error?.code === (does === 'cut' ? undefined : -32602),
      ],
    },
    opStack: {
      receipt: [
        receiptOf,
        ({ result }, isOp) =>
          ['l1Fee', 'l1GasPrice', 'l1GasUsed'].every((name) => name in fieldsOf(result) === isOp),
      ],
    },
    sealInterval: {
      row: [
        ({ newest }) => [
          'eth_getBlockByNumber',
          toQuantity(Math.max(1, numberOf(newest.number) - STEPS)),
          false,
        ],
        ({ result }, interval, { newest }) => {
          const blocks = numberOf(newest.number) - numberOf(fieldsOf(result).number)
          const seconds = numberOf(newest.timestamp) - numberOf(fieldsOf(result).timestamp)
          if (!(blocks > 0)) return 'there are too few blocks'
          // Timestamps are whole seconds.
          return Math.abs(seconds - (blocks * interval) / 1000) <= 1
        },
      ],
    },
    baseTime: {
      // timestampMs()
      timestampMs: [
        ({ sealed }) => ['eth_call', { to: BASE_TIME, data: '0x5745a677' }, sealed.number],
        ({ result }, _, { sealed }) => numberOf(result) === numberOf(sealed.timestampMs),
        ({ baseTime }) => baseTime,
      ],
    },
    milliseconds: {
      block: timed(({ sealed }) => ['eth_getBlockByHash', sealed.hash, false], 'timestampMs'),
      transaction: timed(
        ({ deployed }) => ['eth_getTransactionByHash', deployed.hash],
        'blockTimestampMs',
      ),
      log: timed(
        ({ sealed, deployed: { account } }) => [
          'eth_getLogs',
          { blockHash: sealed.hash, address: account },
        ],
        'blockTimestampMs',
      ),
    },
  }),
]
