import type { PreconfirmedSummary, Status, TickTransaction } from '../../devnet/types.ts'

/** `0x` and `digit`, repeated `length` times. */
export function repeated(digit: string, length: number): `0x${string}` {
  return `0x${digit.repeat(length)}`
}

const transfer: PreconfirmedSummary = {
  hash: repeated('a', 64),
  from: repeated('1', 40),
  to: repeated('2', 40),
  nonce: 0,
  gasUsed: 21_000,
  status: 'success',
  tick: 0,
}

const reverted: PreconfirmedSummary = {
  ...transfer,
  hash: repeated('b', 64),
  nonce: 1,
  gasUsed: 1_250_000,
  status: 'reverted',
  tick: 3,
}

/** {@link transfer} as the event of its tick has it. */
export const tickTransfer: TickTransaction = {
  ...transfer,
  value: 1_500_000_000_000_000_000n,
  gasLimit: 30_000,
  data: '0x',
  contractAddress: null,
  error: null,
}

/** {@link reverted} as the event of its tick has it. */
export const tickReverted: TickTransaction = {
  ...tickTransfer,
  ...reverted,
  gasLimit: 2_000_000,
  data: '0xa9059cbb',
  error: { message: 'execution reverted: no', data: '0x08c379a0' },
}

/** Block 12 is sealed, 13 pending with two transactions, and sealing is frozen. */
export const sampleStatus: Status = {
  instanceId: repeated('1d', 32),
  time: 1_700_000_000_040,
  ticks: { interval: 200, running: true, next: 1_700_000_000_200 },
  sealing: { interval: 2000, running: false, next: null },
  instant: false,
  modes: { receipts: 'preconfirmed', latest: 'sealed' },
  latest: { number: 12, hash: repeated('c', 64), timestamp: 1_699_999_999 },
  pending: {
    number: 13,
    timestamp: 1_700_000_001,
    ticks: 4,
    gasUsed: 1_271_000,
    transactions: [transfer, reverted],
  },
  mempool: { runnable: 0, waiting: 1 },
  dropped: [{ hash: repeated('d', 64), reason: 'nonce too low', preconfirmed: false }],
  reexecuted: [],
}
