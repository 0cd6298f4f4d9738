// Indexes the events of a contract, those from before its start and one that comes later.
import { cpSync, symlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { artifact } from '../../support/solidity.ts'
import { startServer } from './server.ts'
import { key, other, url } from './support.ts'

const { abi, bytecode } = artifact('Token')
const chain = hardhat
const client = createPublicClient({ chain, transport: http(url), pollingInterval: 250 })
const wallet = createWalletClient({
  chain,
  transport: http(url),
  account: privateKeyToAccount(key),
})
const deployment = await wallet.deployContract({ abi, bytecode, args: [1_000n] })
const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
if (typeof contractAddress !== 'string') throw new Error('The receipt names no contract.')
const token: Hex = contractAddress

async function transfer(value: bigint) {
  const call = { address: token, abi, functionName: 'transfer', args: [other, value] } as const
  await client.waitForTransactionReceipt({ hash: await wallet.writeContract(call) })
}

await transfer(10n)
// Ponder writes beside its project, which is therefore a copy.
cpSync(fileURLToPath(new URL('../ponder/', import.meta.url)), 'ponder', { recursive: true })
symlinkSync(fileURLToPath(new URL('../node_modules/', import.meta.url)), 'ponder/node_modules')
await using ponder = await startServer({
  package: 'ponder/dist/esm/bin/ponder.js',
  args: (port) => [
    ...['dev', '--root', 'ponder', '--disable-ui', '--port', String(port)],
    ...['--hostname', '127.0.0.1'],
  ],
  ready: '/ready',
  env: { NODE_URL: url, TOKEN: token, PONDER_TELEMETRY_DISABLED: 'true' },
})

/** Time in ms within which an event is in the index. */
const INDEX_LIMIT = 20_000

async function untilIndexed(expected: string) {
  const limit = performance.now() + INDEX_LIMIT
  let answer = ''
  while (performance.now() < limit) {
    const response = await fetch(`${ponder.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ balance(owner: "${other.toLowerCase()}") { value } }` }),
    })
    answer = await response.text()
    if (answer.includes(`"value":"${expected}"`)) return
    await sleep(200)
  }
  throw new Error(`Not in the index: ${expected}. It has: ${answer}`)
}

await untilIndexed('10')
await transfer(20n)
await untilIndexed('30')
