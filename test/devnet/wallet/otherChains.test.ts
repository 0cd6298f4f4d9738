import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askAt, BOB, chainOf, DAPP, openSocket, startWallet, type TestWallet } from './support.ts'

const EVIL = 'http://localhost:6666'

/** Another chain's RPC on this machine. @param answers - by method; what it does not have is 0x1 */
async function startRpc(
  chainId: string,
  answers: Readonly<Record<string, () => unknown>> = {},
): Promise<{ url: string; heard: { method: string; params: unknown[] }[] }> {
  const heard: { method: string; params: unknown[] }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const question: { method: string; params: unknown[] } = JSON.parse(body)
    heard.push(question)
    const own = question.method === 'eth_chainId' ? chainId : '0x1'
    const result = await (answers[question.method]?.() ?? own)
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens at a port, so that this is no path.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

const HASH = `0x${'11'.repeat(32)}`

async function addAndUse({ ask }: TestWallet, chainId: `0x${string}`, rpcUrls: string[]) {
  expect(await ask('wallet_addEthereumChain', [chainOf(chainId, { rpcUrls })], DAPP)).toEqual({
    result: null,
  })
  expect(await ask('wallet_switchEthereumChain', [{ chainId }], DAPP)).toEqual({ result: null })
}

describe('RPC of another chain', () => {
  test('a page cannot replace the RPC of the active chain', async () => {
    const wallet = await startWallet()
    const [good, evil] = [await startRpc('0x53a'), await startRpc('0x53a')]
    await addAndUse(wallet, '0x53a', [good.url])
    await wallet.wallet.policy({ default: 'reject' })
    const again = [chainOf('0x53a', { rpcUrls: [evil.url], chainName: 'Evil' })]
    expect(await wallet.ask('wallet_addEthereumChain', again, EVIL)).toEqual({ result: null })
    const { chains } = await wallet.wallet.state()
    expect(chains.find(({ chainId }) => chainId === '0x53a')).toMatchObject({
      chainName: 'Test Chain',
      rpcUrls: [good.url],
    })
  })

  test('a chain that is active without an RPC gets one, if the person agrees', async () => {
    const { ask, wallet } = await startWallet({
      policy: 'reject',
      knownChains: [{ chainId: '0x53a', symbol: 'TEST' }],
    })
    const { url } = await startRpc('0x53a', { eth_blockNumber: () => '0xb' })
    const chain = [chainOf('0x53a', { rpcUrls: [url] })]
    expect(await ask('wallet_addEthereumChain', chain)).toMatchObject({ error: { code: 4001 } })
    expect(await ask('eth_blockNumber')).toMatchObject({ error: { code: 4901 } })
    await wallet.policy({ default: 'approve' })
    expect(await ask('wallet_addEthereumChain', chain)).toEqual({ result: null })
    expect(await ask('eth_blockNumber')).toEqual({ result: '0xb' })
  })

  test('reads go to a URL that answered, not to one that a page put in front', async () => {
    const wallet = await startWallet()
    const good = await startRpc('0x53a', { eth_blockNumber: () => '0xb' })
    await addAndUse(wallet, '0x53a', ['http://127.0.0.1:1', good.url])
    expect(await wallet.ask('eth_blockNumber')).toEqual({ result: '0xb' })
  })

  test('what was approved for one chain is not sent to another', async () => {
    const wallet = await startWallet({ autoConnect: true })
    const gate = Promise.withResolvers<string>()
    const first = await startRpc('0x53a', {
      eth_gasPrice: () => gate.promise,
      eth_sendRawTransaction: () => HASH,
    })
    const second = await startRpc('0x53b', { eth_sendRawTransaction: () => HASH })
    await addAndUse(wallet, '0x53b', [second.url])
    await addAndUse(wallet, '0x53a', [first.url])
    const sent = [1, 2].map(() => wallet.ask('eth_sendTransaction', [{ to: BOB }], DAPP))
    await expect.poll(() => first.heard.some((one) => one.method === 'eth_gasPrice')).toBe(true)
    await wallet.ask('wallet_switchEthereumChain', [{ chainId: '0x53b' }], DAPP)
    gate.resolve('0x1')
    expect(await Promise.all(sent)).toEqual([{ result: HASH }, { result: HASH }])
    const raw = ({ method }: { method: string }) => method === 'eth_sendRawTransaction'
    expect([first.heard.filter(raw).length, second.heard.filter(raw).length]).toEqual([2, 0])
  })

  test('an RPC that changes its chain id changes no signature', async () => {
    let id = '0x53a'
    const wallet = await startWallet({ autoConnect: true })
    const rpc = await startRpc('0x53a', {
      eth_chainId: () => id,
      eth_sendRawTransaction: () => HASH,
    })
    await addAndUse(wallet, '0x53a', [rpc.url])
    id = '0x1'
    await wallet.ask('eth_sendTransaction', [{ to: BOB }], DAPP)
    const [raw] = rpc.heard.find(({ method }) => method === 'eth_sendRawTransaction')?.params ?? []
    // v of EIP-155: 2 × 1338 + 35, or one more.
    expect(raw).toMatch(/820a9[78]a0/)
  })

  test('receipts that are none break nothing', async () => {
    const wallet = await startWallet({ autoConnect: true })
    const receipt = { status: '0x1', logs: [null, 1, { address: BOB, more: 1 }] }
    const { url } = await startRpc('0x53a', {
      eth_sendRawTransaction: () => HASH,
      eth_getTransactionReceipt: () => receipt,
    })
    await addAndUse(wallet, '0x53a', [url])
    const calls = {
      version: '2.0.0',
      chainId: '0x53a',
      atomicRequired: false,
      id: 'a',
      calls: [{ to: BOB }],
    }
    expect(await wallet.ask('wallet_sendCalls', [calls], DAPP)).toEqual({ result: { id: 'a' } })
    expect(await wallet.ask('wallet_getCallsStatus', ['a'], DAPP)).toMatchObject({
      result: { status: 200, receipts: [{ status: '0x1', logs: [{}, {}, { address: BOB }] }] },
    })
  })

  test('reads on a slow chain hold few connections, and none for clients that hung up', async () => {
    const wallet = await startWallet({ probe: false })
    let open = 0
    let most = 0
    const slow = createServer((request, response) => {
      most = Math.max(most, ++open)
      response.on('close', () => open--)
      request.resume()
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void slow.close())
    // It listens at a port, so that this is no path.
    const { port } = slow.address() as AddressInfo
    await addAndUse(wallet, '0x53a', [`http://127.0.0.1:${port}`])
    const socket = await openSocket(wallet.wallet.url, DAPP)
    for (let index = 0; index < 300; index++) void socket.ask('eth_blockNumber')
    await expect.poll(() => open).toBe(64)
    // Another session is not behind them.
    expect(await askAt(wallet.wallet.session('b').url, 'eth_blockNumber')).toEqual({
      result: '0x0',
    })
    socket.close()
    await expect.poll(() => open).toBe(0)
    expect(most).toBe(64)
  })
})
