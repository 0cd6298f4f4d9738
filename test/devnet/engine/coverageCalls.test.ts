import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type OptionsInput } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'

const COVERAGE = 'c0bec0bec0bec0bec0bec0bec0bec0bec0bec0be'
/** An account where nothing is, and nothing listens. */
const ELSEWHERE = 'c0bec0bec0bec0bec0bec0bec0bec0bec0bec0bf'
const CONTRACT: Hex = `0x${'c0'.repeat(20)}`
const CALLEE: Hex = `0x${'ca'.repeat(20)}`

const tag = (byte: number): Hex => `0x${byte.toString(16).padStart(64, '0')}`

/** As coverage.sol does: 32 bytes of calldata, all gas, the result dropped. */
const hit = (byte: number, address = COVERAGE) =>
  // MSTORE(0, byte); STATICCALL(gas, address, 0, 32, 0, 0); POP
  `60${byte.toString(16).padStart(2, '0')}5f525f5f60205f73${address}5afa50`

/** CALL without value or calldata, which drops its result. */
const callTo = (address: Hex) => `5f5f5f5f5f73${address.slice(2)}5af150`

/** Returns RETURNDATASIZE, and the first word of the return data if `word`. */
const returnSize = '3d5f5260205ff3'
const returnWord = '60205f5f3e60205ff3'

/** Returns 64 bytes: 7, then 8. */
const twoWords = '60075f5260086020526040' + '5ff3'

/** Reverts with one word. */
const revertWord = '60095f5260205ffd'

async function open(codes: Record<Hex, string>, options: OptionsInput = { coverage: true }) {
  const devnet = createDevnet({ port: 0, instant: true, wallet: false, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const reported: Hex[][] = []
  devnet.on('coverage', ({ tags }) => reported.push([...tags]))
  // Each test knows what the method that it calls answers.
  const request = async <Result = Hex>(method: string, ...params: unknown[]) =>
    (await devnet.provider.request({ method, params })) as Result
  for (const [address, code] of Object.entries(codes)) {
    await request('hardhat_setCode', address, `0x${code}`)
  }
  const [from] = await request<Hex[]>('eth_accounts')
  const tx = { from, to: CONTRACT, gas: '0x493e0' }
  return { devnet, request, reported, tx, call: () => request('eth_call', tx, 'latest') }
}

describe.each(['fast', 'library'] as const)('engine %s', (engine) => {
  const on = { engine, coverage: true }

  test('reports the hits of transactions and calls, each once an execution', async () => {
    const { request, reported, tx } = await open({ [CONTRACT]: hit(1) + hit(2) + hit(1) }, on)
    await request('eth_call', tx, 'latest')
    expect(reported.splice(0)).toEqual([[tag(1), tag(2)]])
    await request('eth_sendTransaction', tx)
    expect(reported.splice(0)).toEqual([[tag(1), tag(2)]])
  })

  test('reports the hits of frames and executions that fail', async () => {
    const { request, reported, tx } = await open(
      {
        [CONTRACT]: `${hit(1) + callTo(CALLEE) + hit(2)}5f5ffd`,
        [CALLEE]: `${hit(3)}5f5ffd`,
      },
      on,
    )
    const all = [tag(1), tag(2), tag(3)]
    for (const work of [
      () => request('eth_call', tx, 'latest'),
      () => request('eth_estimateGas', { ...tx, gas: undefined }),
      () => request('eth_sendTransaction', tx),
    ]) {
      await expect(work()).rejects.toThrow('execution reverted')
      expect(new Set(reported.splice(0).flat())).toEqual(new Set(all))
    }
  })

  test('the return data of the call before stays, in each frame', async () => {
    const hits = hit(1) + hit(2)
    for (const [codes, result] of [
      [{ [CONTRACT]: hits + returnSize }, 0],
      [{ [CONTRACT]: callTo(CALLEE) + hits + returnSize, [CALLEE]: twoWords }, 64],
      [{ [CONTRACT]: callTo(CALLEE) + hits + returnWord, [CALLEE]: twoWords }, 7],
      [{ [CONTRACT]: callTo(CALLEE) + hits + returnWord, [CALLEE]: revertWord }, 9],
      // A frame begins without return data, though its caller has some.
      [
        {
          [CONTRACT]:
            callTo('0x0000000000000000000000000000000000000004') + callTo(CALLEE) + returnWord,
          [CALLEE]: hits + returnSize,
        },
        0,
      ],
      // Memory that grows over it moves it.
      [
        {
          [CONTRACT]: `${callTo(CALLEE)}${hits}60016202000053${hits}${returnWord}`,
          [CALLEE]: twoWords,
        },
        7,
      ],
      // Any other call replaces it.
      [{ [CONTRACT]: callTo(CALLEE) + hit(1, ELSEWHERE) + returnSize, [CALLEE]: twoWords }, 0],
    ] as const) {
      const { call } = await open(codes, on)
      expect(await call()).toBe(tag(result))
    }
  })

  test('a trace sees the same return data', async () => {
    const { request, tx } = await open(
      { [CONTRACT]: callTo(CALLEE) + hit(1) + returnWord, [CALLEE]: twoWords },
      on,
    )
    const options = { tracer: 'callTracer' }
    expect(await request('debug_traceCall', tx, 'latest', options)).toMatchObject({
      output: tag(7),
    })
  })

  test('a hit costs what a call of an empty account costs', async () => {
    const gasOf = async (address: string) => {
      const { request, tx } = await open({ [CONTRACT]: hit(1, address).repeat(3) }, on)
      const hash = await request('eth_sendTransaction', tx)
      const receipt = await request<{ gasUsed: Hex }>('eth_getTransactionReceipt', hash)
      return receipt.gasUsed
    }
    expect(await gasOf(COVERAGE)).toBe(await gasOf(ELSEWHERE))
  })

  test('calldata that is no tag is not reported', async () => {
    const { call, reported } = await open(
      { [CONTRACT]: `5f5f601f5f73${COVERAGE}5afa50${callTo(`0x${COVERAGE}`)}` },
      on,
    )
    await call()
    expect(reported).toEqual([])
  })

  test('without the option nothing is recorded, and a hit is a call', async () => {
    const { call, reported } = await open(
      { [CONTRACT]: callTo(CALLEE) + hit(1) + returnSize, [CALLEE]: twoWords },
      { engine },
    )
    expect(await call()).toBe(tag(0))
    expect(reported).toEqual([])
  })
})

test('heavy calls are recorded too, as no thread takes them over', async () => {
  let threads = 0
  const count = () => threads++
  process.on('worker', count)
  onTestFinished(() => void process.off('worker', count))
  // Counts two million down.
  const loop = '621e84805b600190038060' // PUSH3 2,000,000; JUMPDEST; SUB 1; DUP1; PUSH1 …
  const start = (hit(1).length + 8) / 2
  const code = `${hit(1)}${loop}${start.toString(16).padStart(2, '0')}57${hit(2)}`
  const { request, reported } = await open({ [CONTRACT]: code }, { coverage: true, workers: 1 })
  for (let time = 0; time < 4; time++) {
    await request('eth_call', { to: CONTRACT }, 'latest')
    expect(reported.splice(0)).toEqual([[tag(1), tag(2)]])
  }
  expect(threads).toBe(0)
})

test('a tick reports, and its listeners hear of it before the tick event', async () => {
  const { devnet, request, reported, tx } = await open(
    { [CONTRACT]: hit(1) },
    { coverage: true, instant: false, frozenTicks: true },
  )
  const order: string[] = []
  devnet.on('coverage', () => order.push('coverage'))
  devnet.on('tick', () => order.push('tick'))
  await request('eth_sendTransaction', tx)
  expect(reported).toEqual([])
  await request('preconf_advance', { ticks: 1 })
  expect(reported).toEqual([[tag(1)]])
  expect(order).toEqual(['coverage', 'tick'])
})

test('lifts the limits that are not given', () => {
  const { options } = createDevnet({ coverage: true })
  expect(options).toMatchObject({
    codeSizeLimit: 0,
    transactionGasCap: 0,
    gasLimit: 1_000_000_000,
    callGasLimit: 1_000_000_000,
  })
  const given = { codeSizeLimit: 1, transactionGasCap: 2, gasLimit: 30_000, callGasLimit: 40_000 }
  expect(createDevnet({ coverage: true, ...given }).options).toMatchObject(given)
  expect(createDevnet({ coverage: true, genesis: 'some.json' }).options).toMatchObject({
    codeSizeLimit: 0,
    gasLimit: 60_000_000,
  })
})
