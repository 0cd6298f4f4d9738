import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Server } from 'prool'
import { createPublicClient, http } from 'viem'
import { describe, expect, test } from 'vitest'
import { profileOf } from '../../devnet/options/profileTable.ts'
import { flashblocks } from '../../devnet/stream/raw/flashblock.ts'
import { TokenIndex } from '../../examples/indexer/indexer.ts'
import { pendingNode } from '../../examples/prool.ts'
import { createRpcChain } from '../devnet/rpc/methods/rpcChain.ts'

/** Runs an example with node, and returns what it prints. */
async function output(example: string, ...options: string[]): Promise<string> {
  const file = fileURLToPath(new URL(`../../examples/${example}`, import.meta.url))
  // The proxy in prool uses a deprecated function of Node.js.
  const args = ['--no-deprecation', ...options, file]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args)
  expect(stderr).toBe('')
  return stdout
}

test('simulate-then-send.ts runs', async () => {
  expect(await output('simulate-then-send.ts')).toMatchInlineSnapshot(`
    "simulated: success, 21000 gas, 1 transfer
    sent:      success, 21000 gas, in block 1
    sealed:    block 1
    "
  `)
})

describe('indexer', () => {
  test.each(['plain', 'op-subblocks', 'unichain', 'xlayer', 'base-flashblocks'] as const)(
    'it reads the stream of profile %s, or says why it cannot',
    async (profile) => {
      const { account, call, chain } = await createRpcChain({ profile })
      const token = `0x${'70'.repeat(20)}`
      const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
      // Logs a transfer of 5 from the zero address to the caller.
      const code = `0x60055f52335f7f${transfer.slice(2)}60205fa300`
      await call('hardhat_setCode', token, code)
      const index = new TokenIndex(token)
      const texts: string[] = []
      const stop = flashblocks(profileOf(profile))(chain).add(({ text }) => texts.push(text.text))
      await call('preconf_seal')
      await call('eth_sendTransaction', { from: account(0).address, to: token, gas: '0x186a0' })
      await call('preconf_advance', { ticks: 1 })
      stop()
      const read = () => texts.map((text) => index.add(JSON.parse(text)))
      if (profile === 'base-flashblocks') {
        expect(read).toThrow('The messages of this stream have no receipts, as on Base')
        return
      }
      read()
      expect(index.balances()).toEqual(
        new Map([[account(0).address, { sealed: 0n, preconfirmed: 5n }]]),
      )
    },
  )

  test('as a program, it shows balances before and after the seal, and a revert', async () => {
    expect(await output('indexer/indexer.ts')).toBe(
      `A block opens:
100 for alice:
  alice  pre-confirmed 100, sealed 0
Sealed:
  alice  pre-confirmed 100, sealed 100
30 from alice to bob:
  alice  pre-confirmed 70, sealed 100
  bob    pre-confirmed 30, sealed 0
Reverted:
  alice  pre-confirmed 100, sealed 100
`,
    )
  })

  test('after a gap, nothing of the block counts until the next one opens', () => {
    const token = `0x${'70'.repeat(20)}`
    const holder = `0x${'0a'.repeat(20)}`
    const topics = [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      `0x${'00'.repeat(32)}`,
      `0x${'00'.repeat(12)}${holder.slice(2)}`,
    ]
    const index = new TokenIndex(token)
    const add = (payload_id: string, at: number, block_number?: string) =>
      index.add({
        payload_id,
        index: at,
        ...(block_number === undefined ? {} : { base: { block_number } }),
        metadata: { receipts: { '0x1': { logs: [{ address: token, topics, data: '0x5' }] } } },
      })
    expect(add('0xa', 3)).toBe(false)
    expect([add('0xb', 0, '0x2'), add('0xb', 1), add('0xb', 3), add('0xb', 4)]).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(index.balances().size).toBe(0)
    expect([add('0xc', 0, '0x3'), add('0xd', 0, '0x3'), add('0xe', 0, '0x4')]).toEqual([
      true,
      true,
      true,
    ])
    // The second build of block 3, and block 4, which is pending.
    expect(index.balances()).toEqual(new Map([[holder, { sealed: 5n, preconfirmed: 10n }]]))
  })
})

describe('reorg-safe-app', () => {
  test('as a program, it shows a payment that is taken back twice', async () => {
    expect(await output('reorg-safe-app/payments.ts')).toBe(
      `Sent:
  waiting; bob has 0, 0 sealed
A tick:
  pre-confirmed, block 1; bob has 5, 0 sealed
Block 1 is sealed without it, so it is sent again:
  waiting; bob has 0, 0 sealed
A tick:
  pre-confirmed, block 2; bob has 5, 0 sealed
Block 2 is sealed:
  sealed, block 2, confirmations 1; bob has 5, 5 sealed
Blocks 2 and 3 are replaced:
  waiting; bob has 0, 0 sealed
Block 4 is sealed:
  sealed, block 4, confirmations 1; bob has 5, 5 sealed
Blocks 5 and 6 are sealed:
  final, block 4; bob has 5, 5 sealed
`,
    )
  })

  test('its tests pass', async () => {
    expect(await output('reorg-safe-app/payments.test.ts', '--test')).toMatch(/pass 6\n/)
  })

  test('it passes under every schedule of two faults', async () => {
    expect(await output('reorg-safe-app/explore.test.ts', '--test')).toMatch(/pass 1\n/)
  })
})

describe('prool.ts', () => {
  test('as a program, it shows two chains', async () => {
    expect(await output('prool.ts')).toBe('/1 is at block 3\n/2 is at block 0\n')
  })

  const client = (url: string) => createPublicClient({ transport: http(url) })

  test('starts, stops, and starts again', async () => {
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

  test('a wrong option rejects the start', async () => {
    const instance = pendingNode({ port: 0, tickInterval: -1 })
    await expect(instance.start()).rejects.toThrow('tickInterval must be an integer from 0')
    expect(instance.status).toBe('idle')
  })

  test('a server gives each path a chain of its own', async () => {
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
