import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { describeInBrowser } from './browser/chromium.ts'

describeInBrowser('example', () => {
  test('the user rejects the network', async () => {
    const path = '../../examples/wallet/user-rejects-network.test.ts'
    const file = fileURLToPath(new URL(path, import.meta.url))
    // It is a test run of its own, and no part of whichever runs this one.
    const { NODE_TEST_CONTEXT, ...env } = process.env
    const args = ['--test', '--test-reporter=tap', file]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    expect(stdout).toMatch(/^# pass 1$/m)
    expect(stdout).toMatch(/^# fail 0$/m)
  })
})
