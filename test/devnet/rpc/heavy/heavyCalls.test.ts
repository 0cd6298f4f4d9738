import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { type Hex, numberToHex, pad } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ThreadEndedError } from '../../../../devnet/engine/workers/threadPool.ts'
import { executionTarget } from '../../../../devnet/execution/executionTarget.ts'
import { simulationBase } from '../../../../devnet/execution/simulate.ts'
import { createDevnet } from '../../../../devnet/index.ts'
import type { CallRequest } from '../../../../devnet/json/schemas/callRequest.ts'
import { JsonText } from '../../../../devnet/primitives/jsonText.ts'
import { ForkSchedule } from '../../../../devnet/protocol/forkSchedule.ts'
import { callTasks } from '../../../../devnet/rpc/heavy/callTasks.ts'
import { HeavyCalls } from '../../../../devnet/rpc/heavy/heavyCalls.ts'
import { simulationTask } from '../../../../devnet/rpc/heavy/simulationTask.ts'
import type { Task, TaskLimits } from '../../../../devnet/rpc/heavy/task.ts'
import { addressKeyFromHex } from '../../../../devnet/state/keys.ts'
import {
  CODE,
  createExecutionChain,
  NOBODY,
  OTHER,
  overrides,
  returning,
} from '../../execution/harness.ts'

/** Pays for endless loops. */
const GAS = 10n ** 15n

const word = (value: number) => pad(numberToHex(value))

/** Hashes so often that it uses far more than three slices, then goes on with `rest`. */
const heavily = (rest: string): Hex => `0x620249f05b60205f2050600190038060045750${rest}`
const ENDLESS: Hex = '0x5b5f56'

/** A thread for heavy calls, and what it has posted. */
interface SeenThread {
  readonly worker: Worker
  readonly kinds: string[]
}

/** The threads that are started from now on. */
function watchThreads() {
  const threads: SeenThread[] = []
  const see = (worker: Worker) => {
    const kinds: string[] = []
    threads.push({ worker, kinds })
    worker.on('message', ({ kind }: { kind: string }) => kinds.push(kind))
  }
  process.on('worker', see)
  return { threads, unwatch: () => void process.off('worker', see) }
}

function watchedInTest(): SeenThread[] {
  const { threads, unwatch } = watchThreads()
  onTestFinished(unwatch)
  return threads
}

const doneBy = (threads: readonly SeenThread[]) =>
  threads.flatMap(({ kinds }) => kinds.filter((kind) => kind === 'done')).length

function newest(threads: readonly SeenThread[]): SeenThread {
  const thread = threads.at(-1)
  if (thread === undefined) throw new Error('There is no thread')
  return thread
}

async function asked({ worker }: SeenThread): Promise<void> {
  for (;;) {
    const [{ kind }] = await once(worker, 'message')
    if (kind === 'question') return
  }
}

async function createHeavyCalls(workers = 1, isIdle = () => false) {
  const node = await createExecutionChain({ engine: 'fast' })
  const { threads, unwatch } = watchThreads()
  const errors: unknown[] = []
  const heavy = new HeavyCalls(node.engine, {
    workers,
    onInternalError: (error) => errors.push(error),
    meter: { isIdle, helped: () => undefined },
  })
  const close = async () => {
    unwatch()
    await heavy.close()
  }
  const call = async (code: Hex, limits: TaskLimits = {}, request: CallRequest = { to: CODE }) => {
    const target = executionTarget(node.chain, node.chain.pending)
    const stateOverrides = overrides({ [CODE]: { code } })
    const args = { block: target.block, request, gasCap: GAS, stateOverrides }
    return (await heavy.run(callTasks.call, target, args, limits)).returnData
  }
  /** Calls until a thread has answered. */
  const warmUp = async (code = heavily(returning('602a').slice(2))) => {
    for (const before = doneBy(threads); doneBy(threads) === before; ) {
      expect(await call(code)).toBe(word(42))
    }
  }
  /** Makes the newest version of the state another one, so that the thread has to ask. */
  const change = () =>
    node.clocks.command((job) => job.cheat({ kind: 'addBalance', address: NOBODY, amount: 1n }))
  return { node, heavy, threads, errors, call, warmUp, change, close }
}

describe('where a call runs', () => {
  /** One for these tests: a thread takes a second to start from its sources. */
  let shared: Awaited<ReturnType<typeof createHeavyCalls>>
  beforeAll(async () => {
    shared = await createHeavyCalls()
  })
  afterAll(() => shared.close())

  test('default: a heavy one moves to a thread, and the next begins there', async () => {
    const { threads, call, warmUp, errors } = shared
    const light = () => call(returning('6007'), {}, { to: CODE, data: '0x11223344' })
    // The first one may take long, because its code is new.
    for (let times = 0; times < 3; times++) expect(await light()).toBe(word(7))
    expect(threads).toHaveLength(0)
    await warmUp()
    expect(threads).toHaveLength(1)
    const before = doneBy(threads)
    expect(await light()).toBe(word(7))
    expect(doneBy(threads)).toBe(before)
    expect(await call(heavily('602b5f5260205ff3'))).toBe(word(43))
    expect(doneBy(threads)).toBe(before + 1)
    expect(threads).toHaveLength(1)
    expect(errors).toEqual([])
  })

  test('one that turns out light begins on the main thread again', async () => {
    const { threads, call, warmUp } = shared
    await warmUp()
    // Also on a machine so slow that it takes the first ones for heavy.
    for (let before = -1; doneBy(threads) !== before; ) {
      before = doneBy(threads)
      expect(await call(returning('6007'))).toBe(word(7))
    }
  })

  test('args: workers 0', async () => {
    const { threads, call, close } = await createHeavyCalls(0)
    onTestFinished(close)
    const code = heavily(returning('602a').slice(2))
    for (let round = 0; round < 3; round++) expect(await call(code)).toBe(word(42))
    expect(threads).toHaveLength(0)
  })

  test.each([
    ['with the library', 'library', 'osaka'],
    ['before Berlin', 'fast', 'istanbul'],
  ] as const)('no thread would have to load the library, %s', async (_, choice, hardfork) => {
    const { engine, chain } = await createExecutionChain({ engine: choice })
    engine.setSchedule(ForkSchedule.constant(hardfork))
    const { threads, unwatch } = watchThreads()
    onTestFinished(unwatch)
    const onInternalError = (error: unknown) => {
      throw error
    }
    const heavy = new HeavyCalls(engine, { workers: 1, onInternalError })
    const task: Task<undefined, TaskLimits['mayMove']> = {
      name: 'call',
      run: async (_engine, _views, _args, limits) => limits.mayMove,
      kindOf: () => 'any',
      sendable: (args) => args,
      failure: (error) => error,
    }
    const target = executionTarget(chain, chain.pending)
    const ask = () => heavy.run(task, target, undefined, {})
    const mayMove = await ask()
    // Far more slices than are worth a thread.
    for (let slice = 0; slice < 100; slice++) expect(mayMove?.()).toBe(false)
    await expect.poll(ask).toBeUndefined()
    await heavy.close()
    expect(threads).toHaveLength(0)
  })

  test('reverts and failures of a thread are errors here', async () => {
    const { call, warmUp } = shared
    await warmUp()
    await expect(call(heavily('602a5f5260205ffd'))).rejects.toMatchObject({
      name: 'ExecutionRevertedError',
      code: 3,
      message: 'execution reverted',
      data: word(42),
    })
    await expect(call(heavily('fe'))).rejects.toMatchObject({
      name: 'ExecutionHaltedError',
      code: -32000,
      message: 'invalid opcode: INVALID',
    })
  })

  test('a simulation that moves prints each line once', async () => {
    const { node, heavy, threads, warmUp } = shared
    await warmUp()
    const talker = await node.deploy('Talker', ['Ann'])
    const { parent, ...views } = simulationBase(node.chain, node.chain.pending)
    const talk = (number: number) => ({
      from: node.from,
      to: talker.address,
      data: talker.encode('talk', 'Bob', number),
    })
    const calls = [talk(1), { to: CODE }, talk(2)]
    const payload = {
      blockStateCalls: [{ calls, stateOverrides: overrides({ [CODE]: { code: heavily('00') } }) }],
    }
    const limits = { blocks: 256, callsPerBlock: 5000, calls: 10_000, gas: GAS, timeout: 60_000 }
    const args = { parent, payload, limits, errors: 'object' } as const
    const printed: unknown[] = []
    const before = doneBy(threads)
    const result = await heavy.run(simulationTask, views, args, {
      onPrint: (_, { data }) => printed.push(data),
    })
    expect(doneBy(threads)).toBe(before + 1)
    expect(printed).toEqual([talk(1).data, talk(2).data])
    if (!(result instanceof JsonText)) throw new Error('The thread answers text')
    const here = await simulationTask.run(node.engine, views, args, {})
    expect(result.text).toBe(JSON.stringify(here))
  })

  test('a call on a thread reads the version at which it began', async () => {
    const { node, call, warmUp, threads } = shared
    const { address, encode } = await node.deploy('Playground')
    const store = async (value: number, nonce?: number) => {
      const data = encode('store', 1n, value)
      await node.send({ to: address, data, ...(nonce === undefined ? {} : { nonce }) })
      await node.tick()
    }
    await store(1)
    const id = await node.chain.write((commands) => commands.snapshot(() => {}))
    const nonce = Number(node.chain.pending.state.account(addressKeyFromHex(node.from))?.nonce)
    await store(2)
    await warmUp()
    // Calls with its own calldata, after the loop.
    const code = heavily(`365f5f3760205f365f73${address.slice(2)}5afa5060205ff3`)
    const request = { to: CODE, data: encode('stored', 1n) }
    const before = doneBy(threads)
    const reading = asked(newest(threads))
    const result = call(code, {}, request)
    await reading
    await node.chain.write((commands) => commands.revert(id))
    await store(3, nonce)
    expect(await result).toBe(word(2))
    expect(doneBy(threads)).toBe(before + 1)
    expect(await call(code, {}, request)).toBe(word(3))
  })
})

describe('threads', () => {
  test('if all threads are at work, an idle main thread runs one call at a time', async () => {
    let isIdle = true
    const { threads, call, warmUp, close } = await createHeavyCalls(1, () => isIdle)
    onTestFinished(close)
    await warmUp()
    const stop = new AbortController()
    const endless = call(ENDLESS, { signal: stop.signal })
    const before = doneBy(threads)
    expect(await call(heavily(returning('602b').slice(2)))).toBe(word(43))
    // While it does, or has no time, the next ones wait for the thread.
    const alsoEndless = call(ENDLESS, { signal: stop.signal })
    const next = call(heavily(returning('602c').slice(2)))
    isIdle = false
    const nextButOne = call(heavily(returning('602d').slice(2)))
    expect(doneBy(threads)).toBe(before)
    stop.abort()
    for (const ended of [endless, alsoEndless]) {
      await expect(ended).rejects.toMatchObject({ name: 'ExecutionAbortedError' })
    }
    expect(await Promise.all([next, nextButOne])).toEqual([word(44), word(45)])
    expect(doneBy(threads)).toBe(before + 2)
  })

  test('default: the first thread is started once tasks have used 30 slices, the first two of each worth less', async () => {
    const { node, heavy, threads, close } = await createHeavyCalls()
    onTestFinished(close)
    /** Reports five slices. */
    const slow: Task<undefined, string> = {
      name: 'call',
      run: async (_engine, _views, _args, { mayMove }) => {
        for (let slices = 1; slices <= 5; slices++) expect(mayMove?.()).toBe(false)
        return 'done'
      },
      kindOf: () => 'slow',
      sendable: (args) => args,
      failure: (error) => error,
    }
    const run = () =>
      heavy.run(slow, executionTarget(node.chain, node.chain.pending), undefined, {})
    for (let count = 0; count < 9; count++) expect(await run()).toBe('done')
    await new Promise((resolve) => setImmediate(resolve))
    expect(threads).toHaveLength(0)
    const started = once(process, 'worker')
    expect(await run()).toBe('done')
    await started
    expect(threads).toHaveLength(1)
  })

  test('args: signal', async () => {
    const { threads, call, warmUp, change, close } = await createHeavyCalls()
    onTestFinished(close)
    await warmUp()
    await change()
    const thread = newest(threads)
    const stop = new AbortController()
    const running = asked(thread)
    const exit = once(thread.worker, 'exit')
    const result = call(ENDLESS, { signal: stop.signal })
    await running
    stop.abort()
    await expect(result).rejects.toMatchObject({
      name: 'ExecutionAbortedError',
      code: -32000,
      message: 'execution aborted (the request was withdrawn)',
    })
    await exit
    await warmUp()
    expect(threads).toHaveLength(2)
  })

  test('args: timeout', async () => {
    const { node, heavy, threads, call, warmUp, close } = await createHeavyCalls()
    onTestFinished(close)
    await warmUp()
    const exit = once(newest(threads).worker, 'exit')
    await expect(call(ENDLESS, { timeout: 100 })).rejects.toMatchObject({
      name: 'ExecutionAbortedError',
      code: -32000,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
    await exit
    await warmUp()
    const { parent, ...views } = simulationBase(node.chain, node.chain.pending)
    const stateOverrides = overrides({ [CODE]: { code: ENDLESS } })
    const limits = { blocks: 256, callsPerBlock: 5000, calls: 10_000, gas: GAS, timeout: 100 }
    const header = { ...parent.header, gasLimit: GAS }
    const payload = { blockStateCalls: [{ calls: [{ to: CODE }], stateOverrides }] }
    const args = { parent: { ...parent, header }, payload, limits, errors: 'object' } as const
    const end = once(newest(threads).worker, 'exit')
    await expect(heavy.run(simulationTask, views, args, { timeout: 100 })).rejects.toMatchObject({
      code: -32016,
      message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
    })
    await end
  })

  test('close ends what runs, and the threads', async () => {
    const { heavy, threads, call, warmUp, change, errors, close } = await createHeavyCalls()
    onTestFinished(close)
    await warmUp()
    await change()
    const thread = newest(threads)
    const exit = once(thread.worker, 'exit')
    const running = asked(thread)
    const result = call(ENDLESS)
    await running
    await Promise.all([
      heavy.close(),
      expect(result).rejects.toMatchObject({ name: 'ExecutionAbortedError' }),
      exit,
    ])
    expect(errors).toEqual([])
  })

  test('a thread that dies is reported; the call runs on the main thread', async () => {
    const { threads, call, warmUp, change, errors, close } = await createHeavyCalls()
    onTestFinished(close)
    await warmUp()
    await change()
    const thread = newest(threads)
    const running = asked(thread)
    const result = call(heavily(returning('602b').slice(2)))
    await running
    await thread.worker.terminate()
    expect(await result).toBe(word(43))
    expect(errors).toEqual([expect.any(ThreadEndedError)])
    await warmUp()
    expect(threads).toHaveLength(2)
  })

  test('a thread without memory is an error of its call', async () => {
    const { threads, call, warmUp, change, errors, close } = await createHeavyCalls()
    onTestFinished(close)
    await warmUp()
    await change()
    const thread = newest(threads)
    const running = asked(thread)
    const result = call(ENDLESS)
    await running
    const error = Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' })
    thread.worker.emit('error', error)
    void thread.worker.terminate()
    await expect(result).rejects.toMatchObject({
      code: -32000,
      message: 'execution aborted (out of memory)',
    })
    expect(errors).toEqual([])
    await warmUp()
  })
})

describe('in a node', () => {
  const request = (code: Hex, to: Hex = CODE) =>
    ({ method: 'eth_call', params: [{ to }, 'latest', { [to]: { code } }] }) as const

  const options = {
    port: 0,
    frozenTicks: true,
    workers: 1,
    simulateTimeout: 600_000,
    engine: 'fast',
  } as const

  async function startNode() {
    const threads = watchedInTest()
    const node = createDevnet({ ...options, callGasLimit: Number.MAX_SAFE_INTEGER })
    await node.start()
    onTestFinished(() => node.stop())
    const code = heavily(returning('602a').slice(2))
    while (doneBy(threads) === 0) expect(await node.provider.request(request(code))).toBe(word(42))
    await node.provider.request({ method: 'hardhat_setBalance', params: [NOBODY, '0x1'] })
    return { node, threads }
  }

  test('a client that hangs up ends its call', async () => {
    const { node, threads } = await startNode()
    const thread = newest(threads)
    const exit = once(thread.worker, 'exit')
    const running = asked(thread)
    const stop = new AbortController()
    const answer = fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request(ENDLESS) }),
      signal: stop.signal,
    })
    await running
    stop.abort()
    await expect(answer).rejects.toThrow()
    await exit
    expect(await node.provider.request({ method: 'eth_blockNumber' })).toBe('0x0')
  })

  test('stop ends calls and threads', async () => {
    const { node, threads } = await startNode()
    const thread = newest(threads)
    const exit = once(thread.worker, 'exit')
    const running = asked(thread)
    const result = node.provider.request(request(ENDLESS))
    const failed = expect(result).rejects.toMatchObject({
      code: -32000,
      message: 'execution aborted (the request was withdrawn)',
    })
    await running
    await node.stop()
    await Promise.all([failed, exit])
  })

  test('ticks and light requests go on beside a heavy call', async () => {
    const { node, threads } = await startNode()
    const running = asked(newest(threads))
    const result = node.provider.request(request(ENDLESS)).catch((error: Error) => error.message)
    await running
    expect(await node.provider.request({ method: 'evm_mine' })).toBe('0')
    expect(await node.provider.request({ method: 'eth_blockNumber' })).toBe('0x1')
    expect(await node.provider.request(request(returning('6007'), OTHER))).toBe(word(7))
    await node.stop()
    expect(await result).toBe('execution aborted (the request was withdrawn)')
  })

  test('args: engine library has no threads', async () => {
    const threads = watchedInTest()
    const node = createDevnet({ ...options, engine: 'library' })
    await node.start()
    onTestFinished(() => node.stop())
    // A tenth of a second in the library's loop.
    const code: Hex = `0x6127105b60205f2050600190038060035750${returning('602a').slice(2)}`
    for (let round = 0; round < 2; round++) {
      expect(await node.provider.request(request(code))).toBe(word(42))
    }
    expect(threads).toHaveLength(0)
  })
})
