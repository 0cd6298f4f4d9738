import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { fromHex, type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { VersionGoneError } from '../../../../devnet/state/store/versionedStore.ts'
import { FUNDED } from '../../../support/genesisFile.ts'
import { answersOf, CHEATED, playTraffic } from '../../persistence/dump/support.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

const [ALICE, BOB] = FUNDED
const send = ({ call }: RpcChain, value: Hex) =>
  call<Hex>('eth_sendTransaction', { from: ALICE, to: BOB, value })

test.each(['hardhat', 'anvil'])('%s_dumpState is taken by another node', async (name) => {
  const node = await createRpcChain()
  const addresses = await playTraffic(node, 9, 60)
  const dump = await node.call<Hex>(`${name}_dumpState`)
  const other = await createRpcChain({ timestamp: 1_900_000_000 })
  await send(other, '0x1')
  await other.clocks.advanceBlocks(3)
  expect(await other.call(`${name}_loadState`, dump)).toBe(true)
  expect(await answersOf(other, addresses)).toEqual(await answersOf(node, addresses))
  expect(await other.call('hardhat_dumpState')).toBe(dump)
  await node.clocks.advanceBlocks(2)
  await other.clocks.advanceBlocks(2)
  expect(other.chain.head.hash).toBe(node.chain.head.hash)
})

test("the form is anvil's: gzip of JSON", async () => {
  const node = await createRpcChain()
  await send(node, '0x1')
  await node.clocks.advanceBlocks(1)
  const dump = await node.call<Hex>('anvil_dumpState', true)
  const json = JSON.parse(gunzipSync(fromHex(dump)).toString())
  expect(Object.keys(json).slice(0, 6)).toEqual([
    'block',
    'accounts',
    'best_block_number',
    'blocks',
    'transactions',
    'historical_states',
  ])
  expect(json).toMatchObject({ best_block_number: 1, block: { number: '0x1' } })
  expect(json.accounts[ALICE]).toMatchObject({ nonce: 1, code: '0x', storage: {} })
  const plain: Hex = `0x${Buffer.from(JSON.stringify(json)).toString('hex')}`
  expect(await (await createRpcChain()).call('anvil_loadState', plain)).toBe(true)
})

test('eth_config of a chain whose genesis block is nowhere says so', async () => {
  const node = await createRpcChain({ keepBlocks: 2 })
  await node.call('hardhat_mine', '0x5')
  const dump = await node.call<Hex>('hardhat_dumpState')
  const text = gunzipSync(fromHex(dump)).toString()
  const other = await createRpcChain()
  // As of an anvil that keeps few blocks.
  const without = text.replace(/"genesis":\{[^}]*\},/, '')
  expect(without).not.toBe(text)
  await other.call('anvil_loadState', `0x${Buffer.from(without).toString('hex')}`)
  expect(await other.failure('eth_config')).toEqual({
    code: -32000,
    message:
      'the fork id begins with the hash of the genesis block, without which this chain was loaded: load a file that holds all blocks',
  })
  expect(await other.call('eth_blockNumber')).toBe('0x5')
})

test('goes back within one node, and snapshots end', async () => {
  const node = await createRpcChain()
  const { chain, clocks, call } = node
  await send(node, '0x1')
  await clocks.advanceBlocks(1)
  const sealed = chain.head.hash
  const dump = await call<Hex>('hardhat_dumpState')
  const snapshot = await call('evm_snapshot')
  const filter = await call('eth_newBlockFilter')
  await send(node, '0x2')
  await send(node, '0x3')
  await clocks.advanceBlocks(4)
  const waiting = await send(node, '0x4')
  const { instanceId } = await call<{ instanceId: Hex }>('hardhat_metadata')
  const version = chain.head.version

  expect(await call('hardhat_loadState', dump)).toBe(true)
  expect([chain.head.hash, chain.head.number]).toEqual([sealed, 1])
  expect(await call('eth_getTransactionCount', ALICE, 'pending')).toBe('0x1')
  expect(await call('eth_getTransactionByHash', waiting)).toBe(null)
  expect(await call('evm_revert', snapshot)).toBe(false)
  expect((await call<{ instanceId: Hex }>('hardhat_metadata')).instanceId).not.toBe(instanceId)
  // A request that still holds a block of before finds no state, rather than another one.
  expect(() => chain.store.view(version)).toThrow(VersionGoneError)

  const next = await send(node, '0x5')
  await clocks.advanceBlocks(1)
  expect(await call('eth_getTransactionReceipt', next)).toMatchObject({ blockNumber: '0x2' })
  expect(await call('eth_getFilterChanges', filter)).toContain(chain.head.hash)
  expect(Number(await call('evm_snapshot'))).toBeGreaterThan(Number(snapshot))
  await call('hardhat_reset')
  expect(chain.head.hash).toBe(sealed)
})

test('a reset goes back to what was loaded, its cheats included', async () => {
  const node = await createRpcChain()
  const [cheated] = CHEATED
  await node.call('hardhat_setBalance', cheated, '0x5')
  const dump = await node.call('hardhat_dumpState')
  const other = await createRpcChain()
  await other.call('hardhat_loadState', dump)
  await other.call('hardhat_setBalance', cheated, '0x6')
  await other.clocks.advanceBlocks(2)
  await other.call('hardhat_reset')
  expect(await other.call('eth_getBalance', cheated)).toBe('0x5')
  await node.clocks.advanceBlocks(1)
  await other.clocks.advanceBlocks(1)
  // The state root says that the cheat is in the tries too.
  expect(other.chain.head.header.stateRoot).toEqual(node.chain.head.header.stateRoot)
})

test('a running node goes on ticking', async () => {
  const dump = await (await createRpcChain()).call('hardhat_dumpState')
  const node = await createRpcChain({ frozenTicks: false, tickInterval: 0 })
  await node.call('hardhat_loadState', dump)
  const hash = await send(node, '0x1')
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
})

test('refuses what is none, and goes on as before', async () => {
  const node = await createRpcChain()
  const { hash } = node.chain.head
  const hexOf = (text: string) => `0x${Buffer.from(text).toString('hex')}`
  const refusals = [
    ['0x', /^the state is not JSON: /],
    ['0x1f8b', /^the state cannot be unpacked: /],
    [hexOf('{"accounts":'), /^the state is not JSON: /],
    [hexOf('7'), /^the state must hold a JSON object\.$/],
    [hexOf('{}'), /^the state is not a state of this node or of anvil: it has no accounts\.$/],
    [hexOf('{"accounts":{"0x12":{}}}'), /^the state: accounts\.0x12 is not an address/],
    [hexOf('{"pending_node":{}}'), /^the state: pending_node\.format is missing\.$/],
  ] as const
  for (const [state, message] of refusals) {
    expect(await node.failure('anvil_loadState', state)).toEqual({
      code: -32602,
      message: expect.stringMatching(message),
    })
  }
  expect(node.chain.head.hash).toBe(hash)
})

test('refuses a chain under other hardforks', async () => {
  const dump = await (await createRpcChain({ hardfork: 'cancun' })).call('hardhat_dumpState')
  const node = await createRpcChain()
  expect(await node.failure('hardhat_loadState', dump)).toEqual({
    code: -32000,
    message: 'the state is of a chain with other hardforks: start a node with the option loadState',
  })
})

test('takes the chain id of the state', async () => {
  const dump = await (await createRpcChain({ chainId: 5 })).call('hardhat_dumpState')
  const node = await createRpcChain()
  await node.call('hardhat_loadState', dump)
  expect(await node.call('eth_chainId')).toBe('0x5')
})

test('a client that hangs up ends its dump', async () => {
  const node = await createRpcChain()
  for (let command = 0; command < 4; command++) await node.clocks.advanceBlocks(250)
  const hangUp = AbortSignal.abort()
  await expect(node.callAs({ signal: hangUp }, 'hardhat_dumpState')).rejects.toThrow(
    'execution aborted (the request was withdrawn)',
  )
  expect(await node.call('hardhat_dumpState')).toMatch(/^0x1f8b/)
})

const addressOf = (index: number): Hex => `0x${'a0'.repeat(17)}${hex(0x100000 + index).slice(2)}`

/** A state of anvil with 20,000 accounts, the last of which has a code. */
function largeState(): { readonly state: Hex; readonly last: Hex } {
  const accounts = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [
      addressOf(index),
      { nonce: 1, balance: hex(index), code: index === 19_999 ? CODE : '0x', storage: {} },
    ]),
  )
  const text = JSON.stringify({ accounts, best_block_number: 77, blocks: [], transactions: [] })
  return { state: `0x${Buffer.from(text).toString('hex')}`, last: addressOf(19_999) }
}

/** No other account has it. */
const CODE = '0x6000600160025b5b5b5b'
const CODE_HASH = keccak256(CODE)

test('readers see the old chain until a large one is loaded, and it goes on', async () => {
  const { state, last } = largeState()
  const node = await createRpcChain()
  const { call } = node
  await node.clocks.advanceBlocks(2)
  let isLoaded = false
  const loading = call('anvil_loadState', state).finally(() => {
    isLoaded = true
  })
  const seen: unknown[] = []
  let hash: Hex | undefined
  for (let turn = 0; ; turn++) {
    await setImmediate()
    const [number, balance, code] = [
      await call('eth_blockNumber'),
      await call('eth_getBalance', last),
      await call('debug_codeByHash', CODE_HASH),
    ]
    if (isLoaded) break
    seen.push([number, balance, code])
    if (turn === 3) {
      hash = await send(node, '0x5')
      await node.clocks.advanceTicks(1)
    }
  }
  await loading
  // Some hundred ms of work in turns of 5 ms.
  expect(seen.length).toBeGreaterThan(10)
  for (const each of seen) expect(each).toEqual(['0x2', '0x0', null])
  expect(await call('eth_blockNumber')).toBe(hex(77))
  expect(await call('eth_getBalance', last)).toBe(hex(19_999))
  expect(await call('eth_getCode', last)).toBe(CODE)
  expect(await call('debug_codeByHash', CODE_HASH)).toBe(CODE)
  // What ran meanwhile is gone with the chain that it ran on.
  expect(await call('eth_getTransactionReceipt', hash)).toBe(null)
})

test('a client that hangs up ends its load, which changes nothing', async () => {
  const { state } = largeState()
  const node = await createRpcChain()
  await send(node, '0x1')
  await node.clocks.advanceBlocks(1)
  const before = await node.call('hardhat_dumpState')
  for (const turns of [0, 2, 8]) {
    const client = new AbortController()
    const loading = node.callAs({ signal: client.signal }, 'anvil_loadState', state)
    for (let turn = 0; turn < turns; turn++) await setImmediate()
    client.abort()
    await expect(loading).rejects.toThrow('execution aborted (the request was withdrawn)')
    expect(await node.call('hardhat_dumpState')).toBe(before)
    expect(await node.call('debug_codeByHash', CODE_HASH)).toBe(null)
  }
})

test('a load that fails at its end changes nothing', async () => {
  const other = await createRpcChain()
  await other.call('hardhat_setCode', CHEATED[0], CODE)
  await other.clocks.advanceBlocks(2)
  const dump = await other.call<Hex>('hardhat_dumpState')
  // Another state than that of the newest block.
  const damaged = gunzipSync(fromHex(dump))
    .toString()
    .replace(`"balance":"0x0","code":"${CODE}"`, `"balance":"0x1","code":"${CODE}"`)
  const node = await createRpcChain()
  await send(node, '0x1')
  await node.clocks.advanceBlocks(1)
  const before = await node.call('hardhat_dumpState')
  const refused = node.failure('hardhat_loadState', toHex(Buffer.from(damaged)))
  expect(await refused).toMatchObject({
    message: expect.stringMatching(/^the state: the state after block \d has the root/),
  })
  expect(await node.call('hardhat_dumpState')).toBe(before)
  expect(await node.call('debug_codeByHash', CODE_HASH)).toBe(null)
  expect(await node.call('hardhat_loadState', dump)).toBe(true)
  expect(await node.call('debug_codeByHash', CODE_HASH)).toBe(CODE)
})
