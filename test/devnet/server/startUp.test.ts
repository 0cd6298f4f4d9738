import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Collects the packages that a script loads in `packages`. */
const WATCH_PACKAGES = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
      if (name !== undefined) packages.add(name)
      return next(url, context)
    },
  })
`

/** Answers one HTTP request in a fresh process, and prints the packages that it loads for it. */
const SCRIPT = `
  ${WATCH_PACKAGES}
  const { createDispatch } = await import('./devnet/rpc/dispatch.ts')
  const { startServer } = await import('./devnet/server/server.ts')
  const dispatch = createDispatch({
    context: { options: {}, chain: {}, clocks: {}, fork: {}, profile: { aware: 'all' } },
    methods: { eth_chainId: async () => ({ default: { handle: () => '0x7a69' } }) },
    maxBatch: 1,
  })
  const server = await startServer({ hostname: '127.0.0.1', port: 0, dispatch })
  const { url } = server.address
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  })
  console.log(JSON.stringify({ packages: [...packages], answer: await response.json() }))
  await server.stop()
`

test('the first answer loads no package, and the process ends after the stop', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', SCRIPT])
  expect(JSON.parse(stdout)).toEqual({
    packages: [],
    answer: { jsonrpc: '2.0', id: 1, result: '0x7a69' },
  })
})

/** Starts a node in a fresh process, asks it once, and prints the packages that were loaded by then. */
const NODE_SCRIPT = `
  ${WATCH_PACKAGES}
  const { createDevnet } = await import('./devnet/index.ts')
  const devnet = createDevnet({ port: 0 })
  await devnet.start()
  const number = await devnet.provider.request({ method: 'eth_blockNumber' })
  console.log(JSON.stringify({ packages: [...packages], number }))
  await devnet.stop()
`

/**
 * Sends a transaction in a fresh process, and prints the packages that were loaded by its receipt and
 * its trace.
 */
const SEND_SCRIPT = `
  ${WATCH_PACKAGES}
  const { createDevnet } = await import('./devnet/index.ts')
  const devnet = createDevnet({ port: 0, instant: true, coverage: true })
  await devnet.start()
  const request = (method, ...params) => devnet.provider.request({ method, params })
  const [from, to] = await request('eth_accounts')
  const hash = await request('eth_sendTransaction', { from, to, value: '0x1' })
  const { status } = await request('eth_getTransactionReceipt', hash)
  const { type } = await request('debug_traceTransaction', hash, { tracer: 'callTracer' })
  // Calls the precompiles 1 to 4, and counts those that succeed.
  const call = (number) => '60205f60805f5f600' + number + '612710f101'
  const code = '0x5f' + [1, 2, 3, 4].map(call).join('') + '5f5260205ff3'
  const overrides = { [to]: { code } }
  const precompiles = Number(await request('eth_call', { from, to }, 'latest', overrides))
  console.log(JSON.stringify({ packages: [...packages], status, type, precompiles }))
  await devnet.stop()
`

test('a first transaction is executed and traced, and precompiles 1 to 4 are called, without the EVM library', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', SEND_SCRIPT])
  const { packages, ...answers }: { packages: string[] } = JSON.parse(stdout)
  expect(answers).toEqual({ status: '0x1', type: 'CALL', precompiles: 4 })
  const library = ['@ethereumjs/evm', '@ethereumjs/vm', '@ethereumjs/tx', '@ethereumjs/block']
  expect(packages.filter((name) => library.includes(name))).toEqual([])
})

test('a node answers before it loads the EVM or express', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', NODE_SCRIPT])
  const { packages, number }: { packages: string[]; number: string } = JSON.parse(stdout)
  expect(number).toBe('0x0')
  const heavy = ['@ethereumjs/evm', '@ethereumjs/vm', '@ethereumjs/tx', 'express']
  expect(packages.filter((name) => heavy.includes(name))).toEqual([])
})

test('a node answers in its process before Node has loaded the client of fetch', async () => {
  const script = `
    const { createDevnet } = await import('./devnet/index.ts')
    const devnet = createDevnet({ port: 0 })
    await devnet.start()
    await devnet.provider.request({ method: 'eth_blockNumber' })
    console.log(process.moduleLoadList.filter((name) => name.includes('undici')).length)
    await devnet.stop()
  `
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  expect(stdout).toBe('0\n')
})
