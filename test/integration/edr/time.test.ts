import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { runs, seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'

// Plays sends, mines, commands about time, snapshots and reverts on our node and on Hardhat's own network, whose time
// is the wall's. A step counts if both did it within the same second of the wall, and saw equally many whole seconds
// pass between a snapshot and its revert. Otherwise the sequence is played again from the start.

const SEQUENCES = 200
const STEPS = 25
/** One sequence in so many waits for seconds of the wall to pass. */
const SLOW = 4
/** Each try of a slow sequence meets the end of a second by chance. */
const TRIES = 20

interface Chain {
  request(method: string, params?: readonly unknown[]): Promise<unknown>
  stop(): Promise<void>
}

let folder: string
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pending-node-time-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  hre = await createHardhatRuntimeEnvironment(
    { networks: { theirs: { type: 'edr-simulated', chainType: 'l1' } } },
    {},
    folder,
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

async function startTheirs(start: number): Promise<Chain> {
  const override = { initialDate: new Date(start * 1000).toISOString() }
  const { provider, close } = await hre.network.create({ network: 'theirs', override })
  return {
    request: (method, params = []) => provider.request({ method, params: [...params] }),
    stop: close,
  }
}

async function startOurs(start: number, isOverHttp: boolean): Promise<Chain> {
  const devnet = createDevnet({ port: 0, instant: true, timestamp: start })
  await devnet.start()
  const client = createPublicClient({ transport: http(devnet.url) })
  return {
    request: (method, params = []) =>
      isOverHttp
        ? client.request({ method, params } as Parameters<typeof client.request>[0])
        : devnet.provider.request({ method, params }),
    stop: () => devnet.stop(),
  }
}

const second = () => Math.floor(Date.now() / 1000)

/** The wall's time passed a whole second amid a step, so nothing is said about it. */
class DisturbedError extends Error {
  override name = 'DisturbedError'
}

/** Both chains, which do the same in turn. */
class Pair {
  readonly #chains: readonly [Chain, Chain]
  /** When each snapshot was taken: not before and not after, in ms. */
  readonly #taken = new Map<number, readonly [number, number]>()
  snapshots: (readonly [unknown, unknown])[] = []
  readonly random: Random
  readonly steps: string[] = []

  constructor(chains: readonly [Chain, Chain], random: Random) {
    this.#chains = chains
    this.random = random
  }

  async both(
    method: string,
    params: readonly unknown[] = [],
  ): Promise<readonly [unknown, unknown]> {
    this.steps.push(`${method}(${JSON.stringify(params)})`)
    const [ours, theirs] = this.#chains
    return [await ours.request(method, params), await theirs.request(method, params)]
  }

  /** `latest` and `pending` of each chain, in s. */
  async timestamps(): Promise<number[][]> {
    return Promise.all(
      this.#chains.map((chain) =>
        Promise.all(
          ['latest', 'pending'].map(async (tag) => {
            const block = await chain.request('eth_getBlockByNumber', [tag, false])
            return Number((block as { timestamp: string }).timestamp)
          }),
        ),
      ),
    )
  }

  async snapshot(): Promise<void> {
    const before = Date.now()
    const ids = await this.both('evm_snapshot')
    this.#taken.set(this.snapshots.push(ids) - 1, [before, Date.now()])
  }

  async revert(): Promise<void> {
    const index = this.random.below(this.snapshots.length)
    const ids = this.snapshots[index]
    const [notBefore = 0, notAfter = 0] = this.#taken.get(index) ?? []
    if (ids === undefined) return
    this.snapshots = this.snapshots.slice(0, index)
    this.steps.push(`evm_revert to the snapshot ${index}`)
    const before = Date.now()
    const [ours, theirs] = this.#chains
    expect(await ours.request('evm_revert', [ids[0]])).toBe(true)
    expect(await theirs.request('evm_revert', [ids[1]])).toBe(true)
    const passed = [before - notAfter, Date.now() - notBefore].map((ms) => Math.floor(ms / 1000))
    if (passed[0] !== passed[1]) throw new DisturbedError()
  }

  async stop(): Promise<void> {
    for (const chain of this.#chains) await chain.stop()
  }
}

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const hex = (value: number) => `0x${value.toString(16)}`

const send = (pair: Pair) => pair.both('eth_sendTransaction', [{ from: FROM, to: FROM }])
const increase = (pair: Pair) => {
  const seconds = pair.random.pick([0, 1, 2, 3, 60, 100, 3600, 86_400])
  return pair.both('evm_increaseTime', [pair.random.pick([seconds, hex(seconds)])])
}
const mine = (pair: Pair) => pair.both('evm_mine')
const later = async (pair: Pair) => {
  const [[latest = 0] = []] = await pair.timestamps()
  return latest + pair.random.pick([1, 2, 5, 1000])
}

const OPERATIONS: readonly ((pair: Pair) => Promise<unknown>)[] = [
  send,
  send,
  increase,
  increase,
  mine,
  (pair) => pair.both('hardhat_mine', [hex(1 + pair.random.below(4))]),
  (pair) =>
    pair.both('hardhat_mine', [hex(1 + pair.random.below(400)), hex(1 + pair.random.below(20))]),
  async (pair) => pair.both('evm_setNextBlockTimestamp', [await later(pair)]),
  async (pair) => pair.both('evm_mine', [hex(await later(pair))]),
  (pair) => pair.snapshot(),
  (pair) => pair.revert(),
]

/** Resolves when the wall's next second begins. */
async function nextSecond(): Promise<void> {
  const before = second()
  while (second() === before) await new Promise((resolve) => setImmediate(resolve))
}

/** @throws {DisturbedError} if it has to be played again */
async function play(seed: number, isOverHttp: boolean): Promise<void> {
  const random = new Random(seed)
  const start = 1_800_000_000 + random.below(1000)
  // Away from the end of a second, in which most of a quick sequence fits.
  if (Date.now() % 1000 > 400) await nextSecond()
  let began = second()
  const chains = [await startOurs(start, isOverHttp), await startTheirs(start)] as const
  const pair = new Pair(chains, random)
  try {
    if (second() !== began) throw new DisturbedError()
    for (let step = 0; step < STEPS; step++) {
      if (seed % SLOW === 0 && random.below(STEPS / 3) === 0) {
        pair.steps.push('the next second of the wall')
        for (let left = 1 + random.below(2); left > 0; left--) await nextSecond()
      }
      began = second()
      await random.pick(OPERATIONS)(pair)
      const [ours, theirs] = await pair.timestamps()
      if (second() !== began) throw new DisturbedError()
      expect(ours, `seed ${seed}: ${pair.steps.join(', ')}`).toEqual(theirs)
    }
  } finally {
    await pair.stop()
  }
}

describe.each([
  ['in process', false],
  ['over HTTP', true],
])('%s', (_, isOverHttp) => {
  test.each(seeds(SEQUENCES / 2, SEQUENCES / 2 / 4))(
    `${STEPS} steps as on Hardhat's own network, seed %i`,
    { timeout: 120_000 },
    async (seed) => {
      for (let tries = 1; ; tries++) {
        try {
          return await play(isOverHttp ? seed + SEQUENCES : seed, isOverHttp)
        } catch (error) {
          if (!(error instanceof DisturbedError) || tries === TRIES) throw error
        }
      }
    },
  )
})

test('sequences that wait for the wall are among those of each run', () => {
  expect(runs(SEQUENCES / 2, SEQUENCES / 2 / 4)).toBeGreaterThanOrEqual(SLOW)
})
