import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('./faultDeterminism.child.ts', import.meta.url))

test('default: equal seeds and equal commands give equal runs in two processes, byte for byte', async () => {
  const options = { maxBuffer: 2 ** 26 }
  const run = async () => (await promisify(execFile)(process.execPath, [script], options)).stdout
  const [first, second] = await Promise.all([run(), run()])
  const count = (kind: string) => first.split(`\n["${kind}",`).length - 1
  // Otherwise the run would not say much.
  expect(count('fault')).toBeGreaterThan(10)
  expect(count('message')).toBeGreaterThan(50)
  expect(first).toBe(second)
})
