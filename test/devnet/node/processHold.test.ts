import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

/**
 * Runs a program with a devnet that has started. `options` are more options of the devnet; a process that does not end
 * is killed after 20 s, which gives it no exit code.
 */
function runProgram(work: string, options = ''): Promise<{ code: unknown; stdout: string }> {
  const program = `
    import { createDevnet } from './devnet/index.ts'
    const devnet = createDevnet({ port: 0, tickInterval: 20, sealInterval: 50, ${options} })
    await devnet.start()
    ${work}`
  const env: NodeJS.ProcessEnv = { ...process.env }
  delete env.NODE_TEST_CONTEXT
  const settings = { cwd: new URL('../../..', import.meta.url), timeout: 20_000, env }
  return new Promise((resolve) => {
    const args = ['--input-type=module', '--eval', program]
    execFile(process.execPath, args, settings, (error, stdout) => {
      resolve({ code: error === null ? 0 : error.code, stdout })
    })
  })
}

test('default: the process ends while the node runs', async () => {
  const { code, stdout } = await runProgram('console.log(devnet.url)')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
})

test('a failed assertion ends the run, though the devnet is not stopped', async () => {
  const { code, stdout } = await runProgram(`
    const { test } = await import('node:test')
    const { assertSealed } = await import('./plugin/assertions/index.ts')
    test('not sealed', async () => {
      await devnet.clock.freeze()
      const [from] = await devnet.provider.request({ method: 'eth_accounts' })
      const params = [{ from, to: from }]
      const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params })
      await assertSealed(hash, devnet)
      await devnet.stop()
    })`)
  expect(code).toBe(1)
  expect(stdout).toMatch(/to be sealed/)
})

test('clients in the same process get their answers', async () => {
  const { code, stdout } = await runProgram(`
    const response = await fetch(devnet.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    })
    console.log((await response.json()).result)`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0x7a69\n' })
})

test('requests and commands that wait keep the process alive', async () => {
  const { code, stdout } = await runProgram(`
    const [from] = await devnet.provider.request({ method: 'eth_accounts' })
    const params = [{ from, to: from }]
    const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params })
    // Its answer waits for a tick of the wall clock.
    const receipt = await devnet.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const { latest } = await devnet.clock.advance({ blocks: 3 })
    const waited = await devnet.wallet.waitFor({ timeout: 20 }).catch(() => 'nobody came')
    console.log(receipt.status, latest.number >= 3, waited)
    await devnet.stop()
    console.log('stopped')`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0x1 true nobody came\nstopped\n' })
})

test('keepAlive: the process goes on until stop()', async () => {
  // This timer runs only if something else keeps the process alive.
  const stopLater = `
    setTimeout(async () => {
      await devnet.stop()
      console.log('stopped')
    }, 100).unref()`
  expect(await runProgram(stopLater, 'keepAlive: true')).toEqual({ code: 0, stdout: 'stopped\n' })
  expect(await runProgram(stopLater)).toEqual({ code: 0, stdout: '' })
})

test('keepAlive: a failed start does not keep the process alive', async () => {
  const { code, stdout } = await runProgram(`
    const port = Number(new URL(devnet.url).port)
    await createDevnet({ port, keepAlive: true }).start().catch(({ name }) => console.log(name))`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ListenError\n' })
})
