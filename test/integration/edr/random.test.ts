import { expect, test } from 'vitest'
import { withArena } from './arena.ts'
import * as blocks from './blocks.ts'
import { pickOperation } from './operations.ts'
import { HARDFORKS, type Hardfork } from './peer.ts'

// Plays the same on our node and on EDR, the engine of `hardhat node`, and holds every answer against each other.
// Another run, or a longer one (EDR_HARDFORK=osaka unless given):
//   EDR_SEED=7 EDR_STEPS=5000 EDR_HARDFORK=prague npx vitest run test/integration/edr/random.test.ts

interface Run {
  readonly seed: number
  readonly steps: number
  readonly hardfork: Hardfork
}

const FIXED: readonly Run[] = [
  { seed: 1, steps: 200, hardfork: 'osaka' },
  { seed: 2, steps: 200, hardfork: 'osaka' },
  { seed: 3, steps: 80, hardfork: 'prague' },
  { seed: 4, steps: 80, hardfork: 'cancun' },
  { seed: 5, steps: 80, hardfork: 'shanghai' },
  { seed: 6, steps: 80, hardfork: 'paris' },
]

const { EDR_SEED, EDR_STEPS = '300', EDR_HARDFORK = 'osaka' } = process.env

function runs(): readonly Run[] {
  if (EDR_SEED === undefined) return FIXED
  const hardfork = HARDFORKS.find((name) => name === EDR_HARDFORK)
  if (hardfork === undefined) throw new Error(`EDR_HARDFORK must be one of ${HARDFORKS.join(', ')}`)
  return [{ seed: Number(EDR_SEED), steps: Number(EDR_STEPS), hardfork }]
}

test.each(runs())(
  'default: $steps random steps on $hardfork, seed $seed',
  // A fixed run takes 1 to 3 s; one that is asked for may be long.
  { timeout: 30_000 + Number(EDR_STEPS) * 100 },
  async ({ seed, steps, hardfork }) => {
    const run = `EDR_SEED=${seed} EDR_STEPS=${steps} EDR_HARDFORK=${hardfork}`
    const again = `${run} npx vitest run test/integration/edr/random.test.ts`
    await withArena({ seed, hardfork, again }, async (world) => {
      const { duel } = world
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
      const { blocks: sealed, succeeded, failed } = world.compared
      expect(sealed).toBeGreaterThan(steps / 20)
      expect(succeeded).toBeGreaterThan(steps / 8)
      expect(failed).toBeGreaterThan(steps / 50)
    })
  },
)
