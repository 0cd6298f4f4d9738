import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Starts a node in a fresh process, asks node and dashboard, and prints which of its files each loads. */
const SCRIPT = `
  import { registerHooks } from 'node:module'
  const files = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /devnet\\/dashboard\\/(.*)/.exec(url)?.[1]
      if (name !== undefined) files.add(name)
      return next(url, context)
    },
  })
  const { createDevnet } = await import('./devnet/index.ts')
  const devnet = createDevnet({ port: 0 })
  await devnet.start()
  const ask = async (path, method, token) => {
    const response = await fetch(devnet.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + token },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
    })
    return (await response.json()).result
  }
  await ask('/', 'eth_chainId', '')
  const token = new URL(devnet.dashboard.pageUrl).hash.replace('#token=', '')
  const atStart = [...files].sort()
  const { chainId } = await ask('/dashboard/api', 'state', token)
  console.log(JSON.stringify({ atStart, later: files.size, chainId }))
  await devnet.stop()
`

test('the dashboard is loaded on first use, and the process ends after the stop', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', SCRIPT])
  const { atStart, later, chainId } = JSON.parse(stdout)
  expect(atStart).toEqual([
    'handle.ts',
    'logLines.ts',
    'logRing.ts',
    'newestLines.ts',
    'recorder.ts',
    'seenTicks.ts',
  ])
  expect(later).toBeGreaterThan(10)
  expect(chainId).toBe(31_337)
})
