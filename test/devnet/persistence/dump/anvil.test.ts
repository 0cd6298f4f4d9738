import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { requireTrie } from '../../../../devnet/protocol/block.ts'
import { addressKeyFromHex as addressOf } from '../../../../devnet/state/keys.ts'
import { createRpcChain, hex, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { at, type DumpJson } from './dumpJson.ts'
import { answersOf, dumpOf, restored } from './support.ts'

const fixture = readFileSync(new URL('anvilDump.json', import.meta.url), 'utf8')

/**
 * A dump as anvil 1.7.1 writes it, with all that the fixture leaves out: five blocks with transfers of three types, a
 * contract that logs, a failed creation, and an impersonated sender; after them a cheat. The states of the old blocks are in it.
 */
function anvilDump(): DumpJson {
  const dump: DumpJson = JSON.parse(fixture)
  const bloom = (value: string) => (value === '0x' ? `0x${'00'.repeat(256)}` : value)
  for (const { header } of dump.blocks ?? []) header.logsBloom = bloom(at(header, 'logsBloom'))
  for (const { info, receipt } of dump.transactions ?? []) {
    receipt.logsBloom = bloom(receipt.logsBloom)
    info.traces = []
  }
  return dump
}

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const NOBODY = '0x00000000000000000000000000000000000000aa'
const CHEATED = '0x00000000000000000000000000000000000000ab'
const CONTRACT = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const FAILED = '0x8464135c8f25da09e49bc8782676a84730c318bc'
const EIP_4788 = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'

/** As anvil itself answered them. */
const HEAD = '0xbb9632e4df064cae252934fcf50de899b2d0061a6827fc455f0380280131fb95'
const CREATION = '0xee6cb665fda623a572c38e9b8716eee0360722fc078de25239043afa44a99a97'
const IMPERSONATED = '0x57c7a5aca210740f173117f92a4b2b18d76c01ceaeabcfb9ceaf52b13d73a440'

const load = (dump: DumpJson | Uint8Array = anvilDump(), options?: OptionsInput) =>
  restored(dump, options)

test('default', async () => {
  const { chain, clocks, call } = await load()
  expect([chain.head.number, chain.head.hash, chain.history.oldest]).toEqual([4, HEAD, 0])
  expect(await call('eth_getBalance', CHEATED)).toBe('0xde0b6b3a7640000')
  expect(await call('eth_getBalance', BOB)).toBe('0x21e19e074805c1c7121')
  expect(await call('eth_getTransactionCount', ALICE)).toBe('0x3')
  expect(await call('eth_getStorageAt', CONTRACT, '0x0')).toBe(`0x${'2a'.padStart(64, '0')}`)
  expect(await call('eth_getCode', CONTRACT)).toBe('0x5460005260206000f3000000')
  expect(await call('eth_getTransactionReceipt', CREATION)).toMatchObject({
    blockNumber: '0x3',
    transactionIndex: '0x0',
    contractAddress: CONTRACT,
    status: '0x1',
    logs: [{ address: CONTRACT, logIndex: '0x0', transactionHash: CREATION }],
  })
  expect(await call('eth_getLogs', { fromBlock: '0x0' })).toHaveLength(1)
  expect(await call('eth_getTransactionByHash', IMPERSONATED)).toMatchObject({
    from: NOBODY,
    hash: IMPERSONATED,
    value: '0x11',
  })
  await clocks.advanceBlocks(1)
  expect(toHex(chain.head.header.parentHash)).toBe(HEAD)
})

test('the next blocks follow the rules', async () => {
  const node = await load()
  await node.call('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1' })
  await node.clocks.advanceBlocks(1)
  expect(await node.call('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: '0x5',
    parentHash: HEAD,
    baseFeePerGas: hex(587_295_952),
    gasLimit: '0x1c9c380',
    transactions: [expect.any(String)],
  })
  expect(Number(node.chain.head.header.timestamp)).toBeGreaterThan(1_800_000_002)
})

test('what the dump does not have is as in a fresh node', async () => {
  const { call, accounts } = await load()
  const third = at(accounts, 2).address
  expect(await call('eth_getBalance', third)).toBe(hex(10_000n * 10n ** 18n))
  expect(await call('eth_getCode', EIP_4788)).not.toBe('0x')
  // No account is in the state that holds nothing (EIP-161).
  expect(await call('eth_getProof', FAILED, [])).toMatchObject({ balance: '0x0', nonce: '0x0' })
  const { chain } = await load()
  expect(chain.pending.state.slots(addressOf(FAILED)).next().done).toBe(true)
  expect(chain.pending.state.account(addressOf(FAILED))).toBe(null)
})

test('the states of old blocks, where anvil wrote them', async () => {
  const { call, failure } = await load()
  expect(await call('eth_getBalance', BOB, '0x1')).toBe('0x21e19e0c9bab2400010')
  expect(await call('eth_getBalance', BOB, '0x2')).toBe('0x21e19e0c9bab2400020')
  expect(await call('eth_getCode', CONTRACT, '0x2')).toBe('0x')
  expect(await call('eth_getCode', CONTRACT, '0x3')).not.toBe('0x')
  const without = await load({ ...anvilDump(), historical_states: null })
  expect(await without.call('eth_getBalance', BOB, '0x4')).toBe('0x21e19e074805c1c7121')
  for (const method of ['eth_getBalance', 'eth_getCode', 'eth_getTransactionCount']) {
    expect(await without.failure(method, BOB, '0x3')).toEqual({
      code: -32001,
      message: expect.stringMatching(/^the state of this block is not known/),
    })
  }
  expect(await without.failure('eth_getProof', BOB, [], '0x2')).toMatchObject({ code: -32001 })
  expect(await without.call('eth_getBlockByNumber', '0x3', true)).toEqual(
    await call('eth_getBlockByNumber', '0x3', true),
  )
  expect(await failure('eth_getBalance', BOB, '0x9')).toMatchObject({ code: -32001 })
})

test('packed, and in any order of its blocks', async () => {
  const dump = anvilDump()
  dump.blocks?.reverse()
  const { chain } = await load(gzipSync(JSON.stringify(dump)))
  expect(chain.head.hash).toBe(HEAD)
})

test('saved by this node and loaded again', async () => {
  for (const dump of [anvilDump(), { ...anvilDump(), historical_states: null }]) {
    const node = await load(dump)
    await node.clocks.advanceBlocks(2)
    const saved = await dumpOf(node)
    const again = await restored(saved)
    expect(await dumpOf(again)).toBe(saved)
    expect([again.chain.head.hash, again.chain.firstHead]).toEqual([node.chain.head.hash, 4])
    expect(await recent(again)).toEqual(await recent(node))
  }
})

/** What is known of the newest blocks, with their states. */
function recent({ chain, call }: RpcChain): Promise<string[]> {
  const history = { head: chain.head, oldest: chain.head.number - 2 }
  // Only these two are looked at.
  return answersOf({ chain: { history }, call } as unknown as RpcChain, [ALICE, BOB, CHEATED])
}

test('blocks that a reorganisation left behind are not taken', async () => {
  const dump = anvilDump()
  const newest = dump.blocks?.find(({ header }) => header.number === '0x4')
  const stale = { ...newest, header: { ...newest?.header, number: '0x5' }, transactions: [] }
  const { chain } = await load({ ...dump, blocks: [...(dump.blocks ?? []), stale] })
  expect(chain.head.hash).toBe(HEAD)
})

test('a dump without its first blocks', async () => {
  const dump = anvilDump()
  const blocks = dump.blocks?.filter(({ header }) => Number(header.number) > 2) ?? []
  const { chain, call } = await load({ ...dump, blocks })
  expect([chain.history.oldest, chain.head.hash]).toEqual([3, HEAD])
  expect(await call('eth_getBlockByNumber', '0x2', false)).toBe(null)
})

test('a dump from before there were blocks in them', async () => {
  const { block = {}, accounts } = anvilDump()
  const { chain, call } = await load({ block, accounts })
  expect([chain.head.number, Number(chain.head.header.timestamp)]).toEqual([4, 0x6b49d202])
  expect(toHex(requireTrie(chain.head).root())).toBe(toHex(chain.head.header.stateRoot))
  expect(await call('eth_getBalance', BOB)).toBe('0x21e19e074805c1c7121')
  const bare = await load({ accounts }, { timestamp: 1_900_000_000 })
  expect(bare.chain.head.number).toBe(0)
})

test('an older hardfork goes on under a newer one, and not the other way round', async () => {
  const { chain, clocks } = await load(anvilDump(), { hardfork: 'prague' })
  await clocks.advanceBlocks(1)
  expect(chain.head.number).toBe(5)
  const loading = load(anvilDump(), { hardfork: 'cancun' })
  await expect(loading).rejects.toThrow(ChainFileError)
  await expect(loading).rejects.toThrow(
    /was made under prague or a later hardfork, and this node has cancun: start it with the hardfork prague or a later one\.$/,
  )
})

test.each<[string, (dump: DumpJson) => void, RegExp]>([
  [
    'a block that does not follow',
    ({ blocks }) => {
      const header = blocks?.find((one) => one.header.number === '0x2')?.header ?? {}
      header.timestamp = '0x1'
    },
    /block 3 has the parent 0x\w+, and no block 2 has that hash\.$/,
  ],
  [
    'another log',
    ({ transactions }) => {
      const logs = transactions?.flatMap(({ receipt }) => receipt.logs)
      at(logs, 0).data = '0x'
    },
    /block 3 has receiptsRoot 0x\w+, expected 0x\w+\.$/,
  ],
  [
    'a transaction of another network',
    ({ blocks }) => {
      const block = blocks?.find(({ transactions }) => transactions.length > 0)
      at(block?.transactions, 0).transaction.type = '0x7b'
    },
    /transaction\.type is 0x7b, which is not a transaction type of Ethereum\.$/,
  ],
  [
    'a balance that is none',
    ({ accounts }) => {
      at(accounts, ALICE).balance = 'rich'
    },
    /accounts\.0xf39f\w+\.balance must be a whole number, not "rich"\.$/,
  ],
  [
    'an old state that is none',
    (dump) => {
      dump.historical_states = [[HEAD, { accounts: { [ALICE]: {} } }]]
    },
    /historical_states\.0\.1\.accounts\.0xf39f\w+\.code_hash is missing\.$/,
  ],
])('refuses %s', async (_, change, message) => {
  const dump = anvilDump()
  change(dump)
  await expect(load(dump)).rejects.toThrow(message)
})

test('over JSON-RPC, as anvil answers it', async () => {
  const node = await createRpcChain()
  const packed: Hex = `0x${gzipSync(JSON.stringify(anvilDump())).toString('hex')}`
  expect(await node.call('anvil_loadState', packed)).toBe(true)
  expect([node.chain.head.hash, await node.call('eth_blockNumber')]).toEqual([HEAD, '0x4'])
})
