import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TestProject } from 'vitest/node'
import { createGlobalSetup, type GlobalSetupOptions } from '../../../plugin/vitest/global-setup.ts'

beforeEach(() => {
  vi.stubEnv('PENDING_NODE', undefined)
  vi.stubEnv('PENDING_NODE_URL', undefined)
})
afterEach(() => vi.unstubAllEnvs())

/** What the set-up does to a project of vitest that has no contracts. */
async function setUp(options: GlobalSetupOptions, context: object = {}) {
  const provided: Record<string, unknown> = { ...context }
  const reruns: (() => Promise<void>)[] = []
  const project = {
    config: { root: import.meta.dirname, env: {} },
    getProvidedContext: () => provided,
    provide: (key: string, value: unknown) => {
      provided[key] = value
    },
    onTestsRerun: (listener: () => Promise<void>) => reruns.push(listener),
  }
  // As far as the set-up uses a project.
  const tearDown = await createGlobalSetup({ compile: false, ...options })(
    project as unknown as TestProject,
  )
  const rerun = async () => {
    for (const listener of reruns) await listener()
  }
  return { provided, rerun, tearDown }
}

async function ask(url: unknown, method: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(String(url), { method: 'POST', headers, body })
  // A node answers requests with such objects.
  return ((await response.json()) as { result: unknown }).result
}

test('default', async () => {
  const { provided, tearDown } = await setUp({})
  expect(provided.pendingNodeUrl).toBe(undefined)
  expect(process.env.PENDING_NODE_URL).toBe(undefined)
  await tearDown()
})

test('args: node', async () => {
  const { provided, tearDown } = await setUp({ node: { frozenTicks: true } })
  const url = provided.pendingNodeUrl
  expect(process.env.PENDING_NODE_URL).toBe(url)
  expect(await ask(url, 'preconf_status')).toMatchObject({ ticks: { running: false } })
  await tearDown()
  expect(process.env.PENDING_NODE_URL).toBe(undefined)
  await expect(ask(url, 'eth_blockNumber')).rejects.toThrow('fetch failed')
})

test('args: node, and what else asks for one', async () => {
  vi.stubEnv('PENDING_NODE', '1')
  const none = await setUp({ node: false }, { pendingNode: true })
  expect(none.provided.pendingNodeUrl).toBe(undefined)
  const refused = await setUp({}, { pendingNode: false })
  expect(refused.provided.pendingNodeUrl).toBe(undefined)
  const one = await setUp({})
  expect(await ask(one.provided.pendingNodeUrl, 'eth_blockNumber')).toBe('0x0')
  await one.tearDown()
})

test('projects of a run share the node', async () => {
  const first = await setUp({ node: true })
  const second = await setUp({ node: true })
  expect(second.provided.pendingNodeUrl).toBe(first.provided.pendingNodeUrl)
  await second.tearDown()
  expect(await ask(first.provided.pendingNodeUrl, 'eth_blockNumber')).toBe('0x0')
  await first.tearDown()
})

test('the node goes back to its start when tests run again', async () => {
  const { provided, rerun, tearDown } = await setUp({ node: { frozen: true } })
  await ask(provided.pendingNodeUrl, 'evm_mine')
  expect(await ask(provided.pendingNodeUrl, 'eth_blockNumber')).toBe('0x1')
  await rerun()
  expect(await ask(provided.pendingNodeUrl, 'eth_blockNumber')).toBe('0x0')
  await tearDown()
})
