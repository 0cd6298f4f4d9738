import { createPublicClient, createWalletClient, custom, http, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet, type Devnet, type Hex, type OptionsInput } from '../../../devnet/index.ts'

const COUNTER: Hex = `0x${'c0'.repeat(20)}`
/** Adds 1 to slot 0, and returns it. */
const COUNTS = '0x5f54600101805f555f5260205ff3'

async function start(options: OptionsInput = {}): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, frozen: true, frozenTicks: true, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

/** The caller knows the form of the answer. */
async function ask<Answer>(devnet: Devnet, method: string, ...params: unknown[]): Promise<Answer> {
  return (await devnet.provider.request({ method, params })) as Answer
}

const numberOf = (devnet: Devnet) => ask<Hex>(devnet, 'eth_blockNumber')

async function send(devnet: Devnet, fields: object): Promise<Hex> {
  const [from] = await ask<Hex[]>(devnet, 'eth_accounts')
  return ask(devnet, 'eth_sendTransaction', { from, gas: '0x20000', ...fields })
}

test('begins with the blocks, what is pre-confirmed and what waits, and goes its own way', async () => {
  const devnet = await start()
  await ask(devnet, 'hardhat_setCode', COUNTER, COUNTS)
  await send(devnet, { to: COUNTER })
  await devnet.clock.advance({ blocks: 1 })
  const preconfirmed = await send(devnet, { to: COUNTER })
  await devnet.clock.advance({ ticks: 1 })
  const waiting = await send(devnet, { to: COUNTER })
  const branch = await devnet.branch()
  const { instanceId, ...status } = await branch.clock.status()
  expect(await devnet.clock.status()).toMatchObject(status)
  expect((await devnet.clock.status()).instanceId).not.toBe(instanceId)
  expect(branch.chainId).toBe(devnet.chainId)
  expect(branch.accounts).toEqual(devnet.accounts)

  await branch.clock.advance({ blocks: 1 })
  for (const hash of [preconfirmed, waiting]) {
    const receipt = await ask<{ blockNumber: Hex }>(branch, 'eth_getTransactionReceipt', hash)
    expect(receipt.blockNumber).toBe('0x2')
  }
  expect(await numberOf(branch)).toBe('0x2')
  expect(await numberOf(devnet)).toBe('0x1')
  // Equal commands give equal blocks.
  await devnet.clock.advance({ blocks: 1 })
  const newest = (of: Devnet) => ask(of, 'eth_getBlockByNumber', 'latest', true)
  expect(await newest(branch)).toEqual(await newest(devnet))
  await branch.stop()
  await expect(ask(branch, 'eth_blockNumber')).rejects.toThrow('The branch is stopped')
  expect(await numberOf(devnet)).toBe('0x2')
})

test('takes back blocks from before it began, and the parent keeps them', async () => {
  const devnet = await start()
  await ask(devnet, 'hardhat_setCode', COUNTER, COUNTS)
  for (let block = 0; block < 4; block++) {
    await send(devnet, { to: COUNTER })
    await devnet.clock.advance({ blocks: 1 })
  }
  const branch = await devnet.branch()
  await ask(branch, 'anvil_reorg', 3, [])
  const slot = (of: Devnet, block: string) => ask(of, 'eth_getStorageAt', COUNTER, '0x0', block)
  expect(await slot(branch, '0x1')).toMatch(/01$/)
  expect(await slot(branch, 'latest')).toMatch(/01$/)
  expect(await slot(devnet, 'latest')).toMatch(/04$/)
  await ask(branch, 'hardhat_reset')
  expect(await numberOf(branch)).toBe('0x0')
  expect(await numberOf(devnet)).toBe('0x4')
})

test('outlives a reset, a load and a rollback of the parent', async () => {
  const devnet = await start()
  const dump = await ask(devnet, 'hardhat_dumpState')
  for (const away of [
    () => ask(devnet, 'hardhat_reset'),
    () => ask(devnet, 'hardhat_loadState', dump),
    () => ask(devnet, 'anvil_rollback', 2),
  ]) {
    await ask(devnet, 'hardhat_setCode', COUNTER, COUNTS)
    const hash = await send(devnet, { to: COUNTER })
    await devnet.clock.advance({ blocks: 3 })
    const branch = await devnet.branch()
    const shown = async () => [
      await numberOf(branch),
      await ask(branch, 'eth_getTransactionReceipt', hash),
      await ask(branch, 'eth_getStorageAt', COUNTER, '0x0', 'latest'),
      await ask(branch, 'eth_getProof', COUNTER, ['0x0'], 'latest'),
    ]
    const before = await shown()
    await away()
    await ask(devnet, 'hardhat_setStorageAt', COUNTER, '0x0', `0x${'00'.repeat(31)}63`)
    await devnet.clock.advance({ blocks: 3 })
    expect(await shown()).toEqual(before)
    await branch.clock.advance({ blocks: 1 })
    expect(BigInt(await numberOf(branch))).toBe(BigInt(String(before[0])) + 1n)
  }
})

test('a branch of a branch stays when what it began on has gone on', async () => {
  const devnet = await start()
  const branch = await devnet.branch()
  await branch.clock.advance({ blocks: 2 })
  const second = await branch.branch()
  await ask(branch, 'anvil_rollback', 2)
  expect(await numberOf(second)).toBe('0x2')
  await second.clock.advance({ blocks: 1 })
  expect([await numberOf(devnet), await numberOf(branch)]).toEqual(['0x0', '0x0'])
  // Whoever stops it stops what began on it.
  await branch.stop()
  await expect(numberOf(second)).rejects.toThrow('The branch is stopped')
})

test('codes, chain id and filters are its own', async () => {
  const devnet = await start()
  const filter = await ask(devnet, 'eth_newBlockFilter')
  const branch = await devnet.branch()
  await ask(branch, 'hardhat_setCode', COUNTER, COUNTS)
  const { codeHash } = await ask<{ codeHash: Hex }>(branch, 'eth_getProof', COUNTER, [], 'latest')
  expect(await ask(branch, 'debug_codeByHash', codeHash)).toBe(COUNTS)
  expect(await ask(devnet, 'debug_codeByHash', codeHash)).not.toBe(COUNTS)
  await ask(branch, 'hardhat_setChainId', 5)
  expect(branch.chainId).toBe(5)
  expect(devnet.chainId).toBe(31337)
  await branch.clock.advance({ blocks: 2 })
  expect(await ask(devnet, 'eth_getFilterChanges', filter)).toEqual([])
  await expect(ask(branch, 'eth_getFilterChanges', filter)).rejects.toThrow(/filter/)
})

test('events tell of the chain that they are listened to on', async () => {
  const devnet = await start()
  const seals: string[] = []
  devnet.on('seal', ({ number }) => seals.push(`devnet ${number}`))
  const branch = await devnet.branch()
  branch.on('seal', ({ number }) => seals.push(`branch ${number}`))
  await branch.clock.advance({ blocks: 2 })
  await devnet.clock.advance({ blocks: 1 })
  expect(seals).toEqual(['branch 1', 'branch 2', 'devnet 1'])
})

test('running clocks run on in it', async () => {
  const devnet = await start({
    frozen: false,
    frozenTicks: false,
    tickInterval: 5,
    sealInterval: 20,
  })
  const branch = await devnet.branch()
  await devnet.clock.freeze({ ticks: true })
  const hash = await send(branch, { to: COUNTER })
  await vi.waitFor(async () => expect(await numberOf(branch)).not.toBe('0x0'))
  expect(await ask(branch, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(await numberOf(devnet)).toBe('0x0')
})

test('faults of the parent are not taken over, and its own act on it alone', async () => {
  const devnet = await start()
  await devnet.faults({ rules: [{ kind: 'skipTick' }] })
  const branch = await devnet.branch()
  expect((await branch.clock.status()).faults).toBeUndefined()
  await branch.faults({ rules: [{ kind: 'drop' }] })
  const hash = await send(branch, { to: COUNTER })
  await branch.clock.advance({ blocks: 1 })
  expect((await branch.clock.status()).dropped).toMatchObject([{ hash, preconfirmed: true }])
  expect((await devnet.clock.status()).dropped).toEqual([])
})

test('over HTTP and WebSocket, viem works on it at its path', async () => {
  const devnet = await start()
  const { id, path } = await ask<{ id: string; path: string }>(devnet, 'preconf_branch')
  expect(path).toBe(`/branch/${id}`)
  const [account] = devnet.accounts
  if (account === undefined) throw new Error('There are accounts')
  const chain = hardhat
  const wallet = createWalletClient({
    account: privateKeyToAccount(account.privateKey),
    chain,
    transport: http(devnet.url + path),
  })
  const transport = webSocket(devnet.url.replace('http', 'ws') + path)
  const client = createPublicClient({ chain, transport })
  // Else it tries to connect again, while other tests run.
  onTestFinished(async () => (await client.transport.getRpcClient()).close())
  const numbers: bigint[] = []
  const unwatch = client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(number) })
  onTestFinished(unwatch)
  const hash = await wallet.sendTransaction({ to: COUNTER, value: 1n })
  await client.request({ method: 'preconf_advance', params: [{ blocks: 1 }] } as never)
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ blockNumber: 1n })
  await vi.waitFor(() => expect(numbers).toContain(1n))
  expect(await numberOf(devnet)).toBe('0x0')
  const onMain = createPublicClient({ chain, transport: custom(devnet.provider) })
  expect(await onMain.getBalance({ address: COUNTER })).toBe(0n)

  const socket = new WebSocket(devnet.url.replace('http', 'ws') + path)
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<CloseEvent>()
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('close', (event) => closed.resolve(event))
  await opened.promise
  expect(await ask(devnet, 'preconf_dropBranch', id)).toBe(true)
  expect(await closed.promise).toMatchObject({ code: 1001, reason: 'the branch was dropped' })
  const response = await fetch(devnet.url + path, { method: 'POST', body: '{}' })
  expect(response.status).toBe(404)
  expect(await response.text()).toMatch(/There is no such branch/)
  await expect(ask(devnet, 'preconf_dropBranch', id)).rejects.toMatchObject({
    code: -32000,
    message: `there is no branch ${id} here: it was dropped, or never opened`,
  })
})

test('a client drops the branches of its own chain only', async () => {
  const devnet = await start()
  const branch = await devnet.branch()
  const beside = await ask<{ id: string }>(devnet, 'preconf_branch')
  const below = await ask<{ id: string }>(branch, 'preconf_branch')
  await expect(ask(branch, 'preconf_dropBranch', beside.id)).rejects.toThrow(/there is no branch/)
  expect(await ask(branch, 'preconf_dropBranch', below.id)).toBe(true)
  expect(await ask(devnet, 'preconf_dropBranch', beside.id)).toBe(true)
})

test('beyond the limit the error says what to do, and a stop makes room', async () => {
  const devnet = await start({ maxBranches: 2 })
  const first = await devnet.branch()
  await first.branch()
  const problem = {
    code: -32005,
    message:
      'the node has 2 branches, which is its limit: drop one with preconf_dropBranch, or raise --max-branches',
  }
  await expect(devnet.branch()).rejects.toMatchObject(problem)
  await expect(ask(first, 'preconf_branch')).rejects.toMatchObject(problem)
  await first.stop()
  await using again = await devnet.branch()
  expect(await numberOf(again)).toBe('0x0')
})

test('has no wallet, dashboard and flashblock stream, and says so', async () => {
  const devnet = await start()
  const branch = await devnet.branch()
  expect(branch.url).toMatch(`${devnet.url}/branch/`)
  expect(() => branch.flashblocksUrl).toThrow('A branch has no flashblock stream')
  expect(() => branch.wallet).toThrow('A branch has no mock wallet')
  expect(() => branch.dashboard).toThrow('A branch has no dashboard')
  await expect(branch.start()).rejects.toThrow('A branch runs already')
  await devnet.stop()
  await expect(numberOf(branch)).rejects.toThrow('The branch is stopped')
  expect(() => branch.url).toThrow('The branch is stopped')
  await expect(devnet.branch()).rejects.toThrow('The devnet is stopped')
})

test('heavy calls of several branches at once each see their own state', async () => {
  const devnet = await start({ workers: 2 })
  // Counts down from slot 0, and returns what slot 1 has.
  const code = '0x5f545b6001900380600257506001545f5260205ff3'
  await ask(devnet, 'hardhat_setCode', COUNTER, code)
  await ask(devnet, 'hardhat_setStorageAt', COUNTER, '0x0', `0x${'f4240'.padStart(64, '0')}`)
  const branches = await Promise.all(Array.from({ length: 4 }, () => devnet.branch()))
  for (const [index, branch] of branches.entries()) {
    const value = `0x${(index + 1).toString().padStart(64, '0')}`
    await ask(branch, 'hardhat_setStorageAt', COUNTER, '0x1', value)
  }
  for (let round = 0; round < 15; round++) {
    const calls = branches.map((branch) => ask<Hex>(branch, 'eth_call', { to: COUNTER }, 'latest'))
    expect((await Promise.all(calls)).map(BigInt)).toEqual([1n, 2n, 3n, 4n])
  }
})

test('one that is being opened when the node stops is stopped too', async () => {
  const devnet = await start()
  const opening = devnet.branch()
  await devnet.stop()
  await expect(opening.then(numberOf)).rejects.toThrow(/stopp(?:ed|ing)/)
})
