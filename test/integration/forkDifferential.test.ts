import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options/options.ts'
import { type Hex, quantity, toHex } from '../../devnet/primitives/hex.ts'
import { randomProgram } from '../devnet/engine/randomProgram.ts'
import { topicOf } from '../devnet/stream/emitterChain.ts'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { seeds } from '../support/longRuns.ts'
import { askNode, type PeerNode, startHardhat, startOurs } from '../support/peerNode.ts'
import { Random } from '../support/random.ts'

/** Programs ask for the hashes of blocks below 64: the fork block comes after them. */
const FORK = 70

/** Time of the first block after the genesis block, in s. */
const START = 1_800_000_000

/** The addresses that random programs call, besides those of their own. */
const HELPERS = [0xe0, 0xf0, 0xff].map((last): Hex => `0x${last.toString(16).padStart(40, '0')}`)

/** Gas of the calls that find out which programs succeed. */
const GAS = quantity(100_000)

const PROGRAMS = 40
const TRANSACTIONS = 25

/** Each seed reads in another way. */
const PREFETCHES = ['access-list', 'off'] as const

/** Slots that programs use, and one that they do not. */
const SLOTS = [0, 1, 2, 3, 4, 7].map(topicOf)

type Ask = <Result = unknown>(method: string, ...params: readonly unknown[]) => Promise<Result>

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly { readonly address: Hex; readonly topics: Hex[]; readonly data: Hex }[]
}

async function startDevnet(options: OptionsInput): Promise<Devnet> {
  const node = createDevnet({ port: 0, noWallet: true, ...options })
  await node.start()
  return node
}

function askerOf({ provider }: Pick<Devnet, 'provider'>): Ask {
  // Each test knows what the method that it asks answers.
  return async (method, ...params) => (await provider.request({ method, params })) as never
}

const program = anvilProgram()

const upstreams: readonly [string, () => Promise<PeerNode>][] = [
  ['this node', () => startOurs({ frozenTicks: true })],
  ['anvil', () => startAnvil(program ?? '')],
  [
    'hardhat node',
    async () => startHardhat(await createHardhatRuntimeEnvironment({ networks: {} })),
  ],
]

/** Makes contracts with random programs, slots and balances, and returns their addresses. */
async function prepare(ask: Ask): Promise<Hex[]> {
  const random = new Random(7)
  const programs = Array.from(
    { length: PROGRAMS },
    (_, index): Hex => `0x${(0x1000 + index).toString(16).padStart(40, 'c')}`,
  )
  for (const address of [...HELPERS, ...programs]) {
    if (random.once(2)) await ask('hardhat_setBalance', address, quantity(random.below(1000)))
    for (const slot of SLOTS) {
      if (random.once(2)) continue
      await ask('hardhat_setStorageAt', address, slot, topicOf(random.below(1000)))
    }
    const code = await programThat(random, (code) => {
      const overrides = { [address]: { code } }
      return ask('eth_call', { to: address, gas: GAS }, 'latest', overrides)
    })
    await ask('hardhat_setCode', address, code)
  }
  await ask('evm_setNextBlockTimestamp', quantity(START))
  await ask('hardhat_mine', quantity(FORK))
  return programs
}

/** A random program; mostly one that succeeds, which few do. */
async function programThat(random: Random, run: (code: Hex) => Promise<unknown>): Promise<Hex> {
  const mayFail = random.once(5)
  for (;;) {
    const code = toHex(randomProgram(random))
    const succeeds = await run(code).then(
      () => true,
      () => false,
    )
    // What stops at once leaves nothing behind.
    if (mayFail || (succeeds && code.length > 60)) return code
  }
}

/** A forked node beside ours: how it is started, and how a transaction is sent and sealed there. */
interface Fork {
  start(url: string): Promise<PeerNode>
  send(ask: Ask, transaction: object): Promise<Receipt>
}

const anvil: Fork = {
  start: (url) =>
    startAnvil(
      program ?? '',
      ...['--fork-url', url, '--fork-block-number', String(FORK)],
      ...['--no-storage-caching', '--hardfork', 'osaka'],
    ),
  send: (ask, transaction) => ask('eth_sendTransactionSync', transaction),
}

const hardhat: Fork = {
  async start(url) {
    const hre = await createHardhatRuntimeEnvironment({
      networks: {
        default: {
          type: 'edr-simulated',
          forking: { url, blockNumber: FORK },
          hardfork: 'osaka',
          throwOnTransactionFailures: false,
        },
      },
    })
    return await startHardhat(hre)
  },
  async send(ask, transaction) {
    return await ask('eth_getTransactionReceipt', await ask('eth_sendTransaction', transaction))
  },
}

const forks = [['anvil', anvil] as const, ['hardhat node', hardhat] as const].flatMap(
  ([name, fork]) => upstreams.map(([upstream, start]) => [name, upstream, fork, start] as const),
)

const group = describe.skipIf(program === undefined)
group.each(forks)('a forked %s over %s', (name, _, peer, start) => {
  let upstream: PeerNode
  let programs: readonly Hex[] = []

  beforeAll(async () => {
    upstream = await start()
    programs = await prepare(askerAt(upstream.url))
  })

  afterAll(() => upstream[Symbol.asyncDispose]())

  const share = name === 'anvil' ? 20 : 60
  test.each(seeds(60, share))('agrees on random programs, seed %i', async (seed) => {
    const other = await peer.start(upstream.url)
    onTestFinished(() => other[Symbol.asyncDispose]())
    const forked = await startDevnet({
      fork: upstream.url,
      forkBlockNumber: FORK,
      hardfork: 'osaka',
      forkPrefetch: PREFETCHES[seed % PREFETCHES.length],
      noForkCache: true,
      instant: true,
    })
    onTestFinished(() => forked.stop())
    const nodes = [askerOf(forked), askerAt(other.url)] as const
    const ask = askerAt(upstream.url)
    // Hardhat calls nothing on the blocks of a chain whose hardforks it does not know.
    for (const node of nodes) await node('evm_mine')
    const random = new Random(seed)
    const [from = '0x'] = forked.accounts.map(({ address }) => address)
    const touched = new Set<Hex>([from])
    let succeeded = 0
    for (let index = 0; index < TRANSACTIONS; index++) {
      const to = random.once(5) ? undefined : random.pick(programs)
      const data =
        to === undefined
          ? await programThat(random, (data) => ask('eth_call', { data, gas: GAS }))
          : toHex(randomProgram(random))
      const value = random.once(3) ? quantity(random.below(50)) : '0x0'
      const request = {
        from,
        ...(to && { to }),
        data,
        value,
        gas: quantity(100_000 + random.below(100_000)),
      }
      const call = await Promise.all(
        nodes.map((ask) => ask('eth_call', request, 'latest').catch(() => 'failed')),
      )
      expect([index, call[0]]).toEqual([index, call[1]])
      const sent = { ...request, gasPrice: '0x77359400' }
      const receipts = await Promise.all([
        nodes[0]<Receipt>('eth_sendTransactionSync', sent),
        peer.send(nodes[1], sent),
      ])
      const [ours, theirs] = receipts.map((receipt) => {
        const { status, gasUsed, contractAddress, logs = [] } = receipt ?? {}
        const shown = logs.map(({ address, topics, data }) => ({ address, topics, data }))
        // Hardhat tells no address of a contract that was not made.
        const created = status === '0x1' ? (contractAddress ?? null) : null
        return { index, status, gasUsed, created, logs: shown }
      })
      expect(ours).toEqual(theirs)
      if (ours?.status === '0x1') succeeded++
      if (to !== undefined) touched.add(to)
      if (ours?.created) touched.add(ours.created)
    }
    // Otherwise too few of them would leave something behind.
    expect(succeeded).toBeGreaterThan(TRANSACTIONS / 2)
    for (const address of [...touched, ...HELPERS]) {
      for (const block of ['latest', quantity(FORK), quantity(FORK + 5)]) {
        const state = await Promise.all(nodes.map((ask) => stateOf(ask, address, block)))
        expect(state[0]).toEqual(state[1])
      }
    }
  })
})

/** An account and its slots; one after the other, because anvil may hang otherwise. */
async function stateOf(ask: Ask, address: Hex, block: string) {
  const state = {
    address,
    block,
    balance: await ask('eth_getBalance', address, block),
    nonce: await ask('eth_getTransactionCount', address, block),
    code: await ask('eth_getCode', address, block),
    slots: [] as unknown[],
  }
  for (const slot of SLOTS) state.slots.push(await ask('eth_getStorageAt', address, slot, block))
  return state
}

const askerAt =
  (url: string): Ask =>
  (method, ...params) =>
    askNode(url, method, ...params)
