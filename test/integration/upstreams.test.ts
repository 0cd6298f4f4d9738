import { once } from 'node:events'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { describe, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import { fromHex, type Hex, toHex } from '../../devnet/primitives/hex.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../devnet/state/keys.ts'
import { openUpstream } from '../../devnet/upstream/openUpstream.ts'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { UpstreamProxy } from '../support/upstreamProxy.ts'

interface Node extends AsyncDisposable {
  readonly url: string
}

async function ours(): Promise<Node> {
  const devnet = createDevnet({ port: 0, instant: true })
  await devnet.start()
  return { url: devnet.url, [Symbol.asyncDispose]: () => devnet.stop() }
}

async function hardhatNode(): Promise<Node> {
  const hre = await createHardhatRuntimeEnvironment({ networks: {} })
  const server = await hre.network.createServer('default', '127.0.0.1', 0)
  const { port } = await server.listen()
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.close() }
}

const program = anvilProgram()

async function anvil(): Promise<Node> {
  const { child, url } = await startAnvil(program ?? '')
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      await ended
    },
  }
}

async function ask<Result>(url: string, method: string, ...params: unknown[]): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  // Each caller knows what the method that it asks answers.
  const { result, error } = (await response.json()) as { result: Result; error?: object }
  expect(error).toBeUndefined()
  return result
}

/** Stores 0x2a in slot 1 and has the code 0x00. */
const CONTRACT = '0x602a60015560016000f3'

/** Deploys a contract and seals some blocks. */
async function prepare(url: string) {
  const [from] = await ask<Hex[]>(url, 'eth_accounts')
  const hash = await ask<Hex>(url, 'eth_sendTransaction', { from, data: CONTRACT, gas: '0x30000' })
  for (let block = 0; block < 5; block++) await ask(url, 'evm_mine')
  const receipt = await ask<{ contractAddress: Hex; transactionHash: Hex }>(
    url,
    'eth_getTransactionReceipt',
    hash,
  )
  if (from === undefined) throw new Error('the node has accounts')
  return { from, contract: receipt.contractAddress, receipt }
}

describe.each<[string, () => Promise<Node>]>([
  ['this node', ours],
  ['hardhat node', hardhatNode],
  ...(program === undefined ? [] : [['anvil', anvil] as [string, () => Promise<Node>]]),
])('%s as upstream', (_, start) => {
  test.each([
    ['with batches', 100],
    ['without batches', 1],
  ])('behavior: values, hashes and answers are its own, %s', async (_, batch) => {
    await using node = await start()
    const { from, contract, receipt } = await prepare(node.url)
    const proxy = await UpstreamProxy.start(node.url)
    const upstream = await openUpstream({ url: proxy.url, block: 'latest', cache: false, batch })
    try {
      if (batch > 1) {
        expect(proxy.requests).toHaveLength(2)
        expect(proxy.items()).toBeLessThanOrEqual(27)
      }
      const block = await ask<Record<string, Hex>>(
        node.url,
        'eth_getBlockByNumber',
        'latest',
        false,
      )
      expect(upstream.block.json).toEqual(block)
      expect(upstream.chainId).toBe(31337n)
      expect(upstream.hardfork).toMatch(/^(?:prague|osaka|bpo[12])$/)
      // What happens upstream from now on is not seen.
      const before = BigInt(await ask<Hex>(node.url, 'eth_getBalance', from, 'latest'))
      await ask(node.url, 'eth_sendTransaction', {
        from,
        to: contract,
        value: '0x1',
        gas: '0x30000',
      })
      await ask(node.url, 'evm_mine')
      const keys = [from, contract].map(addressKeyFromHex)
      const slots = [1n, 2n].map(
        (slot) => [addressKeyFromHex(contract), slotKeyFromBigInt(slot)] as const,
      )
      expect(await upstream.source.load({ accounts: keys, slots })).toEqual({
        accounts: [
          { balance: before, nonce: 1n, code: new Uint8Array() },
          { balance: 0n, nonce: 1n, code: fromHex('0x00') },
        ],
        slots: [fromHex('0x2a'), new Uint8Array()],
      })
      for (const number of [0n, 1n, upstream.block.number - 1n]) {
        const { hash } = await ask<{ hash: Hex }>(
          node.url,
          'eth_getBlockByNumber',
          `0x${number.toString(16)}`,
          false,
        )
        expect(toHex(await upstream.source.blockHash(number))).toBe(hash)
      }
      const passed = await upstream.request('eth_getTransactionReceipt', [receipt.transactionHash])
      expect(passed).toEqual(receipt)
    } finally {
      await upstream.close()
      await proxy.stop()
    }
  })
})
