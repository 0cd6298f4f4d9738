import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Devnet, Status } from '../../../devnet/types.ts'
import type { PendingNode, PendingNodeUserConfig } from '../../../plugin/types.ts'
import { connect, createHre, type OpenConnection, opened } from './stage.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`
const UNKNOWN: Hex = `0x${'77'.repeat(32)}`

let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  hre = await createHre({ remote: { type: 'http', url: 'http://127.0.0.1:1' } })
})

/** A connection to a node of its own, in this process or as if it were elsewhere. */
const ways = {
  'in process': async (options: PendingNodeUserConfig) => connect(hre, options),
  'http in process': async (options: PendingNodeUserConfig) =>
    connect(hre, { transport: 'http', ...options }),
  elsewhere: async ({ transport: _transport, ...options }: PendingNodeUserConfig) => {
    const devnet = createDevnet({ port: 0, ...options })
    await devnet.start()
    others.push(devnet)
    const override = { url: devnet.url }
    return opened(await hre.network.create({ network: 'remote', override }))
  },
}
const others: Devnet[] = []

/** Which clocks run. */
const running = ({ ticks, sealing, instant }: Status) => [ticks.running, sealing.running, instant]

describe.each(Object.entries(ways))('%s', (_way, open) => {
  let connection: OpenConnection
  let node: PendingNode

  beforeEach(async () => {
    connection = await open({ tickInterval: 5, sealInterval: 1000, frozen: true })
    node = connection.pendingNode
  })
  afterEach(async () => {
    await connection.close()
    for (const other of others.splice(0)) await other.stop()
  })

  test('freeze, resume, status', async () => {
    expect(running(await node.status())).toEqual([true, false, false])
    expect(running(await node.resume())).toEqual([true, true, false])
    expect(running(await node.freeze())).toEqual([true, false, false])
    expect(running(await node.freeze({ ticks: true }))).toEqual([false, false, false])
    expect(running(await node.resume())).toEqual([true, true, false])
  })

  test('faults', async () => {
    const rules = [{ kind: 'drop', nonce: 0, next: 1 }] as const
    expect((await node.faults({ rules, seed: 7 })).faults).toEqual({
      seed: 7,
      rules: [{ ...rules[0], fired: 0 }],
      held: [],
      stall: null,
    })
    const hash = await connection.send()
    await node.preconfirmed(hash)
    const { dropped } = await node.seal()
    expect(dropped).toMatchObject([{ hash, preconfirmed: true }])
    // Without a script, they stay as they are.
    expect((await node.faults()).faults?.rules).toMatchObject([{ fired: 1 }])
    const wrong = node.faults({ rules: [{ kind: 'drop', probability: 2 }] })
    await expect(wrong).rejects.toThrow('rules[0].probability: want a number above 0, at most 1')
    expect((await node.faults({ rules: [] })).faults).toBeUndefined()
  })

  test('tick', async () => {
    const before = await node.freeze({ ticks: true })
    const hash = await connection.send()
    expect((await node.status()).mempool.runnable).toBe(1)
    const after = await node.tick()
    expect(after.pending.transactions).toMatchObject([{ hash }])
    expect((await node.tick(3)).time).toBe(before.time + 4 * 5)
  })

  test('seal', async () => {
    await node.preconfirmed(await connection.send())
    const { latest, pending } = await node.seal()
    expect([latest.number, pending.transactions]).toEqual([1, []])
    expect((await node.seal(3)).latest.number).toBe(4)
  })

  test('advance', async () => {
    const before = await node.freeze({ ticks: true })
    await connection.send()
    const after = await node.advance({ ticks: 2 })
    expect(after.pending.ticks - before.pending.ticks).toBe(2)
    expect((await node.advance({ blocks: 2 })).latest.number).toBe(2)
    await connection.send()
    const { latest, mempool } = await node.advance({ blocks: 1 })
    expect([latest.number, mempool.runnable]).toEqual([3, 0])
  })

  test('preconfirmed, sealed', async () => {
    const hash = await connection.send()
    const early = await node.preconfirmed(hash)
    expect(early).toMatchObject({ transactionHash: hash, status: '0x1', blockHash: ZERO_HASH })
    const sealed = node.sealed(hash)
    const { latest } = await node.seal()
    expect(await sealed).toEqual({ ...early, blockHash: latest.hash })
    expect(await node.preconfirmed(hash)).toEqual(await sealed)
  })

  test('preconfirmed: waits for a command', async () => {
    await node.freeze({ ticks: true })
    const waiting = node.preconfirmed(await connection.send())
    await node.tick()
    expect(await waiting).toMatchObject({ status: '0x1' })
  })

  test('unknown, malformed', async () => {
    const { preconfirmed, sealed } = node
    for (const wait of [preconfirmed, sealed]) {
      await expect(wait(UNKNOWN)).rejects.toThrow(`The node does not know transaction ${UNKNOWN}`)
      await expect(wait('0x12')).rejects.toThrow('is named by its hash')
    }
  })

  test('dropped', async () => {
    await node.freeze({ ticks: true })
    const hash = await connection.send()
    const waiting = node.preconfirmed(hash).catch(String)
    await connection.rpc('hardhat_dropTransaction', hash)
    expect(await waiting).toMatch(/was dropped|does not know/)
  })

  test('too late says why', async () => {
    const soon = { timeout: 1 }
    const gap = await connection.send({ nonce: '0x5', gas: '0x5208' })
    await expect(node.preconfirmed(gap, soon)).rejects.toThrow(
      /is not pre-confirmed: it is queued behind a nonce gap: the node expects nonce 0 of 0x\w+, it has 5 \(waited 1 ms\)/,
    )
    const hash = await connection.send()
    await node.preconfirmed(hash)
    await expect(node.sealed(hash, soon)).rejects.toThrow(
      `${hash} is not sealed: it is pre-confirmed in block 1, which is not sealed, and sealing is frozen: seal() or advance first (waited 1 ms)`,
    )
    await node.freeze({ ticks: true })
    const waits = await connection.send()
    await expect(node.sealed(waits, soon)).rejects.toThrow(
      'it waits in the mempool, and both clocks are frozen: tick() or advance first',
    )
  })

  test('a receipt that never comes', async () => {
    const hash = await connection.send()
    await node.preconfirmed(hash)
    const method = 'eth_getTransactionReceipt'
    await node.faults({ rules: [{ kind: 'corruptAnswer', method, result: null }] })
    for (const wait of [node.preconfirmed, node.sealed]) {
      await expect(wait(hash, { timeout: 1 })).rejects.toThrow(
        'the node answers no receipt of it, although it is in block 1 (waited 1 ms)',
      )
    }
  })

  test('too late, before the tick that the node waits for', async () => {
    await connection.close()
    connection = await open({ tickInterval: 3_600_000, readOwnWrites: false })
    const hash = await connection.send()
    for (const wait of [connection.pendingNode.preconfirmed, connection.pendingNode.sealed]) {
      await expect(wait(hash, { timeout: 1 })).rejects.toThrow('(waited 1 ms)')
    }
    // Over HTTP, Hardhat's close() waits for the answers that are still due.
    await connection.pendingNode.tick()
  })

  test.each([Number.NaN, -1, '1s'])('timeout %s', async (timeout) => {
    // As a user of JavaScript might.
    const options = { timeout } as Parameters<PendingNode['sealed']>[1]
    await expect(node.sealed(await connection.send(), options)).rejects.toThrow(
      'timeout is a number of ms from 0 to 2147483647',
    )
  })

  test('wrong arguments', async () => {
    await expect(node.tick(0)).rejects.toThrow('preconf_advance: ')
    await expect(node.tick(1.5)).rejects.toThrow('preconf_advance: ')
    await expect(node.seal(0)).rejects.toThrow(
      'seal takes a positive integer, the number of blocks, not 0',
    )
    await expect(node.seal(Number.NaN)).rejects.toThrow(
      'seal takes a positive integer, the number of blocks, not NaN',
    )
    // @ts-expect-error: the types ask for a distance.
    const nowhere: Parameters<PendingNode['advance']>[0] = {}
    await expect(node.advance(nowhere)).rejects.toThrow('{ ticks: n } or { blocks: n }')
    // @ts-expect-error: the types ask for one distance.
    const both: Parameters<PendingNode['advance']>[0] = { ticks: 1, blocks: 1 }
    await expect(node.advance(both)).rejects.toThrow('advance takes one distance')
    // As a user of JavaScript might.
    const misspelt = { tick: true } as Parameters<PendingNode['freeze']>[0]
    await expect(node.freeze(misspelt)).rejects.toThrow('preconf_freeze: ')
    expect(running(await node.status())).toEqual([true, false, false])
  })

  test('withFrozenSealing', async () => {
    await node.resume()
    const result = await node.withFrozenSealing(async () => {
      const { status } = await node.preconfirmed(await connection.send())
      return [status, ...running(await node.status())]
    })
    expect(result).toEqual(['0x1', true, false, false])
    expect(running(await node.status())).toEqual([true, true, false])
  })

  test('withFrozenSealing: what throws', async () => {
    await node.resume()
    const fail = () => {
      throw new Error('in the midst of it')
    }
    await expect(node.withFrozenSealing(fail)).rejects.toThrow('in the midst of it')
    expect(running(await node.status())).toEqual([true, true, false])
  })

  test('withFrozenSealing: what throws comes before what cannot be put back', async () => {
    const assertion = new TypeError('what the test found', { cause: new Error('its cause') })
    const circle = new Error('circle')
    circle.cause = circle
    for (const thrown of [assertion, circle, Object.freeze(new Error('frozen')), 'no error']) {
      const caught = await node
        .withFrozenSealing(async () => {
          await connection.close()
          throw thrown
        })
        .catch((error: unknown) => error)
      expect(caught).toBe(thrown)
      connection = await open({ frozen: true })
      node = connection.pendingNode
    }
    expect(assertion.cause).toMatchObject({
      message: 'its cause',
      cause: {
        name: 'HardhatPluginError',
        message: expect.stringMatching(/^withFrozenSealing cannot restore the clocks: .*closed/),
      },
    })
  })

  test('withFrozenSealing: says so when it cannot put the clocks back', async () => {
    await expect(node.withFrozenSealing(() => connection.close())).rejects.toThrow(
      'withFrozenSealing cannot restore the clocks: ',
    )
  })

  test.each([
    ['both running', []],
    ['sealing frozen', ['preconf_freeze']],
    ['both frozen', ['preconf_freeze', { ticks: true }]],
    ['instant', ['evm_setAutomine', true]],
  ] as const)('withFrozenSealing: %s before, whatever was done in it', async (_before, command) => {
    await node.resume()
    const [method, param] = command
    if (method !== undefined) await connection.rpc(method, ...(param === undefined ? [] : [param]))
    const before = running(await node.status())
    for (const work of [
      () => undefined,
      () => node.resume(),
      () => node.freeze({ ticks: true }),
      () => node.withFrozenSealing(() => node.tick()),
    ]) {
      await node.withFrozenSealing(work)
      expect(running(await node.status())).toEqual(before)
    }
  })

  test('withFrozenSealing: sealing runs while the ticks stand', async () => {
    await node.freeze({ ticks: true })
    await connection.rpc('evm_setIntervalMining', 5000)
    await node.withFrozenSealing(() => node.resume())
    const status = await node.status()
    expect(running(status)).toEqual([false, true, false])
    expect(status.sealing.interval).toBe(5000)
    await connection.rpc('evm_setAutomine', true)
    await node.withFrozenSealing(() => undefined)
    expect(running(await node.status())).toEqual([false, true, true])
  })
})

test('withFrozenSealing: ticks that stand leave a varying interval as it was', async () => {
  await using connection = await connect(hre, { frozenTicks: true })
  const { rpc, pendingNode: node } = connection
  await rpc('evm_setIntervalMining', [100_000, 900_000])
  await node.withFrozenSealing(() => undefined)
  const intervals = new Set<number>()
  for (let block = 0; block < 5; block++) {
    const { ticks, sealing } = await node.seal()
    expect([ticks.running, sealing.running]).toEqual([false, true])
    intervals.add(sealing.interval)
  }
  expect(intervals.size).toBe(5)
})

test('withFrozenSealing: ticks that stand leave an interval of anvil as it was', async () => {
  await using connection = await connect(hre, { frozenTicks: true, anvil: true })
  const { rpc, pendingNode: node } = connection
  await rpc('evm_setIntervalMining', 60)
  await node.withFrozenSealing(() => undefined)
  expect((await node.status()).sealing).toMatchObject({ running: true, interval: 60_000 })
})

describe('a connection without a pending-node', () => {
  test('says so when it is asked', async () => {
    const { pendingNode } = await hre.network.create('default')
    const message =
      /There is no pending-node behind network "default": it does not know preconf_\w+/
    await expect(pendingNode.status()).rejects.toThrow(message)
    await expect(pendingNode.tick()).rejects.toThrow(message)
    await expect(pendingNode.preconfirmed(UNKNOWN)).rejects.toThrow(message)
    await expect(pendingNode.preconfirmed('0x12')).rejects.toThrow(message)
    await expect(pendingNode.withFrozenSealing(() => 1)).rejects.toThrow(message)
    expect(() => pendingNode.url).toThrow('is not in this process')
    expect(() => pendingNode.wallet).toThrow('is not in this process')
    expect(() => pendingNode.dashboardUrl).toThrow('is not in this process')
    expect(() => pendingNode.on('tick', () => undefined)).toThrow('is not in this process')
  })

  test("Hardhat's own network keeps its stacks", async () => {
    const { provider } = await hre.network.create('default')
    const call = { method: 'eth_call', params: [{ data: '0x5f5ffd' }, 'latest'] }
    const error: unknown = await provider.request(call).catch((reason: unknown) => reason)
    if (!(error instanceof Error)) throw new Error('The call did not fail', { cause: error })
    expect(error.stack).toContain('EdrProvider')
    expect(error.stack).not.toContain('plugin/')
  })

  test('nobody answers', async () => {
    const { pendingNode } = await hre.network.create('remote')
    await expect(pendingNode.status()).rejects.toThrow(/HHE/)
  })
})
