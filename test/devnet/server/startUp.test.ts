import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Answers one request over HTTP in a fresh process, and prints the packages that were loaded for it. */
const SCRIPT = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name !== undefined) packages.add(name)
      return next(url, context)
    },
  })
  const { createDispatch } = await import('./devnet/rpc/dispatch.ts')
  const { createServer } = await import('./devnet/server/server.ts')
  const dispatch = createDispatch({
    context: {},
    methods: { eth_chainId: async () => ({ default: { handle: () => '0x7a69' } }) },
    maxBatch: 1,
  })
  const server = createServer({ hostname: '127.0.0.1', port: 0, dispatch })
  const { url } = await server.start()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  })
  console.log(JSON.stringify({ packages: [...packages], answer: await response.json() }))
  await server.stop()
`

test('behavior: the first answer loads no package, and the process ends after the stop', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', SCRIPT])
  expect(JSON.parse(stdout)).toEqual({
    packages: [],
    answer: { jsonrpc: '2.0', id: 1, result: '0x7a69' },
  })
})
