import { type Hex, numberToHex, pad } from 'viem'
import { expect, test } from 'vitest'
import type { SimulationPayload } from '../../../devnet/json/schemas/simulationPayload.ts'
import { runs } from '../../support/longRuns.ts'
import { CODE, createExecutionChain, NOBODY, overrides } from './harness.ts'
import { countHeld } from './held.ts'

const word = (value: bigint | number) => pad(numberToHex(value))

/** Counts down from `rounds`, then reads `slot` of this account. */
const slowly = (rounds: number, slot: string): Hex =>
  `0x62${rounds.toString(16).padStart(6, '0')}5b600190038060045750${slot}545f5260205ff3`

/** Writes, sends, deploys and destroys over two blocks, and takes its time. */
function heavy(from: Hex, to: Hex, store: Hex, stored: Hex): SimulationPayload {
  return {
    traceTransfers: true,
    blockStateCalls: [
      {
        stateOverrides: overrides({
          [CODE]: { code: slowly(60_000, '5f'), stateDiff: new Map([[word(0), word(7)]]) },
          [NOBODY]: { balance: 10n ** 20n, nonce: 9n },
          [to]: { balance: 5n },
        }),
        calls: [
          { from, to, data: store },
          { from, to: NOBODY, value: 10n ** 18n },
          { from: NOBODY, data: '0x60fe5f5360015ff3' },
          { to: CODE },
        ],
      },
      { blockOverrides: { number: 900n }, calls: [{ to, data: stored }, { to: CODE }] },
    ],
  }
}

/** A playground in a chain whose every step is commanded. */
async function createPlayground() {
  const node = await createExecutionChain()
  const { address, encode } = await node.deploy('Playground')
  await node.seal()
  return { ...node, address, encode }
}

/** A multiple of 3: every third step seals. */
const STEPS = 3 * runs(20)

test('blocks are the same with simulations and without, and nothing is left of these', async () => {
  const [disturbed, calm] = [await createPlayground(), await createPlayground()]
  const held = await countHeld(disturbed)
  const before = held.versions()
  const payload = (value: number) =>
    heavy(
      disturbed.from,
      disturbed.address,
      disturbed.encode('store', 1n, value),
      disturbed.encode('stored', 1n),
    )
  const simulations: Promise<unknown>[] = []
  for (let step = 1; step <= STEPS; step++) {
    for (const node of [disturbed, calm]) {
      await node.send({ to: node.address, data: node.encode('store', 1n, step) })
    }
    for (let client = 0; client < 4; client++) {
      const block = client % 2 === 0 ? disturbed.chain.pending : disturbed.chain.head
      const run = disturbed.simulate(payload(100 + client), {
        block,
        limits: { blocks: 1000 },
      })
      // What was written in the block before is there; what a tick writes meanwhile is not.
      simulations.push(
        run.then((blocks) => blocks.at(-1)?.calls.map(({ returnData }) => returnData)),
      )
    }
    for (const node of [disturbed, calm]) {
      await node.tick()
      if (step % 3 === 0) await node.seal()
    }
    expect(disturbed.chain.pending.executed).toHaveLength(calm.chain.pending.executed.length)
  }
  const results = await Promise.all(simulations)
  expect(results).toEqual(
    Array.from({ length: STEPS * 4 }, (_, index) => [word(100 + (index % 4)), word(7)]),
  )
  const hashes = (node: typeof calm) =>
    Array.from(
      { length: 1 + STEPS / 3 },
      (_, index) => node.chain.history.byNumber(index + 1)?.hash,
    )
  expect(hashes(disturbed)).toEqual(hashes(calm))
  expect(disturbed.chain.head.number).toBe(1 + STEPS / 3)
  expect(disturbed.chain.store.countValues()).toBe(calm.chain.store.countValues())
  expect(held.versions()).toBe(before)
  expect(await held.lost()).toBe(0)
})

test('a simulation reads the state that it began with', async () => {
  const node = await createPlayground()
  const stored = { to: node.address, data: node.encode('stored', 1n) }
  const runs: Promise<Hex | undefined>[] = []
  for (let step = 1; step <= 6; step++) {
    await node.send({ to: node.address, data: node.encode('store', 1n, step) })
    await node.tick()
    const payload = {
      blockStateCalls: [
        {
          stateOverrides: overrides({ [CODE]: { code: slowly(40_000, '5f') } }),
          calls: [{ to: CODE }],
        },
        { calls: [stored] },
      ],
    }
    runs.push(node.simulate(payload).then((blocks) => blocks[1]?.calls[0]?.returnData))
    if (step % 2 === 0) await node.seal()
  }
  expect(await Promise.all(runs)).toEqual([1, 2, 3, 4, 5, 6].map(word))
})
