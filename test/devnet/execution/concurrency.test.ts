import { setImmediate as turn } from 'node:timers/promises'
import { type Hex, numberToHex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { runs } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import {
  type CallChanges,
  CODE,
  createExecutionChain,
  NOBODY,
  overrides,
  returning,
} from './harness.ts'

const word = (value: bigint | number) => pad(numberToHex(value))

/** An endless loop of MULMODs, which take the longest for their gas. */
const ENDLESS: Hex = `0x7f${'ff'.repeat(32)}5b${'8080800950'.repeat(200)}602156`

/** Counts down from `rounds`, then answers what `to` answers to its call data. */
function slowly(rounds: number, to: Hex): Hex {
  // Each round has two MULMODs, which take long for their gas.
  const multiply = `7f${'ff'.repeat(32)}${'8080800950'.repeat(2)}50`
  const count = `62${rounds.toString(16).padStart(6, '0')}5b${multiply}600190038060045750`
  return `0x${count}365f5f3760205f365f73${to.slice(2)}5afa5060205ff3`
}

async function createPlayground() {
  const node = await createExecutionChain()
  const { address, encode } = await node.deploy('Playground')
  const store = async (value: number, nonce?: number) => {
    const data = encode('store', 1n, value)
    await node.send({ to: address, data, ...(nonce === undefined ? {} : { nonce }) })
    await node.tick()
  }
  /**
   * Reads the slot after `rounds`: 100,000 take longer than an execution may go on without a pause.
   */
  const read = (rounds: number, changes: CallChanges = {}) =>
    node.call(
      { to: CODE, data: encode('stored', 1n) },
      { ...changes, state: { [CODE]: { code: slowly(rounds, address) } } },
    )
  return { ...node, address, encode, store, read }
}

describe('views', () => {
  test('calls between ticks answer what they answer alone', async () => {
    const node = await createPlayground()
    const random = new Random(7)
    const calls: Promise<Hex>[] = []
    const expected: Hex[] = []
    const blocks: (typeof node.chain.pending)[] = []
    for (let tick = 1; tick <= runs(60); tick++) {
      await node.store(tick)
      for (let index = 0; index < 5; index++) {
        calls.push(node.read(1 + random.below(40_000)))
        expected.push(word(tick))
      }
      blocks.push(node.chain.pending)
      if (tick % 5 === 0) await node.seal()
    }
    expect(await Promise.all(calls)).toEqual(expected)
    // Alone, and after all of them.
    for (const [index, block] of blocks.entries()) {
      expect(await node.read(1, { block })).toBe(word(index + 1))
    }
  })

  test('simulations and estimates side by side with ticks', async () => {
    const node = await createPlayground()
    const payload = (value: number) => ({
      blockStateCalls: [
        {
          stateOverrides: overrides({ [CODE]: { code: slowly(30_000, node.address) } }),
          calls: [
            { to: CODE, data: node.encode('stored', 1n) },
            { from: node.from, to: node.address, data: node.encode('store', 1n, value + 100) },
          ],
        },
        { calls: [{ to: CODE, data: node.encode('stored', 1n) }] },
      ],
    })
    const request = { from: node.from, to: node.address, data: node.encode('store', 1n, 0n) }
    const estimate = await node.estimate(request)
    const simulations = []
    const estimates = []
    for (let tick = 1; tick <= 6; tick++) {
      await node.store(tick)
      // What is told here are the views, however long they take.
      simulations.push(node.simulate(payload(tick)))
      estimates.push(node.estimate(request))
    }
    const results = await Promise.all(simulations)
    expect(
      results.map(([first, second]) => [first?.calls[0]?.returnData, second?.calls[0]?.returnData]),
    ).toEqual([1, 2, 3, 4, 5, 6].map((tick) => [word(tick), word(tick + 100)]))
    const gas = await Promise.all(estimates)
    // Clearing the slot costs the same in each view; before the first store there was nothing to
    // clear.
    expect(new Set(gas).size).toBe(1)
    expect(gas[0]).not.toBe(estimate)
  })

  test('a revert of the chain does not change what a call reads', async () => {
    const node = await createPlayground()
    await node.store(1)
    const id = await node.chain.write((commands) => commands.snapshot(() => {}))
    await node.store(2)
    let done = false
    const call = node.read(300_000).finally(() => {
      done = true
    })
    await turn()
    await node.chain.write((commands) => commands.revert(id))
    expect(done).toBe(false)
    expect(await node.read(1)).toBe(word(1))
    await node.store(3, 2)
    expect(await call).toBe(word(2))
    expect(await node.read(1)).toBe(word(3))
  })

  test('a thousand calls at once', async () => {
    const node = await createPlayground()
    await node.store(5)
    const calls = Array.from({ length: 1000 }, () => node.read(1))
    expect(new Set(await Promise.all(calls))).toEqual(new Set([word(5)]))
  })
})

describe('event loop', () => {
  test.each<[bigint, string, Hex]>([
    [10_000_000n, 'jumps', '0x5b5f56'],
    // KECCAK256 of 32 bytes.
    [10_000_000n, 'hashes', '0x5b60205f20505f56'],
    // CALLs to an account without code.
    [5_000_000n, 'calls', `0x5b5f5f5f5f5f${`73${NOBODY.slice(2)}`}5af1505f56`],
    [5_000_000n, 'memory', '0x5b5f515f525f56'],
  ])('%i gas of %s let others in', async (gas, _, code) => {
    const node = await createExecutionChain()
    await node.call({ to: NOBODY })
    let done = false
    let turns = 0
    const start = process.cpuUsage()
    const call = node
      .call({ to: CODE, gas }, { state: { [CODE]: { code } } })
      .catch((error: Error) => error.message)
      .finally(() => {
        done = true
      })
    while (!done) {
      await turn()
      turns++
    }
    const { user, system } = process.cpuUsage(start)
    expect(await call).toBe('out of gas')
    // µs of this process: others of the machine may take as long as they like.
    expect((user + system) / turns).toBeLessThan(60_000)
  })

  test('short calls go on beside long ones', async () => {
    const node = await createExecutionChain()
    const stop = new AbortController()
    const long = Array.from({ length: 10 }, () =>
      node
        .call({ to: CODE }, { state: { [CODE]: { code: ENDLESS } }, signal: stop.signal })
        .catch((error: Error) => error.name),
    )
    await turn()
    const state = { [CODE]: { code: returning('602a') } }
    for (let index = 0; index < 20; index++) {
      expect(await node.call({ to: CODE }, { state })).toBe(word(42))
    }
    stop.abort()
    expect(new Set(await Promise.all(long))).toEqual(new Set(['ExecutionAbortedError']))
  })
})

describe('limits', () => {
  const endless = { [CODE]: { code: ENDLESS } }

  test('args: signal', async () => {
    const node = await createExecutionChain()
    const stop = new AbortController()
    const call = node.call({ to: CODE }, { state: endless, signal: stop.signal })
    await turn()
    stop.abort()
    await expect(call).rejects.toMatchObject({
      name: 'ExecutionAbortedError',
      message: 'execution aborted (the request was withdrawn)',
    })
    await expect(node.call({ to: CODE }, { signal: stop.signal })).rejects.toMatchObject({
      name: 'ExecutionAbortedError',
    })
  })

  test('an aborted call leaves nothing behind', async () => {
    const node = await createPlayground()
    await node.store(1)
    for (let round = 0; round < 10; round++) {
      const stop = new AbortController()
      // Writes, calls itself as deep as it can, and never ends.
      const deep: Hex = `0x60995f555b5f5f5f5f5f73${CODE.slice(2)}5af150600456`
      const call = node.call(
        { to: CODE },
        { state: { [CODE]: { code: deep } }, signal: stop.signal },
      )
      await turn()
      stop.abort()
      await expect(call).rejects.toMatchObject({ name: 'ExecutionAbortedError' })
    }
    expect(await node.read(1)).toBe(word(1))
    // The signal of the last one is aborted still; it does not affect the machine's next user.
    expect(await node.read(100_000)).toBe(word(1))
    await node.store(2)
    expect(await node.read(1)).toBe(word(2))
  })

  test('limits end with their call', async () => {
    const node = await createPlayground()
    await node.store(1)
    const stop = new AbortController()
    expect(await node.read(1, { signal: stop.signal, timeout: 60_000 })).toBe(word(1))
    stop.abort()
    const executor = await node.engine.executor()
    const machine = await executor.acquire(node.chain.pending.state, node.chain.blockHashes)
    const start = performance.now()
    while (performance.now() - start < 6) {
      // Long enough for the next points to look at the limits.
    }
    for (let call = 0; call < 200; call++) await machine.scheduler.yieldIfDueSampled()
  })

  test('args: timeout', async () => {
    const node = await createExecutionChain()
    await expect(node.call({ to: CODE }, { state: endless, timeout: 20 })).rejects.toMatchObject({
      code: -32000,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
    await expect(
      node.estimate({ to: CODE }, { state: endless, timeout: 20 }),
    ).rejects.toMatchObject({
      code: -32000,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
    await expect(
      node.simulate(
        { blockStateCalls: [{ stateOverrides: overrides(endless), calls: [{ to: CODE }] }] },
        { limits: { timeout: 20 } },
      ),
    ).rejects.toMatchObject({
      code: -32016,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
  })

  test('args: signal of a simulation', async () => {
    const node = await createExecutionChain()
    const stop = new AbortController()
    const simulation = node.simulate(
      { blockStateCalls: [{ calls: Array(2000).fill({ to: NOBODY, gas: 21_000n }) }] },
      { signal: stop.signal },
    )
    await turn()
    stop.abort()
    await expect(simulation).rejects.toMatchObject({ code: -32016 })
  })
})
