import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

/** Runs a script against a devnet that has started; `node` answers what it printed, or is ended after 10 s. */
async function withDevnet(prepare: string, work: string): Promise<string> {
  const script = `
    import { createDevnet } from './devnet/index.ts'
    const devnet = createDevnet({ port: 0, tickInterval: 20, sealInterval: 50 })
    ${prepare}
    await devnet.start()
    ${work}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: new URL('../..', import.meta.url),
    timeout: 10_000,
  })
  return stdout
}

test('unref: the process ends while the node runs', async () => {
  const work = `
    const post = () => fetch(devnet.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    })
    console.log((await (await post()).json()).result)
    console.log((await devnet.clock.advance({ blocks: 3 })).latest.number >= 3)`
  expect(await withDevnet('devnet.unref()', work)).toBe('0x7a69\ntrue\n')
})

test('default: the node keeps its process', async () => {
  const work = `
    const timer = setTimeout(() => console.log('kept'), 300)
    timer.unref()
    setTimeout(() => devnet.stop(), 600).unref()`
  expect(await withDevnet('', work)).toBe('kept\n')
  expect(await withDevnet('devnet.unref()', work)).toBe('')
})
