import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startHardhat } from '../hardhatProcess.ts'
import { createProject, type TemporaryProject } from '../temporaryProject.ts'
import type { Holdings } from './leaks.child.ts'

const run = promisify(execFile)
const child = fileURLToPath(new URL('./leaks.child.ts', import.meta.url))
/** ms after which a process that should have ended is killed, and the test fails. */
const timeout = 25_000

let project: TemporaryProject

beforeAll(() => {
  project = createProject()
})
afterAll(() => project[Symbol.dispose]())

/** Runs a script in the project, without this package's test runner. */
async function node(name: string, source: string, ...flags: string[]) {
  writeFileSync(join(project.path, name), source)
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: 'production' }
  delete env.NODE_TEST_CONTEXT
  return await run(process.execPath, [...flags, name], { cwd: project.path, timeout, env })
}

test('100 connections opened and closed leave nothing behind', async () => {
  const { stdout } = await run(process.execPath, ['--expose-gc', child, '100'], { timeout })
  const { before, after }: { before: Holdings; after: Holdings } = JSON.parse(stdout)
  expect(after.resources).toEqual(before.resources)
  expect(after.memory - before.memory).toBeLessThan(20)
})

describe('the process ends without close()', () => {
  const script = (transport: string, work: string) => `
    import { network } from 'hardhat'
    const override = { pendingNode: { transport: '${transport}', tickInterval: 20, sealInterval: 50 } }
    const connection = await network.create({ network: 'pending', override })
    const { provider, pendingNode } = connection
    ${work}`

  test.each(['in-process', 'http'])('%s', async (transport) => {
    const { stdout } = await node(
      'open.ts',
      script(
        transport,
        `await network.getOrCreate('pending')
        const [from] = await provider.request({ method: 'eth_accounts' })
        const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
        // The process waits for what is asked, though the node itself does not hold it.
        await pendingNode.sealed(hash)
        console.log('sealed')`,
      ),
    )
    expect(stdout).toBe('sealed\n')
  })

  test('an answer that waits for a tick holds the process', async () => {
    const { stdout } = await node(
      'wait.ts',
      script(
        'in-process',
        `const [from] = await provider.request({ method: 'eth_accounts' })
        const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
        const { blockNumber } = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
        const status = await pendingNode.advance({ blocks: 50 })
        console.log(blockNumber !== undefined, status.latest.number >= 50)`,
      ),
    )
    expect(stdout).toBe('true true\n')
  })
})

test('tests of node:test', async () => {
  const { stdout } = await node(
    'counter.test.ts',
    `import { test } from 'node:test'
    import assert from 'node:assert/strict'
    import { network } from 'hardhat'
    const { provider, pendingNode } = await network.create('pending')
    test('pre-confirmed, then sealed', async () => {
      const [from] = await provider.request({ method: 'eth_accounts' })
      await pendingNode.withFrozenSealing(async () => {
        const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
        const { blockHash } = await pendingNode.preconfirmed(hash)
        assert.match(blockHash, /^0x0+$/)
        await pendingNode.seal()
        assert.doesNotMatch((await pendingNode.sealed(hash)).blockHash, /^0x0+$/)
      })
    })`,
    '--test',
  )
  expect(stdout).toMatch(/pass 1/)
})

test('args: --network pending', async () => {
  writeFileSync(
    join(project.path, 'script.ts'),
    `import { network } from 'hardhat'
    const { networkName, pendingNode } = await network.create()
    console.log(networkName, (await pendingNode.status()).latest.number)`,
  )
  await using hardhat = startHardhat(['run', '--no-compile', 'script.ts', '--network', 'pending'], {
    cwd: project.path,
  })
  const { code, stdout, stderr } = await hardhat.ended
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'pending 0\n', stderr: '' })
})
