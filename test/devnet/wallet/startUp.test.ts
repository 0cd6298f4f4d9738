import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Starts a node in a fresh process, asks node and wallet, and prints which files of the wallet each made it load. */
const SCRIPT = `
  import { registerHooks } from 'node:module'
  const files = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /devnet\\/wallet\\/(.*)/.exec(url)?.[1]
      if (name !== undefined) files.add(name)
      return next(url, context)
    },
  })
  const { createDevnet } = await import('./devnet/index.ts')
  const devnet = createDevnet({ port: 0 })
  await devnet.start()
  const ask = async (url) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    })
    return (await response.json()).result
  }
  const answers = [await ask(devnet.url)]
  devnet.wallet.pageUrl
  const atStart = [...files].sort()
  answers.push(await ask(devnet.wallet.url))
  console.log(JSON.stringify({ atStart, later: files.size, answers }))
  await devnet.stop()
`

test('the wallet is loaded on first use, and the process ends after the stop', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', SCRIPT])
  const { atStart, later, answers } = JSON.parse(stdout)
  expect(atStart).toEqual(['connectWallet.ts', 'core/walletHandle.ts'])
  expect(later).toBeGreaterThan(19)
  expect(answers).toEqual(['0x7a69', '0x7a69'])
})
