import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('./determinism.child.ts', import.meta.url))

test('default: equal commands in two processes give equal blocks, hashes included', async () => {
  const run = async () => (await promisify(execFile)(process.execPath, [script])).stdout
  const [first, second] = await Promise.all([run(), run()])
  expect(first.trim().split('\n').length).toBeGreaterThan(30)
  expect(first).toBe(second)
})
