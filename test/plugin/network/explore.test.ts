import hardhatViem from '@nomicfoundation/hardhat-viem'
import { expect, test } from 'vitest'
import { ExploreError, explore } from '../../../plugin/explore.ts'
import plugin from '../../../plugin/index.ts'
import { connect, createHre } from './stage.ts'

const SHOP = `0x${'5'.repeat(40)}` as const

test('each run has a branch of a connection, with the clients that it has', async () => {
  const hre = await createHre({}, [plugin, hardhatViem])
  await using connection = await connect(hre)
  await connection.send({ to: SHOP, value: '0x5' })
  await connection.pendingNode.seal()
  const { latest } = await connection.pendingNode.status()
  const { viem, pendingNode } = connection
  const [sender] = await viem.getWalletClients()
  const summary = await explore(
    async (run) => {
      expect(run.connection).toBe(connection)
      const client = await viem.getPublicClient()
      expect((await pendingNode.status()).latest.hash).toBe(latest.hash)
      const heads: unknown[] = []
      connection.provider.on('message', (message: unknown) => heads.push(message))
      await connection.rpc('eth_subscribe', 'newHeads')
      const hash = await sender?.sendTransaction({ to: SHOP, value: 1n })
      if (hash === undefined) return
      await new Promise((resolve) => setTimeout(resolve, 12_000))
      const [balance, height] = [await client.getBalance({ address: SHOP }), heads.length]
      expect(height).toBeGreaterThan(4)
      expect([5n, 6n]).toContain(balance)
      expect(
        BigInt(
          String(
            await run.provider.request({ method: 'eth_getBalance', params: [SHOP, 'latest'] }),
          ),
        ),
      ).toBe(balance)
    },
    { from: connection, depth: 1 },
  )
  expect(summary).toMatchObject({ complete: true })
  expect(summary.tried).toBeGreaterThan(10)
  expect((await pendingNode.status()).latest.number).toBeLessThan(latest.number + 3)
  expect(await connection.rpc('eth_getBalance', SHOP, 'pending')).toBe('0x5')
  expect(connection.provider.listenerCount('message')).toBe(0)
})

test('a run of a connection that hangs leaves it as it was', async () => {
  await using connection = await connect(await createHre())
  const error = await explore(
    async ({ connection: { provider } }) => {
      const [from] = await connection.rpc<string[]>('eth_accounts')
      await provider.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: SHOP, value: '0x1' }],
      })
      await new Promise(() => undefined)
    },
    { from: connection },
  ).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ExploreError)
  expect(await connection.rpc('eth_getBalance', SHOP, 'pending')).toBe('0x0')
  await connection.send({ to: SHOP, value: '0x2' })
  expect(await connection.rpc('eth_getBalance', SHOP, 'pending')).toBe('0x2')
})

test('a connection whose node is elsewhere, or asked over HTTP, is refused', async () => {
  const hre = await createHre()
  await using http = await connect(hre, { transport: 'http' })
  await expect(explore(() => undefined, { from: http })).rejects.toThrow(
    'leave transport: "http" out',
  )
  await using simulated = await hre.network.create('default')
  await expect(explore(() => undefined, { from: simulated })).rejects.toThrow(
    'The node of network "default" is not in this process',
  )
})

test('searches through one connection at the same time, and one within a run, leave each other alone', async () => {
  await using connection = await connect(await createHre())
  const own = (await connection.pendingNode.status()).latest.hash
  const app = async () => {
    await connection.send({ to: SHOP, value: '0x1' })
    await connection.rpc('evm_mine')
    // Asked again after the other searches have begun and ended.
    for (let times = 0; times < 3; times++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect((await connection.pendingNode.status()).latest.hash).not.toBe(own)
    }
    await expect(explore(() => undefined, { from: connection })).rejects.toThrow(
      'explore within explore',
    )
    expect((await connection.pendingNode.status()).latest.hash).not.toBe(own)
  }
  const many = [5, 1, 3, 2].map((maxRuns) => explore(app, { from: connection, maxRuns }))
  expect((await Promise.all(many)).map(({ runs }) => runs)).toEqual([5, 1, 3, 2])
  expect((await connection.pendingNode.status()).latest.hash).toBe(own)
})
