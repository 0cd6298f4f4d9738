import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Server } from 'prool'
import { createPublicClient, http } from 'viem'
import { describe, expect, test } from 'vitest'
import { pendingNode } from '../../examples/prool.ts'

/** Runs an example with node, and returns what it prints. */
async function output(example: string): Promise<string> {
  const file = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url))
  // The proxy in prool uses a deprecated function of Node.js.
  const args = ['--no-deprecation', file]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  expect(stderr).toBe('')
  return stdout
}

test('behavior: simulate-then-send.ts runs', async () => {
  expect(await output('simulate-then-send.ts')).toMatchInlineSnapshot(`
    "simulated: success, 21000 gas, 1 transfer
    sent:      success, 21000 gas, in block 1
    sealed:    block 1
    "
  `)
})

describe('prool.ts', () => {
  test('behavior: as a program, it shows two chains', async () => {
    expect(await output('prool.ts')).toBe('/1 is at block 3\n/2 is at block 0\n')
  })

  const client = (url: string) => createPublicClient({ transport: http(url) })

  test('behavior: starts, stops, and starts again', async () => {
    const instance = pendingNode({ port: 0, frozenTicks: true })
    for (let round = 0; round < 2; round++) {
      await instance.start()
      expect(instance.status).toBe('started')
      expect(await client(instance.url).getChainId()).toBe(31337)
      await instance.stop()
      expect(instance.status).toBe('stopped')
      await expect(fetch(instance.url)).rejects.toThrow('fetch failed')
    }
  })

  test('behavior: a wrong option rejects the start', async () => {
    const instance = pendingNode({ port: 0, tickInterval: -1 })
    await expect(instance.start()).rejects.toThrow('tickInterval must be an integer from 0')
    expect(instance.status).toBe('idle')
  })

  test('behavior: a server gives each path a chain of its own', async () => {
    const server = Server.create({
      instance: pendingNode({ frozenTicks: true }),
      host: '127.0.0.1',
      port: 0,
    })
    const stop = await server.start()
    try {
      const { port = 0 } = server.address() ?? {}
      const url = (worker: number) => `http://127.0.0.1:${port}/${worker}`
      const seal = await fetch(url(1), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'preconf_seal' }),
      })
      expect(await seal.json()).toMatchObject({ result: { latest: { number: 1 } } })
      expect(await client(url(1)).getBlockNumber()).toBe(1n)
      expect(await client(url(2)).getBlockNumber()).toBe(0n)
    } finally {
      await stop()
    }
  })
})
