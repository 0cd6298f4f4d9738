import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet, type Devnet } from '../../../devnet/index.ts'
import { Random } from '../../support/random.ts'

const NEW = '0x00000000000000000000000000000000000abcde'
const PROGRAM = '0x0000000000000000000000000000000000c0de01'
const AUTHORITY = privateKeyToAccount(`0x${'07'.repeat(32)}`)

let devnet: Devnet
let accounts: string[]

/** Answers of the devnet are of the form that each test compares them with. */
// biome-ignore lint/suspicious/noExplicitAny: see above
async function call(method: string, ...params: unknown[]): Promise<any> {
  return devnet.provider.request({ method, params })
}

beforeAll(async () => {
  devnet = createDevnet({ port: 0, hardfork: 'amsterdam', frozenTicks: true })
  await devnet.start()
  accounts = await call('eth_accounts')
})
afterAll(() => devnet.stop())

/** Init code that deploys `length` zero bytes. */
const deploys = (length: number) => `0x62${length.toString(16).padStart(6, '0')}5ff3`

/** CALL of a fresh address with 1 wei, from a contract with ether. */
const PAYS = `0x5f5f5f5f600173${NEW.slice(2)}5af100`

async function expectExact(request: object): Promise<bigint> {
  const estimate = BigInt(await call('eth_estimateGas', request))
  const withGas = (gas: bigint) => call('eth_call', { ...request, gas: `0x${gas.toString(16)}` })
  await expect(withGas(estimate)).resolves.toMatch(/^0x/)
  await expect(withGas(estimate - 1n)).rejects.toThrow()
  return estimate
}

test('GAS sees no reservoir', async () => {
  await call('hardhat_setCode', PROGRAM, '0x5a5f5260205ff3')
  const request = { from: accounts[0], to: PROGRAM, gas: '0x2faf080' }
  const gas = BigInt(await call('eth_call', request))
  expect(gas).toBeGreaterThan(16_700_000n)
  expect(gas).toBeLessThan(2n ** 24n)
})

describe('eth_estimateGas is exact to the unit', () => {
  test.each([
    ['a transfer to an account', 1, { value: '0x1' }, 21_000n],
    ['to oneself', 0, { value: '0x1' }, 12_000n],
    ['without value', 1, {}, 15_000n],
  ])('%s', async (_, to, fields, expected) => {
    const request = { from: accounts[0], to: accounts[to], ...fields }
    expect(await expectExact(request)).toBe(expected)
  })

  test('a transfer that makes an account', async () => {
    const request = { from: accounts[0], to: NEW, value: '0x1' }
    expect(await expectExact(request)).toBe(204_600n)
  })

  test.each([
    ['that sets a slot', '0x600160005500'],
    ['that sets a slot and clears it again', '0x600160005560006000556001600155'],
    ['that makes an account', PAYS],
    ['that makes contracts in a loop', `0x60055b5f5f5ff0506001900380600257`],
    ['that looks at its gas', '0x5a6301000000105f5500'],
  ])('a call of code %s', async (_, code) => {
    await call('hardhat_setCode', PROGRAM, code)
    await call('hardhat_setBalance', PROGRAM, '0x10')
    await expectExact({ from: accounts[0], to: PROGRAM })
  })

  test('random programs that set and clear slots, make accounts and log', async () => {
    const random = new Random(8037)
    const byte = (limit: number) => random.below(limit).toString(16).padStart(2, '0')
    const pieces = [
      () => `60${byte(3)}60${byte(4)}55`,
      () => `5f60${byte(4)}55`,
      // CALL of one of 4 addresses with 1 wei.
      () => `5f5f5f5f600162aacc${byte(4)}5af150`,
      // CREATE without code.
      () => '5f5f5ff050',
      // KECCAK256 and LOG0 of up to 4 kB.
      () => `61${byte(16)}${byte(256)}5f2050`,
      () => `61${byte(16)}${byte(256)}5fa0`,
    ]
    await call('hardhat_setBalance', PROGRAM, '0x1000')
    for (let run = 0; run < 40; run++) {
      const program = Array.from({ length: 1 + random.below(12) }, () => random.pick(pieces)())
      await call('hardhat_setCode', PROGRAM, `0x${program.join('')}00`)
      await expectExact({ from: accounts[0], to: PROGRAM })
    }
  })

  test.each([10, 24_576, 30_000])('a creation of %i bytes of code', async (length) => {
    const gas = await expectExact({ from: accounts[0], data: deploys(length) })
    expect(gas).toBeGreaterThan(BigInt(length) * 1530n + 183_600n)
  })

  test.each([
    ['a delegation of a new account', '0x00000000000000000000000000000000000000aa', 0],
    ['one that clears what is not there', '0x0000000000000000000000000000000000000000', 0],
    ['one whose nonce is wrong', '0x00000000000000000000000000000000000000aa', 5],
  ] as const)('%s', async (_, address, nonce) => {
    const { r, s, yParity, chainId } = await AUTHORITY.signAuthorization({
      address,
      chainId: 31_337,
      nonce,
    })
    const quantity = (value: number) => `0x${value.toString(16)}`
    const authorization = {
      address,
      chainId: quantity(chainId),
      nonce: quantity(nonce),
      yParity: quantity(yParity ?? 0),
      r: `0x${BigInt(r).toString(16)}`,
      s: `0x${BigInt(s).toString(16)}`,
    }
    await expectExact({ from: accounts[0], to: accounts[1], authorizationList: [authorization] })
  })
})

describe('limits', () => {
  test('a transaction without gas gets what it needs for a new account', async () => {
    const to = '0x00000000000000000000000000000000000abcd1'
    const hash = await call('eth_sendTransaction', { from: accounts[0], to, value: '0x1' })
    await call('preconf_advance', { ticks: 1 })
    expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      gasUsed: `0x${204_600n.toString(16)}`,
    })
  })

  test('a contract of 24,576 bytes can be deployed without gas', async () => {
    await call('preconf_advance', { blocks: 1 })
    const hash = await call('eth_sendTransaction', { from: accounts[0], data: deploys(24_576) })
    await call('preconf_advance', { blocks: 1 })
    const { status, gasUsed, blockNumber } = await call('eth_getTransactionReceipt', hash)
    expect(status).toBe('0x1')
    expect(BigInt(gasUsed)).toBeGreaterThan(2n ** 24n)
    // Its state gas is most of it.
    const block = await call('eth_getBlockByNumber', blockNumber, false)
    expect(BigInt(block.gasUsed)).toBeLessThan(BigInt(gasUsed))
  })

  test('a block holds what fits in each of both dimensions', async () => {
    // Each uses 38M of state gas and little execution gas: of 60M, a second one has no room.
    const request = { from: accounts[2], data: deploys(24_576), gas: '0x2625a00' }
    const hashes = [
      await call('eth_sendTransaction', request),
      await call('eth_sendTransaction', request),
    ]
    await call('preconf_advance', { blocks: 2 })
    const receipts = await Promise.all(
      hashes.map((hash) => call('eth_getTransactionReceipt', hash)),
    )
    expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1'])
    const [first, second] = receipts.map(({ blockNumber }) => BigInt(blockNumber))
    expect(second).toBe((first ?? 0n) + 1n)
  })

  test('error: intrinsic gas beyond 2^24', async () => {
    const data = `0x${'00'.repeat(262_144)}`
    await expect(
      call('eth_sendTransaction', { from: accounts[0], to: accounts[1], data, gas: '0x2000000' }),
    ).rejects.toThrow(
      'insufficient gas for floor data gas cost: intrinsic cost 1063576, floor 16792216, at most 16777216',
    )
  })

  test('error: more than 2^32 - 1 in all', async () => {
    await call('evm_setBlockGasLimit', '0x200000000')
    const request = { from: accounts[0], to: accounts[1], gas: '0x100000000' }
    await expect(call('eth_sendTransaction', request)).rejects.toThrow(
      'transaction gas limit too high (cap: 4294967295, tx: 4294967296)',
    )
    await call('evm_setBlockGasLimit', '0x3938700')
  })
})

test('the gas of a block is its larger dimension, and refunds make no room', async () => {
  // Clears a slot, for which the sender gets a refund.
  await call('hardhat_setCode', PROGRAM, '0x5f5f5500')
  await call('hardhat_setStorageAt', PROGRAM, '0x0', `0x${'1'.padStart(64, '0')}`)
  const hash = await call('eth_sendTransaction', { from: accounts[3], to: PROGRAM })
  await call('preconf_advance', { blocks: 1 })
  const { gasUsed, cumulativeGasUsed, blockNumber } = await call('eth_getTransactionReceipt', hash)
  const used = 15_000n + 2n + 2n + 2_100n + 10_000n
  const paid = used - used / 5n
  expect([BigInt(gasUsed), BigInt(cumulativeGasUsed)]).toEqual([paid, paid])
  expect(BigInt((await call('eth_getBlockByNumber', blockNumber, false)).gasUsed)).toBe(used)
  const history = await call('eth_feeHistory', '0x1', blockNumber, [])
  expect(history.gasUsedRatio).toEqual([Number(used) / 60_000_000])
})

test('a simulated block counts gas as a block does', async () => {
  const [{ gasUsed, calls }] = await call(
    'eth_simulateV1',
    {
      blockStateCalls: [
        {
          calls: [
            { from: accounts[0], data: deploys(10_000) },
            { from: accounts[0], to: accounts[1], value: '0x1' },
          ],
        },
      ],
    },
    'latest',
  )
  const [creation, transfer] = calls
  expect([creation.status, transfer.status]).toEqual(['0x1', '0x1'])
  const state = 183_600n + 10_000n * 1530n
  expect(BigInt(gasUsed)).toBe(state)
  expect(BigInt(creation.gasUsed)).toBeGreaterThan(state)
})
