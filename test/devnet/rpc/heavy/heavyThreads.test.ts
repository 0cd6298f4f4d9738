import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { getContractAddress, pad } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PendingView } from '../../../../devnet/chain/building/pendingView.ts'
import { answerRead, type Read } from '../../../../devnet/engine/workers/stateReads.ts'
import { executionTarget } from '../../../../devnet/execution/executionTarget.ts'
import { simulationBase } from '../../../../devnet/execution/simulate.ts'
import type { BlockOverrides } from '../../../../devnet/json/schemas/blockOverrides.ts'
import type { CallRequest } from '../../../../devnet/json/schemas/callRequest.ts'
import type { SimulationPayload } from '../../../../devnet/json/schemas/simulationPayload.ts'
import type { StateOverrides } from '../../../../devnet/json/schemas/stateOverrides.ts'
import { bigIntTo32Bytes } from '../../../../devnet/primitives/bytes.ts'
import { DevnetError } from '../../../../devnet/primitives/errors.ts'
import { type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../../devnet/protocol/block.ts'
import { ForkSchedule } from '../../../../devnet/protocol/forkSchedule.ts'
import { callTasks } from '../../../../devnet/rpc/heavy/callTasks.ts'
import { createHeavyThreads, type HeavyThreads } from '../../../../devnet/rpc/heavy/heavyThreads.ts'
import { simulationTask } from '../../../../devnet/rpc/heavy/simulationTask.ts'
import type { Task, TaskViews } from '../../../../devnet/rpc/heavy/task.ts'
import type { AddressKey, SlotKey } from '../../../../devnet/state/types.ts'
import { runs } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'
import { CodeMaker, PROGRAMS, shortAddress } from '../../engine/fast/randomTransactions.ts'
import {
  CODE,
  createExecutionChain,
  type ExecutionChain,
  GAS_CAP,
  NOBODY,
  OTHER,
  overrides,
  returning,
} from '../../execution/harness.ts'

interface CallCase {
  readonly stateOverrides?: StateOverrides
  readonly blockOverrides?: BlockOverrides
}

/** Runs tasks on this thread and on another one. */
class BothThreads {
  readonly node: ExecutionChain
  readonly threads: HeavyThreads
  /** Reads of the state by the other thread. */
  reads: Read[] = []

  constructor(node: ExecutionChain) {
    this.node = node
    this.threads = createHeavyThreads(node.engine, 1)
    onTestFinished(() => this.threads.close())
  }

  /** What the task answers and prints on both, which must be the same. */
  async run<Arguments>(
    task: Task<Arguments, unknown>,
    views: TaskViews,
    args: Arguments,
    answer = (read: Read): unknown => answerRead(views, read),
  ): Promise<{ readonly outcome: unknown; readonly printed: readonly unknown[] }> {
    const { engine } = this.node
    const here: unknown[] = []
    const expected = await task
      .run(engine, views, args, {
        onPrint: (printed, { to, data }) => {
          if (printed !== undefined) here.push({ printed, to, data })
        },
      })
      .then(
        (value) => ({ value: task.name === 'simulate' ? JSON.stringify(value) : value }),
        (error: DevnetError) => {
          if (!(error instanceof DevnetError)) throw error
          const { name, code, message, data, isRejection } = error
          return { error: { name, code, message, data, isRejection } }
        },
      )
    const there: unknown[] = []
    this.reads = []
    const { rules, state } = views
    const forks = { ...engine.schedule }
    const { store, version } = state
    const job = { name: task.name, args: task.sendable(args), forks, rules, store, version }
    const { elapsed, ...result } = await this.threads.run(job, new AbortController().signal, {
      answer: (read) => {
        this.reads.push(read)
        return answer(read)
      },
      note: ({ printed, request: { to, data } }) => there.push({ printed, to, data }),
    })
    expect(elapsed).toBeGreaterThan(0)
    const outcome = 'text' in result ? { value: result.text } : result
    expect(outcome).toEqual(expected)
    expect(there).toEqual(here)
    return { outcome, printed: there }
  }

  #call(request: CallRequest, changes: CallCase) {
    const target = executionTarget(this.node.chain, this.node.chain.pending)
    const args = { block: target.block, request, gasCap: GAS_CAP, ...changes }
    return { target, args }
  }

  async call(request: CallRequest, changes: CallCase = {}) {
    const { target, args } = this.#call(request, changes)
    return this.run(callTasks.call, target, args)
  }

  async all(request: CallRequest, changes: CallCase = {}) {
    const { target, args } = this.#call(request, changes)
    await this.run(callTasks.estimateGas, target, args)
    await this.run(callTasks.createAccessList, target, args)
    const { outcome } = await this.run(callTasks.call, target, args)
    return outcome
  }

  async simulate(payload: SimulationPayload, errors: 'string' | 'object' = 'object') {
    const { chain } = this.node
    const { parent, ...views } = simulationBase(chain, chain.pending)
    const limits = {
      blocks: 256,
      callsPerBlock: 5000,
      calls: 10_000,
      gas: GAS_CAP,
      timeout: 60_000,
    }
    const args = { parent, payload, limits, errors }
    const { outcome, printed } = await this.run(simulationTask, views, args)
    return { text: JSON.stringify(outcome), printed }
  }
}

async function createPlayground() {
  const node = await createExecutionChain({ engine: 'fast' })
  const playground = await node.deploy('Playground')
  await node.send({ to: playground.address, data: playground.encode('store', 1n, 7n) })
  await node.tick()
  await node.seal()
  return { node, playground }
}

test.runIf(process.platform === 'linux')('a thread gives way to the main one', async () => {
  const both = new BothThreads(await createExecutionChain())
  await both.threads.prepare()
  const [main = 0, ...others] = niceness()
  expect(others).toContain(main + 5)
})

/** Of each thread of this process, the main one first. */
function niceness(): readonly number[] {
  const folder = '/proc/self/task'
  return readdirSync(folder).map((thread) => {
    const fields = readFileSync(`${folder}/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')
    return Number(fields?.[16])
  })
}

describe('answers are those of the main thread', () => {
  test('default: values, reverts, failures, logs and accesses', async () => {
    const { node, playground } = await createPlayground()
    const both = new BothThreads(node)
    const { from } = node
    const { address: to, encode } = playground
    const word7 = `0x${'7'.padStart(64, '0')}`
    expect(await both.all({ from, to, data: encode('stored', 1n) })).toEqual({
      value: { returnData: word7 },
    })
    await both.all({ from, to, data: encode('store', 1n, 0n) })
    await both.all({ from, to, data: encode('storeMany', 5n, 20n, 3n) })
    await both.all({ from, to, data: encode('tryAndFail', 9n, 3n) })
    await both.all({ from, to, data: encode('create', 1n, NOBODY), value: 5n })
    await both.all({ from, to, data: encode('environment') })
    await both.all({ from, to, data: encode('burnGas', 20_000n) })
    expect(await both.all({ from, to, data: encode('failWithReason', 'no') })).toMatchObject({
      error: { name: 'ExecutionRevertedError', code: 3, message: 'execution reverted: no' },
    })
    await both.all({ from, to, data: encode('failWithError', 3n) })
    await both.all({ from, to, data: encode('failWithPanic', []) })
    expect(await both.all({ from, to, data: encode('burnGas', 20_000n), gas: 50_000n })).toEqual({
      error: {
        name: 'ExecutionHaltedError',
        code: -32000,
        message: 'out of gas',
        data: undefined,
        isRejection: false,
      },
    })
    await both.all({ from, data: '0x60015f5360015ff3' })
    await both.all({ from, data: '0xfe' })
    await both.all({ from: NOBODY, to: from, value: 1n })
    await both.all({ from, to, gas: 20_000n })
    // Precompiles, a long one too: the thread runs it itself.
    const point = `0x0000000000000000000000000000000000000006` as const
    await both.all({ from, to: point, data: `0x${'00'.repeat(128)}` })
    const rounds = `0x00030000${'5a'.repeat(208)}01` as const
    await both.call({ to: '0x0000000000000000000000000000000000000009', data: rounds })
  })

  test('rules that changed since the thread was started', async () => {
    const { node } = await createPlayground()
    const { chain, clocks, engine } = node
    const both = new BothThreads(node)
    // CHAINID, then CLZ of 1 (EIP-7939), which came with Osaka.
    const [id, zeros] = [returning('46'), returning('60011e')]
    const at = async (block: SealedBlock | PendingView, data: Hex) => {
      const { block: context, ...views } = executionTarget(chain, block)
      const args = { block: context, request: { data }, gasCap: GAS_CAP }
      return (await both.run(callTasks.call, views, args)).outcome
    }
    const answer = (value: number) => ({
      value: { returnData: toHex(bigIntTo32Bytes(BigInt(value))) },
    })
    const old = chain.head
    expect(await at(old, id)).toEqual(answer(31337))
    await clocks.choose((job) => job.set({ chainId: 999 }))
    expect(await at(chain.head, id)).toEqual(answer(999))
    await node.seal()
    expect(await at(old, id)).toEqual(answer(31337))
    expect(await at(chain.pending, id)).toEqual(answer(999))
    expect((await both.simulate({ blockStateCalls: [{ calls: [{ data: id }] }] })).text).toContain(
      toHex(bigIntTo32Bytes(999n)).slice(2),
    )
    expect(await at(chain.head, zeros)).toEqual(answer(255))
    engine.setSchedule(ForkSchedule.constant('prague').withChainId(999))
    expect(await at(chain.head, zeros)).toMatchObject({ error: { code: -32000 } })
    expect(await at(old, zeros)).toEqual(answer(255))
    const { text } = await both.simulate({ blockStateCalls: [{ calls: [{ data: zeros }] }] })
    expect(text).toMatch(/invalid opcode/)
  })

  test('overrides of state, block, and block hashes', async () => {
    const { node, playground } = await createPlayground()
    const both = new BothThreads(node)
    const slot: Hex = `0x${'1'.padStart(64, '0')}`
    const hash: Hex = `0x${'ab'.repeat(32)}`
    // NUMBER - 1, its hash; SLOAD 1.
    const hashAndSlot = returning('6001430340600154')
    const changes = {
      stateOverrides: overrides({
        [CODE]: { code: hashAndSlot, balance: 5n, nonce: 7n, state: new Map([[slot, hash]]) },
        [playground.address]: { stateDiff: new Map([[slot, hash]]) },
        '0x0000000000000000000000000000000000000002': { movePrecompileToAddress: OTHER },
      }),
      blockOverrides: {
        number: 50n,
        time: 4_000_000_000n,
        blockHash: new Map([[49n, hash]]),
      },
    }
    await both.all({ to: CODE }, changes)
    await both.all({ to: playground.address, data: playground.encode('stored', 1n) }, changes)
    await both.all({ to: OTHER, data: '0x1234' }, changes)
    await both.all({ to: CODE }, { blockOverrides: { withdrawals: [] } })
    // The newest hashes of the chain.
    const recent = returning('6001430340')
    const { outcome } = await both.call(
      { to: CODE },
      { stateOverrides: overrides({ [CODE]: { code: recent } }) },
    )
    expect(outcome).toEqual({ value: { returnData: toHex(node.chain.head.hashBytes) } })
    // A loop of BLOCKHASH asks once.
    const loop: Hex = '0x60ff5b600143034050600190038060025700'
    await both.call({ to: CODE }, { stateOverrides: overrides({ [CODE]: { code: loop } }) })
    expect(both.reads.filter(({ kind }) => kind === 'blockHash')).toHaveLength(1)
  })

  test('a creation at an address with storage of a command, or of the genesis block', async () => {
    const { node } = await createPlayground()
    const both = new BothThreads(node)
    const salt = `0x${'00'.repeat(32)}` as const
    // Hexadecimal text is lower case here.
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: CODE,
      salt,
      bytecode: '0x',
    }).toLowerCase() as Hex
    const one: Hex = `0x${'01'.padStart(64, '0')}`
    const slot: Hex = `0x${'00'.repeat(32)}`
    const lay = (at: Hex) =>
      node.clocks.command((job) => job.cheat({ kind: 'setStorage', address: at, slot, value: one }))
    await lay(address)
    const create = (override: object = {}) => {
      const code = returning('5f5f5f5ff5')
      return both.call(
        { to: CODE, gas: 100_000n },
        { stateOverrides: overrides({ [CODE]: { code }, [address]: override }) },
      )
    }
    const created = { value: { returnData: pad(address) } }
    expect((await create()).outcome).toEqual(created)
    node.chain.store.noteGenesis(node.chain.store.head)
    // Another version: a thread remembers what it knows of one.
    await lay(CODE)
    expect((await create()).outcome).toEqual({ value: { returnData: slot } })
    expect(both.reads.filter(({ kind }) => kind === 'hasOldStorage')).toHaveLength(1)
    expect((await create({ state: new Map() })).outcome).toEqual(created)
  })

  test('console.log', async () => {
    const node = await createExecutionChain({ engine: 'fast' })
    const talker = await node.deploy('Talker', ['Ann'])
    const both = new BothThreads(node)
    const { from } = node
    const request = (name: string, ...values: unknown[]) => ({
      from,
      to: talker.address,
      data: talker.encode(name, ...values),
    })
    expect((await both.call(request('look'))).printed).toHaveLength(1)
    expect((await both.call(request('fail'))).printed).toHaveLength(1)
    await both.all(request('fail'))
    const calls = [request('talk', 'Bob', 3n), request('look'), request('fail'), request('look')]
    const { printed } = await both.simulate({ blockStateCalls: [{ calls }, { calls }] })
    expect(printed).toHaveLength(8)
  })

  test('simulations', async () => {
    const { node, playground } = await createPlayground()
    await node.send({ to: playground.address, data: playground.encode('store', 2n, 9n) })
    await node.tick()
    const both = new BothThreads(node)
    const { from } = node
    const { address: to, encode } = playground
    const request = (name: string, ...values: unknown[]) => ({
      from,
      to,
      data: encode(name, ...values),
    })
    const blockStateCalls = [
      {
        calls: [
          request('store', 1n, 2n),
          { from, to: NOBODY, value: 3n },
          request('tryAndFail', 1n, 2n),
          request('failWithReason', 'no'),
          request('environment'),
        ],
      },
      {
        blockOverrides: { number: 6n, feeRecipient: NOBODY, baseFeePerGas: 0n },
        stateOverrides: overrides({ [CODE]: { code: returning('5f54') } }),
        calls: [request('stored', 1n), { to: CODE }, request('storeEnvironment')],
      },
    ]
    for (const errors of ['string', 'object'] as const) {
      for (const flags of [
        {},
        { traceTransfers: true, returnFullTransactions: true },
        { validation: true },
      ]) {
        await both.simulate({ blockStateCalls, ...flags }, errors)
      }
    }
    const refused = [
      { calls: [{ from: NOBODY, to, value: 1n }] },
      { calls: [{ from, to, gas: 100_000_000n }] },
      { blockOverrides: { number: 1n } },
    ]
    for (const block of refused) {
      const { text } = await both.simulate({ blockStateCalls: [block] })
      expect(text).toContain('"error":{"name":"DevnetError","code":-38')
    }
  })

  test('random programs', { timeout: 600_000 }, async () => {
    const { node } = await createPlayground()
    const both = new BothThreads(node)
    const random = new Random(8)
    const maker = new CodeMaker(random, node.engine.crypto)
    const addresses = PROGRAMS.map((program) => toHex(shortAddress(program)))
    for (let index = 0; index < runs(1200, 60); index++) {
      const code = () => toHex(Uint8Array.from(maker.code()))
      const stateOverrides = overrides(
        Object.fromEntries(
          addresses.map((address) => [address, { code: code(), balance: 10n ** 18n }]),
        ),
      )
      const gas = BigInt(25_000 + random.below(400_000))
      const to = random.pick(addresses)
      const data = toHex(Uint8Array.from({ length: random.below(70) }, () => random.below(256)))
      const request: CallRequest = {
        from: node.from,
        to,
        data,
        gas,
        value: BigInt(random.below(3)),
      }
      if (index % 3 === 0) await both.all(request, { stateOverrides })
      else {
        const calls = [request, { ...request, to: random.pick(addresses) }]
        const payload = { blockStateCalls: [{ stateOverrides, calls }], traceTransfers: true }
        await both.simulate(payload)
      }
    }
  })
})

describe('state', () => {
  test('a version is read once, another one anew', async () => {
    const { node, playground } = await createPlayground()
    const both = new BothThreads(node)
    const request = { to: playground.address, data: playground.encode('stored', 1n) }
    const kinds = async () => {
      await both.call(request)
      return both.reads.map(({ kind }) => kind).sort()
    }
    // Sender, coinbase and contract, its code and its slot.
    expect(await kinds()).toEqual(['account', 'account', 'account', 'code', 'slot'])
    expect(await kinds()).toEqual([])
    const data = playground.encode('store', 1n, 8n)
    await node.send({ to: playground.address, data })
    await node.tick()
    // The code is known by its hash.
    expect(await kinds()).toEqual(['account', 'account', 'account', 'slot'])
    for (let version = 0; version < 5; version++) {
      await node.send({ to: playground.address, data })
      await node.tick()
      await both.call(request)
      expect(both.reads).not.toEqual([])
    }
  })

  test('answers may come late', async () => {
    const { node, playground } = await createPlayground()
    const both = new BothThreads(node)
    const target = executionTarget(node.chain, node.chain.pending)
    const request = { to: playground.address, data: playground.encode('environment') }
    const { outcome } = await both.run(
      callTasks.call,
      target,
      { block: target.block, request, gasCap: GAS_CAP },
      async (read) => {
        await turn()
        return answerRead(target, read)
      },
    )
    expect(outcome).toHaveProperty('value')
    expect(both.reads.length).toBeGreaterThan(3)
  })

  test('a ring without an answer is not one', async () => {
    const { node, playground } = await createPlayground()
    const both = new BothThreads(node)
    const target = executionTarget(node.chain, node.chain.pending)
    const request = { to: playground.address, data: playground.encode('environment') }
    const { notify } = Atomics
    const ring = vi.spyOn(Atomics, 'notify')
    onTestFinished(() => void ring.mockRestore())
    const { outcome } = await both.run(
      callTasks.call,
      target,
      { block: target.block, request, gasCap: GAS_CAP },
      async (read) => {
        // As the ring of the answer before, if the main thread was held up between number and ring.
        const [bell] = ring.mock.lastCall ?? []
        if (bell !== undefined) {
          notify(bell, 0)
          // The other thread has time to wake up.
          for (let turns = 0; turns < 1_000; turns++) await turn()
        }
        return answerRead(target, read)
      },
    )
    expect(ring).toHaveBeenCalled()
    expect(outcome).toHaveProperty('value')
  })

  test('values that must be fetched first are awaited', async () => {
    const { node, playground } = await createPlayground()
    const both = new BothThreads(node)
    const { state } = node.chain.pending
    const order: string[] = []
    const fetch = (what: string) => {
      const fetched = turn().then(() => void order.push(`${what} fetched`))
      order.push(`${what} awaited`)
      return fetched
    }
    const read = <Value>(what: string, value: Value): Value => {
      order.push(`${what} read`)
      return value
    }
    const lazy = {
      account: (key: AddressKey) => read('account', state.account(key)),
      slot: (key: AddressKey, slot: SlotKey) => read('slot', state.slot(key, slot)),
      code: (hash: Uint8Array) => read('code', state.code(hash)),
      hasOldStorage: (key: AddressKey) => state.hasOldStorage(key),
      slots: (key: AddressKey) => state.slots(key),
      lazyReads: {
        account: () => fetch('account'),
        slot: () => fetch('slot'),
        code: () => fetch('code'),
        all: () => fetch('all'),
      },
    }
    const blockHashes = (number: bigint) =>
      turn().then(() => read('hash', node.chain.blockHashes(number)))
    const target = executionTarget(node.chain, node.chain.pending)
    const run = (name: string, ...values: unknown[]) => {
      const request = { to: playground.address, data: playground.encode(name, ...values) }
      const args = { block: target.block, request, gasCap: GAS_CAP }
      return both.run(callTasks.call, target, args, (asked) =>
        answerRead({ state: lazy, blockHashes }, asked),
      )
    }
    await run('stored', 1n)
    await run('environment')
    const account = ['account awaited', 'account fetched', 'account read']
    expect(order).toEqual([
      ...account,
      ...account,
      ...account,
      ...['code awaited', 'code fetched', 'code read'],
      ...['slot awaited', 'slot fetched', 'slot read'],
      'hash read',
    ])
  })
})
