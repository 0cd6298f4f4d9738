import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PLACES } from '../../devnet/faults/faultPlaces.ts'

const SEEDS = [42, 43, 44, 45]

const script = fileURLToPath(new URL('./faultDeterminism.child.ts', import.meta.url))

/** Kinds that have fired in any of the runs. */
const fired = new Set<string>()

test.each(SEEDS)(
  'default: equal seeds and equal commands give equal runs in two processes, byte for byte, seed %i',
  async (seed) => {
    const options = { maxBuffer: 2 ** 26 }
    const args = [script, String(seed)]
    const run = async () => (await promisify(execFile)(process.execPath, args, options)).stdout
    const [first, second] = await Promise.all([run(), run()])
    const count = (kind: string) => first.split(`\n["${kind}",`).length - 1
    for (const [, kind = ''] of first.matchAll(/^\["fault",\{"kind":"(\w+)"/gm)) fired.add(kind)
    // Otherwise the run would not say much.
    expect(count('fault')).toBeGreaterThan(10)
    expect(count('message')).toBeGreaterThan(50)
    expect(first).toBe(second)
  },
)

test('default: the runs were those of most kinds', () => {
  // `cutSockets` is left out, and `delaySeal` is a fault of the sealing clock, which stands still.
  const others = Object.keys(PLACES).filter((kind) => !/^(?:cutSockets|delaySeal)$/.test(kind))
  expect([...fired].sort()).toEqual(others.sort())
})
