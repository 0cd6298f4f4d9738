import { execFile } from 'node:child_process'
import { expect } from 'vitest'
import { test } from '../../plugin/vitest/index.ts'

const ROOT = new URL('../..', import.meta.url)

test.explore(
  'test.explore of vitest plays its test under schedules',
  async ({ devnet, provider }) => {
    const [from] = devnet.accounts
    const params = [{ from: from?.address, to: from?.address }]
    await provider.request({ method: 'eth_sendTransaction', params })
    await new Promise((resolve) => setTimeout(resolve, 5000))
    const { latest } = await devnet.clock.status()
    expect(latest.number).toBeGreaterThan(0)
  },
  { depth: 1 },
)

test('a test of node:test fails with the schedule, and its process ends', async () => {
  const program = `
    import assert from 'node:assert'
    import { test } from 'node:test'
    import { explore } from './plugin/explore.ts'
    test('pays', { timeout: 60_000 }, () => explore(async ({ devnet, provider }) => {
      const [{ address: from }] = devnet.accounts
      const params = [{ from, to: from }]
      const hash = await provider.request({ method: 'eth_sendTransaction', params })
      await new Promise((resolve) => setTimeout(resolve, 3000))
      const method = 'eth_getTransactionReceipt'
      assert.ok(await provider.request({ method, params: [hash] }), 'no receipt')
    }))`
  const env: NodeJS.ProcessEnv = { ...process.env }
  delete env.NODE_TEST_CONTEXT
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    const args = ['--input-type=module', '--eval', program]
    execFile(process.execPath, args, { cwd: ROOT, env }, (error, output) =>
      resolve({ code: error?.code, stdout: output }),
    )
  })
  expect(code).toBe(1)
  expect(stdout).toMatch(/The test fails if the transaction of account #0 with nonce 0 .*: no rec/)
})
