import { afterAll, beforeAll, expect, test } from 'vitest'
import * as blocks from './blocks.ts'
import { Duel } from './duel.ts'
import { createEdrPeer } from './edrPeer.ts'
import { pickOperation } from './operations.ts'
import { createOwnPeer } from './ownPeer.ts'
import type { PeerOptions } from './peer.ts'
import * as sends from './sends.ts'
import { World } from './world.ts'

// Plays the same on our node and on EDR, the engine of `hardhat node`, and holds every answer against each other.
// Another run, or a longer one: EDR_SEED=7 EDR_STEPS=5000 npx vitest run test/integration/edr/random.test.ts

const seed = Number(process.env.EDR_SEED ?? 1)
const steps = Number(process.env.EDR_STEPS ?? 300)

const OPTIONS: PeerOptions = {
  chainId: 31337,
  timestamp: 1_800_000_000,
  baseFee: 1_000_000_000n,
  gasLimit: 60_000_000,
  hardfork: 'osaka',
}

let ours: Awaited<ReturnType<typeof createOwnPeer>>
let theirs: Awaited<ReturnType<typeof createEdrPeer>>

beforeAll(async () => {
  ours = await createOwnPeer(OPTIONS)
  theirs = await createEdrPeer(OPTIONS)
})

afterAll(async () => {
  await ours.stop()
  await theirs.stop()
})

test(`default: ${steps} random steps, seed ${seed}`, { timeout: 60_000 + steps * 100 }, async () => {
  const again = `EDR_SEED=${seed} EDR_STEPS=${steps} npx vitest run test/integration/edr/random.test.ts`
  const duel = new Duel(ours, theirs, again)
  const world = new World(duel, seed, ours.accounts.slice(0, 6), OPTIONS)
  await blocks.open(world)
  await sends.deploy(world)
  await blocks.seal(world)
  for (let step = 0; step < steps; step++) {
    const { name, run } = pickOperation(world)
    duel.begin(name)
    await run(world)
    await world.compareTouched()
  }
  duel.begin('end')
  await blocks.seal(world)
  await world.compareAll()
  // Otherwise the run would not say much.
  expect(world.sealed.length).toBeGreaterThan(steps / 4)
})
