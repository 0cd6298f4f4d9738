import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { artifact } from '../../support/solidity.ts'
import { Duel } from './duel.ts'
import { createEdrPeer } from './edrPeer.ts'
import { logsForm } from './forms.ts'
import { createOwnPeer } from './ownPeer.ts'
import type { Outcome, Peer } from './peer.ts'
import { hexOf, isRecord, record } from './values.ts'

// EDR 0.20 has EIPs 7708 (an older text), 7778, 7843, 7976, 7981, 8024 and parts of 8037, and makes up the hash of
// EIP-7928; it lacks 2780, 7997, 8038 and 8246. What does not hang on those must agree; the last group is what differs.

const GAS = '0x989680'
const FEES = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
const NOBODY: Hex = '0x00000000000000000000000000000000000a11ce'
const SYSTEM = '0xfffffffffffffffffffffffffffffffffffffffe'
const meter = artifact('Meter')
const playground = artifact('Playground')

let ours: Awaited<ReturnType<typeof createOwnPeer>>
let theirs: Peer
let duel: Duel
let from: Hex
let other: Hex
let nonce = 0n
let time = 1_800_000_000

beforeAll(async () => {
  const options = {
    chainId: 31337,
    timestamp: 1_800_000_000,
    baseFee: 1_000_000_000n,
    gasLimit: 60_000_000,
    hardfork: 'amsterdam',
  } as const
  ours = await createOwnPeer(options)
  theirs = await createEdrPeer(options)
  duel = new Duel(ours, theirs, 'npx vitest run test/integration/edr/amsterdam.test.ts')
  const [first, second] = ours.accounts
  if (first === undefined || second === undefined) throw new Error('There are dev accounts')
  from = first.address
  other = second.address
})
afterAll(async () => {
  await theirs.stop()
  await ours.stop()
})

/** The fields of a receipt that hang on gas, or on what EDR draws at random. */
const GAS_FIELDS = ['gasUsed', 'cumulativeGasUsed', 'blockHash', 'effectiveGasPrice', 'logs']

/** A receipt without what hangs on gas. */
function receiptForm(receipt: unknown): unknown {
  if (!isRecord(receipt)) return receipt
  const rest = Object.entries(receipt).filter(([name]) => !GAS_FIELDS.includes(name))
  return { ...Object.fromEntries(rest), logs: logsForm(receipt.logs) }
}

/** Seals these in one block on both, each of the first account; both receipts of each must agree but for gas. */
async function sealed(...requests: readonly object[]) {
  const hashes = await mined(...requests)
  const receipts: Record<string, unknown>[] = []
  for (const hash of hashes) {
    receipts.push(record(await duel.result('eth_getTransactionReceipt', [hash], receiptForm)))
  }
  return receipts
}

/** Seals these in one block on both; answers their hashes. */
async function mined(...requests: readonly object[]): Promise<readonly unknown[]> {
  const hashes: unknown[] = []
  for (const request of requests) {
    const sent = { from, gas: GAS, ...FEES, ...request }
    hashes.push(await duel.result('eth_sendTransaction', [sent]))
    nonce++
  }
  // Without it, it follows from the gas of the block before.
  await duel.result('hardhat_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  time += 12
  await duel.result('evm_mine', [time])
  return hashes
}

/** Deploys a contract on both; answers its address. */
async function deploy(name: string, value = '0x0'): Promise<Hex> {
  const { abi, bytecode } = artifact(name)
  const address = getContractAddress({ from, nonce })
  await sealed({ data: encodeDeployData({ abi, bytecode, args: [] }), value })
  return address
}

const logsOf = ({ logs }: Record<string, unknown> = {}) =>
  Array.isArray(logs) ? logs.map((log) => hexOf(record(log).address)) : []

/** What both answer about a block, in this order. */
async function headers() {
  const [mine, edrs] = await duel.ask('eth_getBlockByNumber', ['latest', false])
  return [resultOf(mine), resultOf(edrs)] as const
}

describe('logs of ether', () => {
  test('of a transfer, of one to oneself, of nothing, and of one to nobody', async () => {
    const receipts = await sealed(
      { to: other, value: '0x5' },
      { to: from, value: '0x5' },
      { to: other },
      { to: NOBODY, value: '0x1' },
    )
    expect(receipts.map(logsOf)).toEqual([[SYSTEM], [], [], [SYSTEM]])
  })

  test('of a contract that pays, that is paid, and that is made with ether', async () => {
    const to = await deploy('Meter', '0xa')
    const data = encodeFunctionData({ abi: meter.abi, functionName: 'pay', args: [other] })
    // The data of its own event is gas: only where the log of the ether stands.
    const [hash] = await mined({ to, data })
    const receipts = await duel.ask('eth_getTransactionReceipt', [hash])
    expect(receipts.map((one) => logsOf(resultOf(one)))).toEqual([
      [SYSTEM, to.toLowerCase()],
      [SYSTEM, to.toLowerCase()],
    ])
  })

  test('of CREATE2 and of SELFDESTRUCT', async () => {
    const to = await deploy('Playground')
    const create = (heir: Hex, salt: bigint) =>
      encodeFunctionData({ abi: playground.abi, functionName: 'create', args: [salt, heir] })
    const [dies, lives] = await sealed(
      { to, value: '0x2', data: create(NOBODY, 1n) },
      { to, value: '0x2', data: create(`0x${'00'.repeat(20)}`, 2n) },
    )
    expect([logsOf(dies), logsOf(lives)]).toEqual([
      [SYSTEM, SYSTEM, SYSTEM],
      [SYSTEM, SYSTEM],
    ])
  })

  test('are found by eth_getLogs in the same order', async () => {
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: SYSTEM }
    const logs = await duel.result('eth_getLogs', [filter], logsForm)
    expect(Array.isArray(logs) && logs.length).toBeGreaterThan(8)
  })
})

describe('SLOTNUM', () => {
  test('returns the number of a block, whose slots both count from genesis', async () => {
    await duel.result('hardhat_setCode', [NOBODY, '0x4b5f5260205ff3'])
    for (const tag of ['latest', 'pending']) {
      const slot = await duel.result('eth_call', [{ to: NOBODY, gas: GAS }, tag])
      expect(Number(slot)).toBe(
        Number(await duel.result('eth_blockNumber')) + Number(tag === 'pending'),
      )
    }
  })

  test('is in headers', async () => {
    const [mine, other] = await headers()
    expect(mine.slotNumber).toBe(mine.number)
    expect(other.slotNumber).toBe(mine.slotNumber)
  })
})

test.each<[name: string, code: Hex]>([
  ['DUPN', '0x60015f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5fe6805f5260205ff3'],
  ['SWAPN', '0x60015f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f6007e7805f5260205ff3'],
  ['EXCHANGE', '0x600260015fe88e505f5260205ff3'],
])('%s', async (_, code) => {
  await duel.result('hardhat_setCode', [NOBODY, code])
  expect(Number(await duel.result('eth_call', [{ to: NOBODY, gas: GAS }, 'latest']))).not.toBe(0)
})

describe('gas', () => {
  /** Of one node: the header's gas, the sum of the receipts, and what the last receipt adds up to. */
  async function gas(node: Peer, hashes: readonly unknown[]) {
    const answer = async (method: string, ...params: unknown[]) => {
      const outcome = await node.request(method, params)
      return record('result' in outcome ? outcome.result : undefined)
    }
    const header = Number((await answer('eth_getBlockByNumber', 'latest', false)).gasUsed)
    const receipts = []
    for (const hash of hashes) receipts.push(await answer('eth_getTransactionReceipt', hash))
    return {
      header,
      sum: receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0),
      cumulative: Number(receipts.at(-1)?.cumulativeGasUsed),
    }
  }

  test('of receipts adds up what senders pay; of a header is more, because of a refund', async () => {
    const to = await deploy('Meter')
    const clear = encodeFunctionData({ abi: meter.abi, functionName: 'clearSlot' })
    const hashes = await mined({ to: other, value: '0x1' }, { to, data: clear })
    for (const node of [ours, theirs]) {
      const { header, sum, cumulative } = await gas(node, hashes)
      expect(cumulative, node.name).toBe(sum)
      expect(header, node.name).toBeGreaterThan(sum)
    }
  })
})

describe('EDR differs', () => {
  test('in a transfer that makes an account: EIP-2780', async () => {
    const to = '0x00000000000000000000000000000000000b0b00'
    expect(await gasUsed({ to, value: '0x1' })).toEqual([204_600, 21_000])
  })

  test('in what a transaction costs besides, not in the floor of a byte: EIPs 2780, 7976', async () => {
    expect(await gasUsed({ to: other, data: `0x${'00'.repeat(1000)}` })).toEqual([
      15_000 + 64_000,
      21_000 + 64_000,
    ])
  })

  test('in the ether of a contract that destroys itself to itself: EIP-8246, and the older 7708', async () => {
    const made = getContractAddress({ from, nonce })
    const [hash] = await mined({ data: '0x30ff', value: '0x5' })
    expect(await duel.ask('eth_getBalance', [made, 'latest'])).toEqual([
      { result: '0x5' },
      { result: '0x0' },
    ])
    // Burn(address,uint256), which EIP-7708 no longer has.
    const [mine, edrs] = await duel.ask('eth_getTransactionReceipt', [hash])
    expect([mine, edrs].map((one) => logsOf(resultOf(one)))).toEqual([[SYSTEM], [SYSTEM, SYSTEM]])
  })

  test('in what slots, calls with ether and creations cost besides their state: EIP-8038', async () => {
    const to = await deploy('Meter', '0xa')
    const difference = async (functionName: string, ...args: unknown[]) => {
      const data = encodeFunctionData({ abi: meter.abi, functionName, args })
      const [mine = 0, edrs = 0] = await gasUsed({ to, data })
      // Each transaction costs 6,000 less here.
      return mine + 6000 - edrs
    }
    expect(await difference('setSlot')).toBe(12_100 - 5000)
    expect(await difference('changeSlot')).toBe(12_100 - 5000)
    expect(await difference('pay', other)).toBe(11_300 + 3000 - 9000 - 2600)
    expect(await difference('create')).toBe(12_000 - 9000)
    // Both have the same state gas: 1,530 per byte of code.
    const [mine, edrs] = [
      await gasUsed({ data: '0x60205ff3' }),
      await gasUsed({ data: '0x60405ff3' }),
    ]
    expect(edrs.map((gas, index) => gas - (mine[index] ?? 0))).toEqual(Array(2).fill(32 * 1530 + 9))
  })

  test('in the gas of a block, which is not the larger of two: EIP-8037', async () => {
    const to = await deploy('Meter', '0xa')
    const data = encodeFunctionData({ abi: meter.abi, functionName: 'create' })
    const [own, edr] = await gasUsed({ to, data })
    const [mine, edrs] = await headers()
    expect(Number(mine.gasUsed)).toBe(183_600)
    expect(Number(mine.gasUsed)).toBeLessThan(own ?? 0)
    expect(Number(edrs.gasUsed)).toBe(edr)
  })

  test('in the access list, whose hash it makes up: EIP-7928', async () => {
    await mined({ to: other, value: '0x1' })
    const [mine, theirs] = await headers()
    expect(theirs.blockAccessListHash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(theirs.blockAccessListHash).not.toBe(mine.blockAccessListHash)
    const [own, edr] = await duel.ask('eth_getBlockAccessList', ['latest'])
    expect(own).toHaveProperty('result')
    expect(edr).toHaveProperty('error')
  })
})

/** The gas that each of both nodes tells of a transaction. */
async function gasUsed(request: object): Promise<readonly number[]> {
  const [hash] = await mined(request)
  const both = await duel.ask('eth_getTransactionReceipt', [hash])
  return both.map((one) => Number(resultOf(one).gasUsed))
}

const resultOf = (answer: Outcome) => record('result' in answer ? answer.result : undefined)
