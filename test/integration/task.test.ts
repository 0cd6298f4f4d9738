import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  decodeEventLog,
  getContractAddress,
  type Hex,
  http,
  parseEther,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { expect, test } from 'vitest'
import { runHardhat, startHardhat } from '../plugin/hardhatProcess.ts'
import { artifact } from '../support/solidity.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const token = artifact('Token')

async function start(...args: string[]) {
  const node = startHardhat(['pending-node', '--port', '0', '--json', ...args])
  const { url }: { url: string } = JSON.parse(await node.firstLine)
  const account = privateKeyToAccount(KEY)
  const chain = { ...hardhat, experimental_preconfirmationTime: 200 }
  const transport = http(url)
  return {
    node,
    url,
    account,
    client: createPublicClient({ chain, transport, pollingInterval: 50 }),
    wallet: createWalletClient({ chain, transport, account }),
    control: (...task: string[]) => runHardhat(['pending-node', ...task, '--url', url]),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

test('default: a contract is seen in pending before the seal, absent in latest, then sealed the same', async () => {
  await using node = await start('--frozen')
  const { client, wallet, account } = node
  const address = getContractAddress({ from: account.address, nonce: 0n })
  const recipient = privateKeyToAccount(`0x${'11'.repeat(32)}`).address

  const deployment = await wallet.deployContract({ ...token, args: [parseEther('1000')] })
  const deployed = await client.waitForTransactionReceipt({ hash: deployment })
  const transfer = await wallet.writeContract({
    address,
    abi: token.abi,
    functionName: 'transfer',
    args: [recipient, 5n],
  })
  // Waited for: until a tick has taken it, "pending" does not count it, and viem would use its nonce again.
  const receipt = await client.waitForTransactionReceipt({ hash: transfer })
  const payment = await wallet.sendTransaction({ to: recipient, value: 7n })
  await client.waitForTransactionReceipt({ hash: payment })

  const balanceOf = (blockTag: 'pending' | 'latest') =>
    client.readContract({
      address,
      abi: token.abi,
      functionName: 'balanceOf',
      args: [recipient],
      blockTag,
    })
  const seen = async (blockTag: 'pending' | 'latest') => ({
    code: await client.getCode({ address, blockTag }),
    nonce: await client.getTransactionCount({ address: account.address, blockTag }),
    balance: await client.getBalance({ address: recipient, blockTag }),
    logs: (await client.getLogs({ address, fromBlock: blockTag, toBlock: blockTag })).length,
  })
  expect(await seen('pending')).toEqual({
    code: token.deployedBytecode,
    nonce: 3,
    balance: 7n,
    logs: 2,
  })
  expect(await seen('latest')).toEqual({ code: undefined, nonce: 0, balance: 0n, logs: 0 })
  expect(await balanceOf('pending')).toBe(5n)
  await expect(balanceOf('latest')).rejects.toThrow('returned no data')
  expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)

  expect(deployed).toMatchObject({ status: 'success', contractAddress: address.toLowerCase() })
  expect(receipt).toMatchObject({
    status: 'success',
    blockNumber: 1n,
    blockHash: `0x${'00'.repeat(32)}`,
  })
  const [log] = receipt.logs
  if (log === undefined) throw new Error('No log')
  expect(decodeEventLog({ abi: token.abi, data: log.data, topics: log.topics })).toEqual({
    eventName: 'Transfer',
    args: { from: account.address, to: recipient, value: 5n },
  })

  const { code } = await node.control('seal')
  expect(code).toBe(0)
  const block = await client.getBlock({ blockTag: 'latest' })
  expect(block.number).toBe(1n)
  // Sealed the same but for the hash of the block.
  const sealed = await client.getTransactionReceipt({ hash: transfer })
  const withHash = (item: typeof receipt) => ({
    ...item,
    blockHash: block.hash,
    logs: item.logs.map((one) => ({ ...one, blockHash: block.hash })),
  })
  expect(sealed).toEqual(withHash(receipt))
  expect(await client.getTransactionReceipt({ hash: deployment })).toEqual(withHash(deployed))
  expect(await seen('latest')).toEqual({
    code: token.deployedBytecode,
    nonce: 3,
    balance: 7n,
    logs: 2,
  })
  expect(await balanceOf('latest')).toBe(5n)
  expect(await client.getTransactionCount({ address: account.address, blockTag: 'pending' })).toBe(
    3,
  )
})

test('both clocks running, nothing commanded: pre-confirmed, then sealed', async () => {
  await using node = await start('--tick-interval', '50', '--seal-interval', '500')
  const { client, wallet } = node
  const hash = await wallet.sendTransaction({ to: wallet.account.address, value: 1n })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  const confirmed = await client.waitForTransactionReceipt({ hash, confirmations: 2 })
  const sealed = await client.getTransactionReceipt({ hash })
  expect(sealed.blockNumber).toBe(receipt.blockNumber)
  expect(confirmed.transactionHash).toBe(hash)
  expect((await client.getBlock({ blockNumber: sealed.blockNumber })).transactions).toContain(hash)
})

test('newHeads over WebSocket are the sealed blocks, each once and in order', async () => {
  await using node = await start('--frozen-ticks')
  const socket = createPublicClient({
    chain: hardhat,
    transport: webSocket(node.url.replace('http', 'ws')),
  })
  const hashes: Hex[] = []
  const arrived = Promise.withResolvers<void>()
  const unwatch = await socket.transport.subscribe({
    params: ['newHeads'],
    onData: (head) => {
      hashes.push(head.result.hash)
      if (hashes.length === 3) arrived.resolve()
    },
    onError: arrived.reject,
  })
  await node.wallet.sendTransaction({ to: node.account.address, value: 1n })
  await node.control('advance', '--blocks', '3')
  await arrived.promise
  await unwatch.unsubscribe()
  const blocks = await Promise.all(
    [1n, 2n, 3n].map((blockNumber) => node.client.getBlock({ blockNumber })),
  )
  expect(hashes).toEqual(blocks.map(({ hash }) => hash))
  const rpc = await socket.transport.getRpcClient()
  rpc.close()
})

test("viem's test client, snapshots and time", async () => {
  await using node = await start('--frozen-ticks')
  const test = createTestClient({ chain: hardhat, mode: 'hardhat', transport: http(node.url) })
  const { client, account } = node
  const id = await test.snapshot()
  await test.setBalance({ address: account.address, value: 5n })
  await test.setNextBlockTimestamp({ timestamp: 4_000_000_000n })
  await test.mine({ blocks: 3, interval: 10 })
  expect(await client.getBalance({ address: account.address })).toBe(5n)
  const { timestamp, number } = await client.getBlock({ blockTag: 'latest' })
  expect([timestamp, number]).toEqual([4_000_000_020n, 3n])
  await test.revert({ id })
  expect(await client.getBalance({ address: account.address })).toBe(parseEther('10000'))
  expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
})
