import { encodeFunctionData, type Hex, hexToBigInt } from 'viem'
import { describe, expect, test } from 'vitest'
import { artifact } from '../../support/solidity.ts'
import { NOBODY, type Stage, underBoth } from './stage.ts'

const meter = artifact('Meter')
const metered = (functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi: meter.abi, functionName, args })

describe('the limit of a plain transfer', () => {
  const sent = (fields: (stage: Stage) => { to: Hex; value: bigint }) =>
    underBoth(async (stage) => {
      const receipt = await stage.send({ ...fields(stage), gas: 300_000n })
      return `${receipt.status} ${receipt.gasUsed}`
    })

  test('is 21,000 to an account that exists', async () => {
    expect(await sent(({ other }) => ({ to: other, value: 1n }))).toEqual({
      bpo2: 'success 21000',
      amsterdam: 'success 21000',
    })
  })

  test('is 204,600 to one that does not', async () => {
    expect(await sent(() => ({ to: NOBODY, value: 1n }))).toEqual({
      bpo2: 'success 21000',
      amsterdam: 'success 204600',
    })
  })

  test('is 15,000 without ether', async () => {
    expect(await sent(({ other }) => ({ to: other, value: 0n }))).toEqual({
      bpo2: 'success 21000',
      amsterdam: 'success 15000',
    })
  })

  test('is 12,000 to oneself', async () => {
    expect(await sent(({ account }) => ({ to: account.address, value: 1n }))).toEqual({
      bpo2: 'success 21000',
      amsterdam: 'success 12000',
    })
  })

  test('fixed at 21,000 fails to an account that does not exist, and takes all of its gas', async () => {
    const outcome = await underBoth(async ({ client, send }) => {
      const { status, gasUsed } = await send({ to: NOBODY, value: 1n, gas: 21_000n })
      return { status, gasUsed, balance: await client.getBalance({ address: NOBODY }) }
    })
    expect(outcome).toEqual({
      bpo2: { status: 'success', gasUsed: 21_000n, balance: 1n },
      amsterdam: { status: 'reverted', gasUsed: 21_000n, balance: 0n },
    })
  })

  test('is what eth_estimateGas answers', async () => {
    const estimates = await underBoth(({ client, account }) =>
      client.estimateGas({ account, to: NOBODY, value: 1n }),
    )
    expect(estimates.bpo2).toBe(21_000n)
    expect(estimates.amsterdam).toBeGreaterThanOrEqual(204_600n)
  })
})

describe('gas as gasleft() sees it', () => {
  const difference = async (
    play: (stage: Stage, to: Hex) => Parameters<Stage['send']>[0],
    gas = 1_000_000n,
  ) => {
    const { bpo2, amsterdam } = await underBoth(async (stage) => {
      const to = await stage.deploy('Meter', { value: 10n })
      return stage.measured(await stage.send({ to, gas, ...play(stage, to) }))
    })
    return Number(amsterdam - bpo2)
  }

  test('a cold slot that changes costs 12,100, not 5,000', async () => {
    expect(await difference(() => ({ data: metered('changeSlot') }))).toBe(12_100 - 5000)
  })

  test('a slot that was zero costs 12,100 and 97,920 of state gas, not 22,100', async () => {
    const expected = 12_100 + 97_920 - 22_100
    expect(await difference(() => ({ data: metered('setSlot') }))).toBe(expected)
  })

  test('a cold account costs 3,000, not 2,600', async () => {
    expect(await difference(() => ({ data: metered('readBalance', NOBODY) }))).toBe(400)
  })

  test('a call with ether costs 11,300 and the access, not 9,000 and the access', async () => {
    const play = ({ other }: Stage) => ({ data: metered('pay', other) })
    // The stipend of 2,300 comes back from an account without code.
    expect(await difference(play)).toBe(11_300 + 3000 - 9000 - 2600)
  })

  test('a call with ether that makes an account costs 183,600 of state gas, not 25,000', async () => {
    const play = () => ({ data: metered('pay', NOBODY) })
    const expected = 11_300 + 3000 + 183_600 - 9000 - 2600 - 25_000
    expect(await difference(play)).toBe(expected)
  })

  test('CREATE costs 12,000 and 183,600 of state gas, not 32,000', async () => {
    const expected = 12_000 + 183_600 - 32_000
    expect(await difference(() => ({ data: metered('create') }))).toBe(expected)
  })
})

describe('a deployment', () => {
  /** Init code that returns that many zero bytes. */
  const zeros = (bytes: number): Hex => `0x62${bytes.toString(16).padStart(6, '0')}5ff3`

  test('costs 1,530 per byte of code, not 200, and 183,600 for the account', async () => {
    const { bpo2, amsterdam } = await underBoth(async ({ send }) => {
      const small = await send({ data: zeros(32), gas: 1_000_000n })
      const larger = await send({ data: zeros(64), gas: 1_000_000n })
      return { base: small.gasUsed, word: larger.gasUsed - small.gasUsed }
    })
    // 3 for the memory, 6 for the hash, which was free.
    expect(bpo2.word).toBe(32n * 200n + 3n)
    expect(amsterdam.word).toBe(32n * 1530n + 6n + 3n)
    expect(Number(amsterdam.base - bpo2.base)).toBe(
      24_000 + 183_600 + 32 * 1530 + 6 - 53_000 - 32 * 200,
    )
  })

  test('of 24 kB costs 37.8 million', async () => {
    const { bpo2, amsterdam } = await underBoth(
      async ({ send }) => {
        const { status, gasUsed } = await send({ data: zeros(24_576), gas: 38_000_000n })
        return { status, millions: Number(gasUsed / 100_000n) / 10 }
      },
      { transactionGasCap: 0 },
    )
    expect(bpo2).toEqual({ status: 'success', millions: 4.9 })
    expect(amsterdam).toEqual({ status: 'success', millions: 37.8 })
  })

  test('may have 64 kB of code, not 24', async () => {
    const deployed = await underBoth(
      async ({ send }) => {
        const outcomes: string[] = []
        for (const bytes of [24_576, 24_577, 65_536, 65_537]) {
          const { status } = await send({ data: zeros(bytes), gas: 150_000_000n })
          outcomes.push(status)
        }
        return outcomes
      },
      { gasLimit: 400_000_000, transactionGasCap: 0 },
    )
    expect(deployed).toEqual({
      bpo2: ['success', 'reverted', 'reverted', 'reverted'],
      amsterdam: ['success', 'success', 'success', 'reverted'],
    })
  })
})

describe('data and lists', () => {
  const used = (play: (stage: Stage) => Parameters<Stage['send']>[0]) =>
    underBoth(async (stage) => {
      const { gasUsed } = await stage.send({ to: stage.other, gas: 1_000_000n, ...play(stage) })
      return Number(gasUsed)
    })

  test('a byte costs at least 64, zero or not, in place of 10 and 40', async () => {
    expect(await used(() => ({ data: `0x${'00'.repeat(1000)}` }))).toEqual({
      bpo2: 21_000 + 1000 * 10,
      amsterdam: 15_000 + 1000 * 64,
    })
    expect(await used(() => ({ data: `0x${'ff'.repeat(1000)}` }))).toEqual({
      bpo2: 21_000 + 1000 * 40,
      amsterdam: 15_000 + 1000 * 64,
    })
  })

  test('a listed address costs 4,180, not 2,400, and a listed slot 4,048, not 1,900', async () => {
    const slot: Hex = `0x${'00'.repeat(32)}`
    expect(await used(() => ({ accessList: [{ address: NOBODY, storageKeys: [] }] }))).toEqual({
      bpo2: 21_000 + 2400,
      amsterdam: 15_000 + 2900 + 20 * 64,
    })
    expect(await used(() => ({ accessList: [{ address: NOBODY, storageKeys: [slot] }] }))).toEqual({
      bpo2: 21_000 + 2400 + 1900,
      amsterdam: 15_000 + 2900 + 20 * 64 + 2000 + 32 * 64,
    })
  })
})

describe('the gas of a block', () => {
  /** A block of two transactions: one that clears a slot, and one that fills a slot. */
  const block = () =>
    underBoth(async (stage) => {
      const { devnet, client } = stage
      const to = await stage.deploy('Meter', { value: 10n })
      const nonce = await client.getTransactionCount({ address: stage.account.address })
      const hashes: Hex[] = []
      for (const [index, name] of ['clearSlot', 'setSlot'].entries()) {
        const request = { to, data: metered(name), gas: 500_000n, nonce: nonce + index }
        hashes.push(await client.sendTransaction(request))
      }
      await devnet.clock.seal()
      const receipts = await Promise.all(
        hashes.map((hash) => client.getTransactionReceipt({ hash })),
      )
      const { gasUsed } = await client.getBlock()
      return {
        sum: receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0n),
        cumulative: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
        header: gasUsed,
      }
    })

  test('is not the sum of its receipts', async () => {
    const { bpo2, amsterdam } = await block()
    expect(bpo2.header).toBe(bpo2.sum)
    expect(amsterdam.header).not.toBe(amsterdam.sum)
    // Receipts add up what the senders pay, to whose sum the header has no relation.
    expect(amsterdam.cumulative).toBe(amsterdam.sum)
  })

  test('is the larger of execution and state, and refunds make no room', async () => {
    const refunded = await underBoth(async (stage) => {
      const to = await stage.deploy('Meter')
      const { gasUsed } = await stage.send({ to, data: metered('clearSlot'), gas: 500_000n })
      const { gasUsed: header } = await stage.client.getBlock()
      return header - gasUsed
    })
    expect(refunded.bpo2).toBe(0n)
    expect(refunded.amsterdam).toBeGreaterThan(0n)
    const created = await underBoth(async ({ send, client }) => {
      const { gasUsed } = await send({ to: NOBODY, value: 1n, gas: 300_000n })
      return { receipt: gasUsed, header: (await client.getBlock()).gasUsed }
    })
    expect(created.amsterdam).toEqual({ receipt: 204_600n, header: 183_600n })
  })
})

test('a contract that counts on 2,300 of gas still has them', async () => {
  // GAS; PUSH0; MSTORE; … would need more: the stipend pays for what it says, no slot.
  const stipend = await underBoth(async (stage) => {
    const { devnet } = stage
    const to = await stage.deploy('Meter', { value: 10n })
    const heard: Hex = '0x00000000000000000000000000000000000ca11e'
    // Logs its gas: 5a 5f 52 6020 5f a0.
    await devnet.provider.request({
      method: 'hardhat_setCode',
      params: [heard, '0x5a5f5260205fa000'],
    })
    const { logs } = await stage.send({ to, data: metered('pay', heard), gas: 1_000_000n })
    const found = logs.find(({ address }) => address === heard)
    return found && hexToBigInt(found.data)
  })
  expect(stipend).toEqual({ bpo2: 2298n, amsterdam: 2298n })
})
