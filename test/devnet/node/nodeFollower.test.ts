import { getEventListeners, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { encodeFunctionData, getContractAddress } from 'viem'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { NodeFollower } from '../../../devnet/node/nodeFollower.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { InvalidBlockError } from '../../../devnet/protocol/block.ts'
import { StreamReader } from '../../../devnet/stream/raw/streamReader.ts'
import { temporaryFile } from '../../support/genesisFile.ts'
import { runs, seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { artifact } from '../../support/solidity.ts'
import { RandomTraffic } from '../chain/randomTraffic.ts'
import { CODE_SIZE, CREATES_LARGE, GUARD } from '../chain/ruleBound.ts'
import { startServer } from '../server/support.ts'

/** The pauses of replicas, in ms; none ends before the gate opens. */
const pauses = vi.hoisted(() => ({ taken: [] as number[], gate: Promise.resolve() }))

vi.mock(import('node:timers/promises'), async (original) => {
  const timers = await original()
  const setTimeout: typeof timers.setTimeout = async (ms, value, { signal } = {}) => {
    pauses.taken.push(Number(ms))
    await pauses.gate
    signal?.throwIfAborted()
    return await timers.setImmediate(value)
  }
  return { ...timers, setTimeout }
})

beforeEach(() => {
  pauses.taken = []
  pauses.gate = Promise.resolve()
})

/** From now on pauses last until the result is called. */
function holdPauses(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  pauses.gate = promise
  return resolve
}

const CONTRACT: Hex = `0x${'c0'.repeat(20)}`

async function start(options: OptionsInput = {}): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

/** A head, or a log. */
interface Told {
  readonly removed?: boolean
}

interface Message {
  readonly data: { readonly result: Told }
}

const startFirst = (options: OptionsInput = {}) =>
  start({ frozenTicks: true, timestamp: 1_800_000_000, ...options })

async function call<Result = unknown>(
  { provider }: Devnet,
  method: string,
  ...params: unknown[]
): Promise<Result> {
  // Each test knows what the method that it calls answers.
  return (await provider.request({ method, params })) as Result
}

const refusal = (devnet: Devnet, method: string, ...params: unknown[]) =>
  call(devnet, method, ...params).then(
    () => expect.unreachable(`${method} was answered`),
    ({ code, message }) => ({ code, message }),
  )

/** What both nodes show; equal as soon as the second has read all messages of the first. */
const shown = async (devnet: Devnet) => [
  await call(devnet, 'eth_getBlockByNumber', 'pending', true),
  await call(devnet, 'eth_getBlockByNumber', 'latest', true),
  await call(devnet, 'eth_getBalance', CONTRACT, 'latest'),
  await call(devnet, 'eth_getBalance', CONTRACT, 'pending'),
]

async function expectSame(first: Devnet, second: Devnet): Promise<void> {
  const expected = await shown(first)
  await expect.poll(() => shown(second), { timeout: 20_000 }).toEqual(expected)
}

/** Collects what the node reports on stderr. */
function reports(): string[] {
  const lines: string[] = []
  const spy = vi.spyOn(console, 'error').mockImplementation((line) => lines.push(String(line)))
  onTestFinished(() => spy.mockRestore())
  return lines
}

/** A connection to a node that can be cut, and comes back only if it is let. */
async function createLink(devnet: Devnet) {
  let target = Number(new URL(devnet.url).port)
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((socket) => {
    if (!isOpen) {
      socket.destroy()
      return
    }
    const other = connect(target, '127.0.0.1')
    for (const one of [socket, other]) {
      sockets.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => sockets.delete(one))
    }
    socket.pipe(other).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port')
  const cut = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    url: `ws://127.0.0.1:${address.port}/flashblocks`,
    cut,
    restore: () => {
      isOpen = true
    },
    /** Leads to another node from now on. */
    lead: (to: Devnet) => {
      target = Number(new URL(to.url).port)
    },
  }
}

/** Random reads, of every kind that a replica answers. */
class Reads {
  readonly #random: Random
  readonly #addresses: readonly Hex[]
  readonly #token: Hex

  constructor(seed: number, addresses: readonly Hex[], token: Hex) {
    this.#random = new Random(seed)
    this.#addresses = addresses
    this.#token = token
  }

  /** @param newest - number of the newest block @param hashes - of transactions */
  next(newest: number, hashes: readonly Hex[]): [method: string, ...params: unknown[]] {
    const random = this.#random
    const address = random.pick(this.#addresses)
    const slot = `0x${random.below(6).toString(16)}`
    const block = random.pick(['latest', 'pending', `0x${random.below(newest + 1).toString(16)}`])
    const hash = random.pick(hashes)
    const request = {
      from: random.pick(this.#addresses.slice(0, 3)),
      to: this.#token,
      data: encodeFunctionData({
        abi: artifact('Token').abi,
        functionName: 'balanceOf',
        args: [address],
      }),
    }
    switch (random.below(16)) {
      case 0:
        return ['eth_getBalance', address, block]
      case 1:
        return ['eth_getTransactionCount', address, block]
      case 2:
        return ['eth_getCode', address, block]
      case 3:
        return ['eth_getStorageAt', address, slot, block]
      case 4:
        return ['eth_getProof', address, [slot], block]
      case 5:
        return ['eth_getBlockByNumber', block, random.once(2)]
      case 6:
        return ['eth_getBlockReceipts', block]
      case 7:
        return ['eth_getTransactionByHash', hash]
      case 8:
        return ['eth_getTransactionReceipt', hash]
      case 9:
        return ['eth_getLogs', { fromBlock: '0x0', toBlock: block, address: this.#token }]
      case 10:
        return ['eth_call', request, block]
      case 11:
        return ['eth_estimateGas', request, block]
      case 12:
        return ['eth_feeHistory', '0x5', block, [50]]
      case 13:
        return ['eth_simulateV1', { blockStateCalls: [{ calls: [request] }] }, block]
      case 14:
        return ['debug_traceTransaction', hash, { tracer: 'callTracer' }]
      default:
        return [random.pick(['eth_blockNumber', 'eth_chainId', 'eth_gasPrice', 'eth_coinbase'])]
    }
  }
}

test.each(seeds(10))('a node that follows another answers reads like it, seed %i', async (seed) => {
  const first = await startFirst()
  const traffic = new RandomTraffic(seed, first.accounts.slice(0, 4), 31337)
  const [deployer = '0x'] = traffic.addresses
  const at = (nonce: bigint) => getContractAddress({ from: deployer, nonce })
  const targets = { token: at(0n), playground: at(1n) }
  const hashes: Hex[] = []
  // Not when they are sent: a replica knows nothing of the mempool.
  first.on('tick', ({ transactions }) => hashes.push(...transactions.map(({ hash }) => hash)))
  const send = (raw: Hex) => call(first, 'eth_sendRawTransaction', raw)
  for (const raw of await traffic.deployments()) await send(raw)
  await call(first, 'preconf_advance', { ticks: 1 })
  await call(first, 'hardhat_setBalance', CONTRACT, '0x7')
  // In the middle of a block that holds transactions and a step.
  const second = await start({ follow: first.flashblocksUrl })
  const reads = new Reads(
    seed,
    [...traffic.addresses, CONTRACT, ...Object.values(targets)],
    targets.token,
  )
  const ROUNDS = 20
  for (let round = 0; round < ROUNDS; round++) {
    for (let sent = traffic.random.below(4); sent >= 0; sent--)
      await send(await traffic.next(targets))
    await call(first, 'preconf_advance', traffic.random.once(3) ? { blocks: 1 } : { ticks: 1 })
    const balance = `0x${(round + 8).toString(16)}`
    if (traffic.random.once(2)) await call(first, 'hardhat_setBalance', CONTRACT, balance)
    if (traffic.random.once(4)) {
      await call(first, 'hardhat_impersonateAccount', CONTRACT)
      const unsigned = { from: CONTRACT, to: targets.token, gas: '0x186a0' }
      await call(first, 'hardhat_setBalance', CONTRACT, '0xde0b6b3a7640000')
      await call(first, 'eth_sendTransaction', unsigned)
      await call(first, 'preconf_advance', { ticks: 1 })
    }
    if (round === 12) await call(first, 'hardhat_mine', '0x200')
    if (round % 5 === 3) {
      // What it takes back is sent again by nobody.
      const snapshot = await call(first, 'evm_snapshot')
      await call(first, 'eth_sendTransaction', { from: deployer, to: CONTRACT, value: '0x1' })
      await call(first, 'preconf_advance', { blocks: 1 })
      await expectSame(first, second)
      await call(first, 'evm_revert', snapshot)
    }
    if (round % 5 === 4) {
      await call(first, 'anvil_reorg', 1, [])
      await call(first, 'preconf_advance', { ticks: 1 })
    }
    await expectSame(first, second)
    const newest = Number(await call(first, 'eth_blockNumber'))
    const found = await Promise.all(
      hashes.map((hash) =>
        call<{ blockNumber: Hex | null } | null>(first, 'eth_getTransactionByHash', hash),
      ),
    )
    // What has left its block may wait again, of which a replica knows nothing.
    const known = hashes.filter((_, index) => found[index]?.blockNumber !== null)
    for (let read = 0; read < runs(10_000) / seeds(10).length / ROUNDS; read++) {
      const [method, ...params] = reads.next(newest, known)
      const answers = await Promise.all(
        [first, second].map((devnet) =>
          call(devnet, method, ...params).catch(({ code, message }) => ({ code, message })),
        ),
      )
      expect(answers[1], `${method} ${JSON.stringify(params)}`).toEqual(answers[0])
    }
  }
})

test('a replica takes rules of answers and slices, and no others', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  await second.faults({ rules: [{ kind: 'refuseAnswer', method: 'eth_chainId' }] })
  expect(await refusal(second, 'eth_chainId')).toMatchObject({ code: -32000 })
  await second.faults({ rules: [{ kind: 'loseSlice' }] })
  expect(await call(second, 'eth_chainId')).toBe('0x7a69')
  const rules = [{ kind: 'loseSlice' }, { kind: 'drop' }]
  const { message } = await refusal(second, 'preconf_faults', { rules })
  expect(message).toContain(`rules[1].kind: this node follows ${first.flashblocksUrl}`)
  expect((await second.faults()).faults?.rules).toHaveLength(1)
})

test('what is sent to it or commanded is refused, and it stays as it is', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  const [from, to] = second.accounts.map(({ address }) => address)
  const refused = {
    code: -32000,
    message: `this node follows ${first.flashblocksUrl}: send transactions and commands to that node`,
  }
  const transaction = { from, to, value: '0x1', gas: '0x5208' }
  expect(await refusal(second, 'eth_sendTransaction', transaction)).toEqual(refused)
  expect(await refusal(second, 'preconf_seal')).toEqual(refused)
  expect(await refusal(second, 'hardhat_setBalance', to, '0x1')).toEqual(refused)
  expect(await refusal(second, 'evm_snapshot')).toEqual(refused)
  await expect(second.clock.advance({ ticks: 1 })).rejects.toThrow(refused.message)
  await call(first, 'eth_sendTransaction', transaction)
  await first.clock.advance({ blocks: 1 })
  await expectSame(first, second)
})

test('subscribers of the follower hear of ticks and seals, and its own stream goes on', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  const third = await start({ follow: second.flashblocksUrl })
  const heard: string[] = []
  third.on('tick', ({ transactions }) => heard.push(`tick ${transactions.length}`))
  third.on('seal', ({ number }) => heard.push(`seal ${number}`))
  const [from, to] = first.accounts.map(({ address }) => address)
  await call(first, 'eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
  await first.clock.advance({ ticks: 1 })
  await first.clock.seal()
  await expectSame(first, third)
  expect(heard).toEqual(['tick 1', 'seal 1'])
})

test('subscribers of the follower hear of no more ticks than those of the first node', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  const third = await start({ follow: second.flashblocksUrl })
  const heard = [first, second, third].map((devnet) => {
    const ticks: number[] = []
    devnet.on('tick', ({ transactions }) => ticks.push(transactions.length))
    return ticks
  })
  const [from, to] = first.accounts.map(({ address }) => address)
  const send = () =>
    call<Hex>(first, 'eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
  const tick = () => first.clock.advance({ ticks: 1 })
  const [, last] = [await send(), await send()]
  await tick()
  const snapshot = await call(first, 'evm_snapshot')
  await send()
  await tick()
  await call(first, 'hardhat_setBalance', CONTRACT, '0x1')
  await call(first, 'evm_revert', snapshot)
  await call(first, 'hardhat_dropTransaction', last)
  await first.clock.seal()
  await call(first, 'anvil_reorg', 1, [[{ from, to, value: '0x2' }, 0]])
  await expectSame(first, third)
  const [told, ...others] = heard
  expect(told).toEqual([2, 1, 1])
  for (const other of others) expect(other).toEqual(told)
})

test('subscribers of the follower hear of a reorganisation as those of the first node', async () => {
  const first = await startFirst()
  // Logs its calldata.
  await call(first, 'hardhat_setCode', CONTRACT, '0x365f5f37365fa000')
  const second = await start({ follow: first.flashblocksUrl })
  const third = await start({ follow: second.flashblocksUrl })
  const heard = await Promise.all(
    [first, second, third].map(async (devnet) => {
      const messages: Told[] = []
      // EIP-1193 has this form for subscriptions.
      devnet.provider.on('message', (message) => messages.push((message as Message).data.result))
      await call(devnet, 'eth_subscribe', 'logs')
      await call(devnet, 'eth_subscribe', 'newHeads')
      return messages
    }),
  )
  const [from] = first.accounts.map(({ address }) => address)
  for (const data of ['0x01', '0x02', '0x03']) {
    await call(first, 'eth_sendTransaction', { from, to: CONTRACT, data, gas: '0x186a0' })
    await first.clock.advance({ blocks: 1 })
  }
  await call(first, 'anvil_reorg', 2, [[{ from, to: CONTRACT, data: '0x09' }, 1]])
  await expectSame(first, third)
  const [told, ...others] = heard
  const [head, log, gone] = [undefined, false, true]
  expect(told?.map(({ removed }) => removed)).toEqual([
    ...[log, head, log, head, log, head],
    ...[gone, gone, head, log, head],
  ])
  for (const other of others) expect(other).toEqual(told)
})

test('a lost connection leaves nothing pending, and is made again', async () => {
  const first = await startFirst()
  const link = await createLink(first)
  const second = await start({ follow: link.url })
  const lines = reports()
  await call(first, 'hardhat_setBalance', CONTRACT, '0x1')
  const [from, to] = first.accounts.map(({ address }) => address)
  const send = () => call(first, 'eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
  await send()
  await first.clock.advance({ ticks: 1 })
  await expectSame(first, second)
  const resume = holdPauses()
  link.cut()
  const pending = () =>
    call<{ transactions: unknown[] }>(second, 'eth_getBlockByNumber', 'pending', false)
  await expect.poll(async () => (await pending()).transactions).toEqual([])
  await first.clock.advance({ blocks: 3 })
  await send()
  await first.clock.advance({ ticks: 1 })
  link.restore()
  resume()
  await expectSame(first, second)
  expect(pauses.taken).toEqual([1_000])
  expect(lines).toEqual([
    `hardhat-pending-node: the connection was closed; connecting to ${link.url} again`,
    `hardhat-pending-node: follows ${link.url} again, from block 3`,
  ])
})

test('a failed attempt to connect again is reported, and leaves no connection behind', async () => {
  const first = await startFirst()
  const link = await createLink(first)
  await start({ follow: link.url })
  const lines = reports()
  const resume = holdPauses()
  link.cut()
  await expect.poll(() => lines.length).toBe(1)
  // Under other rules; it has place for one client.
  const other = await startFirst({ hardfork: 'prague', maxFlashblockClients: 1 })
  link.lead(other)
  link.restore()
  resume()
  const reason = `the state of ${link.url} is of a chain with other hardforks: start a node with the option loadState`
  await expect.poll(() => pauses.taken.length).toBeGreaterThan(6)
  expect(lines.slice(1)).toEqual([`hardhat-pending-node: ${reason}; trying again`])
  expect(pauses.taken.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

test('connections that have ended leave nothing with the signal of the node', async () => {
  const first = await startFirst()
  const { signal } = new AbortController()
  for (let count = 0; count < 3; count++) {
    const follower = await NodeFollower.connect(first.flashblocksUrl, signal)
    follower.close()
  }
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([])
})

test('blocks have the rules that they have on the first node', async () => {
  const before = await startFirst({ codeSizeLimit: 0, transactionGasCap: 0 })
  const [{ address: from } = { address: ZERO }] = before.accounts
  const deploy = (node: Devnet) =>
    call<Hex>(node, 'eth_sendTransaction', { from, data: CREATES_LARGE, gas: '0x1312d00' })
  const hashes = [await deploy(before)]
  await before.clock.advance({ blocks: 1 })
  await call(before, 'hardhat_setCode', CONTRACT, GUARD)
  hashes.push(await call(before, 'eth_sendTransaction', { from, to: CONTRACT }))
  await before.clock.advance({ blocks: 1 })
  await call(before, 'hardhat_setChainId', 999)
  hashes.push(await deploy(before))
  await before.clock.advance({ ticks: 1 })
  // Its own limits are those of its hardfork, but not those of its blocks.
  const state = temporaryFile('state.json', await stateOf(before))
  const first = await startFirst({ loadState: state, timestamp: undefined })
  const link = await createLink(first)
  const second = await start({ follow: link.url })
  const lines = reports()
  await expectSame(first, second)
  hashes.push(await call(first, 'eth_sendTransaction', { from, to: CONTRACT, value: '0x1' }))
  await first.clock.advance({ ticks: 1 })
  await expectSame(first, second)
  await first.clock.advance({ blocks: 2 })
  hashes.push(
    await call(first, 'eth_sendTransaction', { from, data: CREATES_LARGE, gas: '0xf00000' }),
  )
  await first.clock.advance({ blocks: 1 })
  await expectSame(first, second)
  const told = async (node: Devnet, hash: Hex) => [
    await call(node, 'eth_getTransactionReceipt', hash),
    await call(node, 'debug_traceTransaction', hash, { tracer: 'callTracer' }),
  ]
  const statuses: unknown[] = []
  for (const hash of hashes) {
    const [receipt, trace] = await told(second, hash)
    expect([receipt, trace]).toEqual(await told(first, hash))
    const { status } = receipt as { status: Hex } // as the method answers
    expect(status).toBe(isFailed(trace) ? '0x0' : '0x1')
    statuses.push(status)
  }
  expect(statuses).toEqual(['0x1', '0x1', '0x1', '0x0', '0x0'])
  // A call shows under which limits the next block is, also after another start of the first node.
  const size = (node: Devnet) =>
    call<Hex>(node, 'eth_call', { data: CREATES_LARGE }).then(
      (code) => code.length / 2 - 1,
      ({ message }) => message,
    )
  expect([await size(first), await size(second)]).toEqual([
    'max code size exceeded',
    'max code size exceeded',
  ])
  const other = await startFirst({ codeSizeLimit: 0 })
  link.cut()
  link.lead(other)
  link.restore()
  await other.clock.advance({ blocks: 2 })
  await expectSame(other, second)
  await deploy(other).catch(() => undefined)
  await other.clock.advance({ blocks: 1 })
  await expectSame(other, second)
  expect([await size(other), await size(second)]).toEqual([CODE_SIZE, CODE_SIZE])
  expect(lines.filter((line) => line.includes('a block of the stream'))).toEqual([])
})

const ZERO: Hex = `0x${'0'.repeat(40)}`

const isFailed = (trace: unknown) => typeof trace === 'object' && trace !== null && 'error' in trace

async function stateOf(node: Devnet): Promise<Uint8Array> {
  const packed = await call<Hex>(node, 'anvil_dumpState')
  return Buffer.from(packed.slice(2), 'hex')
}

test('an error of the code itself is reported, and the replica begins anew', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  const lines = reports()
  const read = vi.spyOn(StreamReader.prototype, 'read').mockRejectedValueOnce(new TypeError('bug'))
  onTestFinished(() => read.mockRestore())
  await first.clock.advance({ blocks: 1 })
  await expectSame(first, second)
  const prefix = 'hardhat-pending-node:'
  expect(lines[0]).toMatch(
    /^hardhat-pending-node: internal error, please report it: TypeError: bug\n/,
  )
  expect(lines.slice(1)).toEqual([
    `${prefix} a message of the stream could not be read; connecting to ${first.flashblocksUrl} again`,
    `${prefix} follows ${first.flashblocksUrl} again, from block 1`,
  ])
  await first.clock.advance({ blocks: 1 })
  await expectSame(first, second)
})

test.each(['loseSlice', 'swapSlices', 'duplicateSlice'] as const)(
  'under the fault %s the replica ends equal, without a pause',
  async (kind) => {
    const first = await startFirst()
    const second = await start({ follow: first.flashblocksUrl })
    const lines = reports()
    const [from] = await call<Hex[]>(first, 'eth_accounts')
    const send = () => call(first, 'eth_sendTransaction', { from, to: CONTRACT, value: '0x1' })
    await first.faults({ rules: [{ kind, index: 2 }] })
    for (let block = 0; block < 3; block++) {
      for (let tick = 0; tick < 4; tick++) {
        await send()
        await first.clock.advance({ ticks: 1 })
      }
      await expectSame(first, second)
      await first.clock.seal()
      await expectSame(first, second)
    }
    const { faults } = await first.clock.status()
    expect(faults?.rules).toMatchObject([{ kind, fired: 3 }])
    expect(pauses.taken).toEqual([])
    const [problem, again] = ['messages of the stream are missing', 'follows']
    const shown = lines.map((line) => [problem, again].find((part) => line.includes(part)))
    expect(shown).toEqual(
      kind === 'duplicateSlice' ? [] : [1, 2, 3].flatMap(() => [problem, again]),
    )
  },
)

test('after a slice with another result there is a pause, as the next could differ too', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  const lines = reports()
  const read = vi.spyOn(StreamReader.prototype, 'read')
  onTestFinished(() => read.mockRestore())
  read.mockRejectedValueOnce(new InvalidBlockError('has used 1 gas, expected 2'))
  await first.clock.advance({ blocks: 1 })
  await expectSame(first, second)
  expect(lines[0]).toContain(': a block of the stream has used 1 gas, expected 2; connecting to ')
  expect(pauses.taken).toEqual([1_000])
})

test('messages that are missing again and again are asked for with pauses', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl })
  const lines = reports()
  const read = vi.spyOn(StreamReader.prototype, 'read')
  onTestFinished(() => read.mockRestore())
  for (const expected of [[], [1_000], [1_000, 1_000]]) {
    read.mockResolvedValueOnce('gap')
    const before = lines.length
    await first.clock.advance({ ticks: 1 })
    // What is missing, and that it goes on.
    await expect.poll(() => lines.length).toBe(before + 2)
    expect(pauses.taken).toEqual(expected)
  }
  await first.clock.advance({ ticks: 1 })
  await expectSame(first, second)
})

test('it goes over to another chain that the first node loads', async () => {
  const [first, other] = [await startFirst(), await startFirst({ timestamp: 1_900_000_000 })]
  const second = await start({ follow: first.flashblocksUrl })
  const lines = reports()
  await other.clock.advance({ blocks: 2 })
  await call(first, 'hardhat_loadState', await call(other, 'hardhat_dumpState'))
  await expectSame(first, second)
  expect(lines[0]).toBe(
    `hardhat-pending-node: messages of the stream are missing; connecting to ${first.flashblocksUrl} again`,
  )
})

test('it runs under the limits of the first node', async () => {
  const first = await startFirst({ codeSizeLimit: 0, transactionGasCap: 0 })
  const second = await start({ follow: first.flashblocksUrl })
  const [from] = first.accounts.map(({ address }) => address)
  // Deploys 30,000 bytes, more than EIP-170 allows.
  await call(first, 'eth_sendTransaction', { from, data: '0x6175305ff3', gas: '0x1c9c380' })
  await first.clock.advance({ blocks: 1 })
  await expectSame(first, second)
  const code = await call<Hex>(
    second,
    'eth_getCode',
    getContractAddress({ from: from ?? '0x', nonce: 0n }),
    'latest',
  )
  expect(code.length).toBe(2 + 2 * 30_000)
})

test('a stream that cannot be followed fails the start with a sentence', async () => {
  const problem = (follow: string) =>
    createDevnet({ port: 0, follow })
      .start()
      .then(
        () => 'started',
        (error: Error) => error.message,
      )
  const { url } = await startServer()
  const own = await startFirst({ flashblocksPort: 0 })
  const full = await startFirst({ maxFlashblockClients: 1 })
  await start({ follow: full.flashblocksUrl })
  const ending = '. Want the flashblock stream of a pending-node, on the port of its JSON-RPC.'
  expect(await problem('ws://127.0.0.1:1/flashblocks')).toMatch(
    /^Cannot follow ws:\/\/127\.0\.0\.1:1\/flashblocks: .*ECONNREFUSED.*JSON-RPC\.$/,
  )
  expect(await problem(full.flashblocksUrl)).toContain(
    ': the node has 1 clients of its flashblock stream, which is the limit;',
  )
  // A WebSocket for JSON-RPC, but no node that knows of replicas.
  const ws = url.replace('http', 'ws')
  expect(await problem(ws)).toMatch(
    new RegExp(`^Cannot follow ${ws}: its node says: .*preconf_replicaState`),
  )
  expect(await problem(own.flashblocksUrl)).toBe(
    `Cannot follow ${own.flashblocksUrl}: its node says: the flashblock stream on this port is at /flashblocks${ending}`,
  )
  const port = `${own.url.replace('http', 'ws')}/flashblocks`
  expect(await problem(port)).toBe(
    `Cannot follow ${port}: the stream is at ${own.flashblocksUrl}${ending}`,
  )
})

test.each([
  ['genesis', 'genesis.json'],
  ['fork', 'http://127.0.0.1:1'],
  ['state', 'state.json'],
  ['instant', true],
  ['timestamp', 5],
] as const)('it leaves the chain to the other node: not with %s', (name, value) => {
  expect(() => createDevnet({ follow: 'ws://127.0.0.1:1/flashblocks', [name]: value })).toThrow(
    `follow cannot be combined with ${name}: the node that is followed decides on the chain.`,
  )
})

test('error: a node in profile base has no stream to follow', async () => {
  const first = await startFirst({ profile: 'base' })
  const second = createDevnet({ port: 0, follow: first.flashblocksUrl })
  await expect(second.start()).rejects.toThrow(
    `Cannot follow ${first.flashblocksUrl}: --profile base has no flashblocks: subscribe to newHeads and logs instead.`,
  )
})

test('error: a node in another profile is not followed, and says why', async () => {
  const first = await startFirst({ profile: 'base-flashblocks' })
  const second = createDevnet({ port: 0, follow: first.flashblocksUrl })
  await expect(second.start()).rejects.toThrow(
    `Cannot follow ${first.flashblocksUrl}: its node says: it runs with --profile base-flashblocks, whose stream leaves out what a replica needs, such as cheats and the senders of unsigned transactions: start it with --profile plain to follow it`,
  )
})

test('a replica shows what it follows in a profile of its own', async () => {
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl, profile: 'base-flashblocks' })
  const [from] = await call<Hex[]>(first, 'eth_accounts')
  const hash = await call<Hex>(first, 'eth_sendTransaction', { from, to: CONTRACT, value: '0x7' })
  const count = () => call(second, 'eth_getBlockTransactionCountByNumber', 'pending')
  expect(await call(second, 'eth_getBlockByNumber', 'pending', false)).toMatchObject({
    number: '0x0',
  })
  await first.clock.advance({ ticks: 1 })
  await expect.poll(count).toBe('0x1')
  expect(await call(second, 'eth_getBalance', CONTRACT, 'pending')).toBe('0x7')
  expect(await call(second, 'eth_getBlockReceipts', 'pending')).toEqual([])
  expect(await call(second, 'eth_getTransactionByHash', hash)).toMatchObject({ blockHash: null })
})

test('a replica in a profile of the OP Stack keeps the rules of the chain that it follows', async () => {
  const lines = reports()
  const first = await startFirst()
  const second = await start({ follow: first.flashblocksUrl, profile: 'base-flashblocks' })
  const [from] = await call<Hex[]>(first, 'eth_accounts')
  const latest = (devnet: Devnet) => call(devnet, 'eth_getBlockByNumber', 'latest', true)
  for (let block = 1; block <= 3; block++) {
    await call(first, 'eth_sendTransaction', { from, to: CONTRACT, value: '0x7' })
    await first.clock.advance({ blocks: 1 })
    const expected = await latest(first)
    expect(expected).toMatchObject({ number: `0x${block}` })
    await expect.poll(() => latest(second)).toEqual(expected)
  }
  expect(lines).toEqual([])
})

test('a block that opened before the follower came keeps its timestamp, though time runs', async () => {
  const lines = reports()
  const first = await start({ sealInterval: 3_600_000 })
  const second = await start({ follow: first.flashblocksUrl })
  await expectSame(first, second)
  await call(first, 'preconf_seal')
  await expectSame(first, second)
  expect(lines).toEqual([])
})
