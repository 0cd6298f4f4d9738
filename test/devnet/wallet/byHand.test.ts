import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ALICE, BOB, chainOf, DAPP, openSocket, startWallet } from './support.ts'

const OWN = '0x7a69'
const OTHER = '0x539'

test('default: switchChain makes a known chain active, tells pages, and withdraws what was bound', async () => {
  const { wallet, ask } = await startWallet({ probe: false })
  await ask('wallet_addEthereumChain', [chainOf(OTHER)])
  const page = await openSocket(wallet.url, DAPP)
  await page.ask('eth_requestAccounts')
  await wallet.policy({ default: 'hold' })
  const bound = page.ask('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1' }])
  await wallet.waitFor({ method: 'eth_sendTransaction' })

  await wallet.switchChain('0x0539')

  expect(await bound).toMatchObject({ error: { code: 4001 } })
  expect(await page.ask('eth_chainId')).toEqual({ result: OTHER })
  expect(page.events.at(-1)).toEqual({ name: 'chainChanged', data: OTHER })
  expect((await wallet.state()).activeChain).toBe(OTHER)
  const [withdrawn] = await wallet.history({ method: 'eth_sendTransaction' })
  expect(withdrawn).toMatchObject({ decision: 'withdrawn', decidedBy: 'control' })
})

test('error: switchChain to an unknown chain lists the known ones, and nothing changes', async () => {
  const { wallet } = await startWallet()
  await expect(wallet.switchChain('0x1')).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('the wallet does not know chain 0x1: want one of 0x7a69'),
  })
  expect((await wallet.state()).activeChain).toBe(OWN)
})

test('accounts have their checksum, the number that the node prints, and their balance', async () => {
  const { devnet, wallet } = await startWallet({}, { accounts: 3 })
  const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
  await devnet.provider.request({ method: 'hardhat_setBalance', params: [BOB, '0x5'] })
  await wallet.switchAccount(stranger)
  expect((await wallet.accounts()).slice(0, 3)).toEqual([
    { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', number: null, balance: '0x0' },
    {
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      number: 0,
      balance: '0x21e19e0c9bab2400000',
    },
    { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', number: 1, balance: '0x5' },
  ])
})

test('an RPC that does not answer costs the accounts their balance, and at most a second', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as AddressInfo
  const rpcUrls = [`http://127.0.0.1:${port}`]
  const knownChains = [{ chainId: OTHER, symbol: 'TEST', rpcUrls }] as const
  const { wallet } = await startWallet({ knownChains }, { accounts: 2 })
  expect((await wallet.accounts()).map(({ balance }) => balance)).toEqual([null, null])
})

test('no balance is asked of an RPC on another machine', async () => {
  const knownChains = [{ chainId: OTHER, symbol: 'TEST', rpcUrls: ['https://rpc.test'] }] as const
  const { wallet } = await startWallet({ knownChains }, { accounts: 1 })
  expect((await wallet.accounts()).map(({ balance }) => balance)).toEqual([null])
})
