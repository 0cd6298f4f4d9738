import { setImmediate as turn } from 'node:timers/promises'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { SimulationPayload } from '../../../devnet/json/schemas/simulationPayload.ts'
import { CODE, createExecutionChain, NOBODY, overrides } from './harness.ts'
import { countHeld } from './held.ts'

/** Endless: JUMPDEST, PUSH0, JUMP. */
const ENDLESS: Hex = '0x5b5f56'
const BLAKE2F: Hex = '0x0000000000000000000000000000000000000009'
/** 40 million rounds, which take some 15 s. */
const ROUNDS: Hex = `0x02625a00${'00'.repeat(208)}01`

/** Code that calls `to` for ever, with all its call data. */
const callForEver = (to: Hex): Hex => `0x5b365f5f375f5f365f5f73${to.slice(2)}5af1505f56`

const endless = overrides({ [CODE]: { code: ENDLESS } })
const oneBlock = (call: object, code = ENDLESS): SimulationPayload => ({
  blockStateCalls: [
    {
      stateOverrides: overrides({ [CODE]: { code } }),
      // Gas for minutes.
      blockOverrides: { gasLimit: 10n ** 12n },
      calls: [{ to: CODE, ...call }],
    },
  ],
})

/**
 * Requests that take far longer than any limit below; a caller may give as much gas as it likes.
 */
const LONG: [string, SimulationPayload][] = [
  ['a loop', oneBlock({})],
  ['calls of a loop', oneBlock({}, callForEver(NOBODY))],
  ['a precompile', oneBlock({ to: BLAKE2F, data: ROUNDS })],
  ['a precompile that code calls', oneBlock({ data: ROUNDS }, callForEver(BLAKE2F))],
  [
    'loops in many blocks',
    { blockStateCalls: Array(200).fill(oneBlock({ gas: 200_000_000n }).blockStateCalls[0]) },
  ],
  [
    'many calls',
    {
      blockStateCalls: [
        {
          stateOverrides: endless,
          blockOverrides: { gasLimit: 10n ** 12n },
          calls: Array(20_000).fill({ to: CODE, gas: 1_000_000n }),
        },
      ],
    },
  ],
  ['many empty blocks', { blockStateCalls: [{ blockOverrides: { number: 100_000n } }] }],
]

const limits = { blocks: 1_000_000, callsPerBlock: 20_000, calls: 20_000, gas: 10n ** 12n }

describe('time', () => {
  test.each(LONG)('ends %s', async (_, payload) => {
    const node = await createExecutionChain()
    await node.engine.executor()
    const start = performance.now()
    await expect(
      node.simulate(payload, { limits: { ...limits, timeout: 100 } }),
    ).rejects.toMatchObject({
      code: -32016,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
    // Slow machines included; each of them takes far longer without the limit.
    expect(performance.now() - start).toBeLessThan(100 + 1500)
    // Whoever comes next is not disturbed.
    expect(await node.simulate(oneBlock({ to: NOBODY }))).toMatchObject([{ gasUsed: '0x5208' }])
  })

  test('of calls and estimates, in a precompile', async () => {
    const node = await createExecutionChain()
    await node.engine.executor()
    const request = { to: BLAKE2F, data: ROUNDS, gas: 60_000_000n }
    const refused = {
      code: -32000,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    }
    // Gas for hours: what ends within its gas before anybody looks at the clock has not timed out.
    const changes = { timeout: 50, gasCap: 10n ** 12n }
    await expect(node.call(request, changes)).rejects.toMatchObject(refused)
    const state = { [CODE]: { code: callForEver(BLAKE2F) } }
    await expect(
      node.estimate({ to: CODE, data: ROUNDS }, { ...changes, state }),
    ).rejects.toMatchObject(refused)
  })
})

describe('withdrawal', () => {
  test.each(LONG)('ends %s, and frees what it held', async (_, payload) => {
    const node = await createExecutionChain()
    const held = await countHeld(node)
    const common = await (await node.engine.executor()).common()
    await node.simulate(oneBlock({ to: NOBODY }))
    const listeners = common.events.listenerCount('hardforkChanged')
    const stop = new AbortController()
    // Not the error itself, which would keep what it came from.
    const run = node
      .simulate(payload, { limits: { ...limits, timeout: 60_000 }, signal: stop.signal })
      .catch(({ code, message }) => ({ code, message }))
    const taken = held.taken()
    // Until it runs.
    while (held.taken() === taken) await turn()
    for (let turns = 0; turns < 3; turns++) await turn()
    expect(held.versions()).toBe(1)
    stop.abort()
    expect(await run).toEqual({
      code: -32016,
      message: 'execution aborted (the request was withdrawn)',
    })
    expect(held.versions()).toBe(0)
    expect(await held.lost()).toBe(0)
    expect(common.events.listenerCount('hardforkChanged')).toBe(listeners)
  })

  test('of what waits for its turn', async () => {
    const node = await createExecutionChain()
    const held = await countHeld(node)
    const stop = new AbortController()
    const request = () =>
      node
        .call({ to: CODE }, { state: { [CODE]: { code: ENDLESS } }, signal: stop.signal })
        // The error itself would keep what it came from.
        .catch((error: Error) => error.name)
    const ended = Promise.all(Array.from({ length: 50 }, request))
    await turn()
    stop.abort()
    expect(new Set(await ended)).toEqual(new Set(['ExecutionAbortedError']))
    expect(held.versions()).toBe(0)
    expect(await held.lost()).toBe(0)
  })
})

test('what fails frees what it held too', async () => {
  const node = await createExecutionChain()
  const held = await countHeld(node)
  const refused = { blockStateCalls: [{ stateOverrides: endless, calls: [{ gas: 1n }] }] }
  await expect(node.simulate(refused)).rejects.toMatchObject({ code: -38013 })
  await expect(node.call({ to: CODE }, { state: { [CODE]: { code: '0xfe' } } })).rejects.toThrow(
    'invalid opcode',
  )
  expect(held.versions()).toBe(0)
  expect(await held.lost()).toBe(0)
  expect(held.taken()).toBe(2)
})
