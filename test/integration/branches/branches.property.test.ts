import { expect, test } from 'vitest'
import { seeds } from '../../support/longRuns.ts'
import { Random } from '../../support/random.ts'
import { Lineage } from './branchModel.ts'

test.each(seeds(100))(
  'parent and branches are as separate nodes that were brought to the same state, seed %i',
  async (seed) => {
    const random = new Random(seed)
    const options = {
      hardfork: seed % 3 === 0 ? ('amsterdam' as const) : ('bpo2' as const),
      keepBlocks: seed % 2 === 0 ? 8 : 0,
    }
    const all = [await Lineage.start(options)]
    for (let step = 0; step < 60; step++) {
      const one = random.pick(all)
      if (all.length < 5 && random.once(6)) all.push(await one.branch())
      else await one.run(one.step(random))
      // The others have not changed either.
      await random.pick(all).check()
    }
    for (const one of all) {
      await one.check()
      await one.compareDumps()
    }
    expect(all.length).toBeGreaterThan(2)
    for (const one of all.reverse()) await one.stop()
  },
  60_000,
)
