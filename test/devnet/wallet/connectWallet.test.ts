import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectWallet } from '../../../devnet/wallet/index.ts'
import { ALICE, askAt, BOB, DAPP, startWallet } from './support.ts'

test('default: the same as devnet.wallet', async () => {
  const { wallet, ask } = await startWallet({ policy: 'hold' })
  const { url, token } = wallet
  const person = connectWallet({ url, token })
  expect([person.url, person.token, person.pageUrl]).toEqual([url, token, wallet.pageUrl])
  expect(await person.state()).toEqual(await wallet.state())

  const rejected = ask('eth_requestAccounts', [], DAPP)
  const { id } = await person.waitFor({ method: 'eth_requestAccounts' })
  expect(await person.pending()).toMatchObject([{ id, origin: DAPP }])
  await person.reject(id, { code: 4100, message: 'No', data: { why: 'test' } })
  expect(await rejected).toEqual({ error: { code: 4100, message: 'No', data: { why: 'test' } } })

  const approved = ask('eth_requestAccounts', [], DAPP)
  await person.approve((await person.waitFor()).id, { account: BOB })
  expect(await approved).toEqual({ result: [BOB] })
  expect(await person.waitFor({ state: 'decided' })).toMatchObject({ decidedBy: 'control' })
  expect(await person.policy({ add: { decision: 'reject', times: 2 } })).toEqual({
    default: 'hold',
    rules: [{ decision: 'reject', times: 2 }],
  })
  await person.switchAccount(ALICE)
  expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [ALICE] })
  await person.disconnect({ origin: DAPP })
  expect(await ask('eth_accounts', [], DAPP)).toEqual({ result: [] })
  expect(await person.history()).toEqual(await wallet.history())
  await person.reset()
  expect(await person.history()).toEqual([])
  expect(await person.providerScript()).toBe(await wallet.providerScript())
})

test('args: session, by name and by address', async () => {
  const { wallet } = await startWallet()
  const { token } = wallet
  const named = connectWallet({ url: wallet.url, token }).session('a')
  await named.policy({ default: 'reject' })
  expect(await askAt(named.url, 'eth_requestAccounts')).toMatchObject({ error: { code: 4001 } })
  const found = connectWallet({ url: named.url, token })
  expect([found.url, await found.policy()]).toEqual([named.url, { default: 'reject', rules: [] }])
  expect((await wallet.policy()).default).toBe('approve')
})

test('args: address of the node, token of the environment', async () => {
  vi.stubEnv('PENDING_NODE_WALLET_TOKEN', 'a-token-for-this-test')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { devnet, wallet } = await startWallet()
  expect(connectWallet({ url: devnet.url }).pageUrl).toBe(wallet.pageUrl)
  expect(await connectWallet({ url: devnet.url }).pending()).toEqual([])
})

test('error: what the wallet says, what is no wallet, and nobody there', async () => {
  vi.stubEnv('PENDING_NODE_WALLET_TOKEN', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { wallet, devnet } = await startWallet()
  const { url, token } = wallet
  expect(() => connectWallet({ url })).toThrow('PENDING_NODE_WALLET_TOKEN')
  expect(() => connectWallet({ url: 'localhost:8545', token })).toThrow('address of the wallet')
  const person = connectWallet({ url, token })
  await expect(person.approve('7')).rejects.toMatchObject({ code: -32602 })
  await expect(person.waitFor({ timeout: 1 })).rejects.toMatchObject({ code: -32000 })
  await expect(connectWallet({ url, token: 'wrong' }).state()).rejects.toThrow(
    'refuses control_state',
  )
  await devnet.stop()
  await expect(person.state()).rejects.toThrow('cannot be reached')

  let redirected = 0
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') redirected++
    response.writeHead(307, { Location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  // It listens at a port, so that this is no path.
  const { port } = server.address() as AddressInfo
  await expect(connectWallet({ url: `http://127.0.0.1:${port}`, token }).state()).rejects.toThrow()
  expect(redirected).toBe(0)
})
