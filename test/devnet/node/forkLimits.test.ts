import { describe, expect, onTestFinished, test } from 'vitest'
import type { Devnet, OptionsInput } from '../../../devnet/index.ts'
import { createDevnet } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'

interface Stage {
  readonly devnet: Devnet
  readonly request: <Result = Hex>(method: string, ...params: unknown[]) => Promise<Result>
  /** Sends from the first account to itself, or creates a contract. */
  readonly send: (fields: object) => Promise<Hex>
}

async function open(options: OptionsInput): Promise<Stage> {
  const devnet = createDevnet({ port: 0, instant: true, wallet: false, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  // Each test knows what the method that it calls answers.
  const request = async <Result>(method: string, ...params: unknown[]) =>
    (await devnet.provider.request({ method, params })) as Result
  const [from] = await request<Hex[]>('eth_accounts')
  return {
    devnet,
    request,
    send: (fields) =>
      request('eth_sendTransaction', {
        from,
        ...('data' in fields ? {} : { to: from }),
        gas: '0xf00000',
        ...fields,
      }),
  }
}

const push4 = (length: number) => `63${length.toString(16).padStart(8, '0')}`

/** Init code of a contract with `length` bytes of zeros. */
const creationOf = (length: number): Hex => `0x${push4(length)}5ff3`

/** Init code that creates a contract of `length` zeros by CREATE, and returns its address. */
const factoryOf = (length: number): Hex => {
  const creation = creationOf(length).slice(2)
  const bytes = creation.length / 2
  return `0x66${creation}5f5260${bytes.toString(16).padStart(2, '0')}60${(32 - bytes).toString(16)}5ff05f5260205ff3`
}

/** Init code of `length` bytes, which creates an empty contract. */
const longCreation = (length: number): Hex => `0x${'00'.repeat(length)}`

describe.each(['fast', 'library'] as const)('engine %s', (engine) => {
  test('codeSizeLimit: by default that of EIP-170', async () => {
    const { request, send } = await open({ engine })
    await send({ data: creationOf(24_576) })
    await expect(send({ data: creationOf(24_577) })).rejects.toThrow('max code size exceeded')
    await expect(request('eth_call', { data: longCreation(49_153) })).rejects.toThrow(
      'max initcode size exceeded: code size 49153, limit 49152',
    )
  })

  test('codeSizeLimit: holds for deployed code and, doubled, for init code', async () => {
    const { request, send } = await open({ engine, codeSizeLimit: 30_000 })
    const hash = await send({ data: creationOf(30_000) })
    const { contractAddress } = await request<{ contractAddress: Hex }>(
      'eth_getTransactionReceipt',
      hash,
    )
    expect(await request('eth_getCode', contractAddress)).toHaveLength(2 + 60_000)
    await expect(send({ data: creationOf(30_001) })).rejects.toThrow('max code size exceeded')
    await send({ data: longCreation(60_000) })
    await expect(send({ data: longCreation(60_001) })).rejects.toThrow(
      'max initcode size exceeded: code size 60001, limit 60000',
    )
  })

  test('codeSizeLimit: holds for contracts that contracts create', async () => {
    const { request } = await open({ engine, codeSizeLimit: 30_000 })
    expect(await request('eth_call', { data: factoryOf(30_001) })).toBe(`0x${'00'.repeat(32)}`)
    expect(await request('eth_call', { data: factoryOf(30_000) })).not.toBe(`0x${'00'.repeat(32)}`)
  })

  test('codeSizeLimit: 0 is none', async () => {
    const { request, send } = await open({ engine, codeSizeLimit: 0, transactionGasCap: 0 })
    const gas = '0x3000000'
    await send({ data: creationOf(200_000), gas })
    await send({ data: longCreation(200_000), gas })
    // The estimate runs under the same limits.
    expect(Number(await request('eth_estimateGas', { data: creationOf(200_000) }))).toBeGreaterThan(
      40_000_000,
    )
    // So does the trace.
    const { failed } = await request<{ failed: boolean }>(
      'debug_traceCall',
      { data: creationOf(100_000) },
      'latest',
    )
    expect(failed).toBe(false)
  })
})

test('transactionGasCap: by default that of the hardfork', async () => {
  const { send } = await open({})
  await expect(send({ gas: '0x1000001' })).rejects.toThrow('transaction gas limit too high')
  const before = await open({ hardfork: 'prague' })
  await before.send({ gas: '0x1000001' })
})

test('transactionGasCap: 0 is none, and a send without gas may use the block', async () => {
  const { request, send } = await open({ transactionGasCap: 0, frozen: true, instant: false })
  // Its estimate fails.
  const hash = await send({ data: '0xfe', gas: undefined })
  expect(await request('eth_getTransactionByHash', hash)).toMatchObject({ gas: '0x3938700' })
  await send({ gas: '0x2000000' })
})

test.each(['bpo2', 'london'] as const)('transactionGasCap: applies under %s', async (hardfork) => {
  const { send } = await open({ hardfork, transactionGasCap: 1_000_000 })
  await send({ gas: '0xf4240' })
  await expect(send({ gas: '0xf4241' })).rejects.toThrow(
    'transaction gas limit too high (cap: 1000000, tx: 1000001)',
  )
})

test('coinbase: gets the fees', async () => {
  const coinbase = '0x00000000000000000000000000000000DeaDBeef'
  const { request, send } = await open({ coinbase })
  await send({ maxPriorityFeePerGas: '0x1' })
  expect(await request('eth_coinbase')).toBe(coinbase.toLowerCase())
  expect(await request('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    miner: coinbase.toLowerCase(),
  })
  expect(BigInt(await request('eth_getBalance', coinbase))).toBeGreaterThan(0n)
})

test('coinbase: wants an address', () => {
  expect(() => createDevnet({ coinbase: '0x12' })).toThrow(
    'coinbase must be an address, 0x and 40 hexadecimal digits, not "0x12".',
  )
})
