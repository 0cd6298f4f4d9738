import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { fromHex, type Hex } from '../../../../devnet/primitives/hex.ts'
import { InvalidBlockError } from '../../../../devnet/protocol/block.ts'
import { StreamReader } from '../../../../devnet/stream/raw/streamReader.ts'
import { dumpOf, restored } from '../../persistence/dump/support.ts'
import { createRpcChain, hex, type RpcChain } from '../../rpc/methods/rpcChain.ts'
import { createFollower, expectEqual, record, shown } from './follower.ts'

const NOBODY: Hex = `0x${'ab'.repeat(20)}`

/** A chain, and another that follows its stream from the first block on. */
async function createPair() {
  const node = await createRpcChain()
  const follower = await createFollower(node, {})
  await node.call('hardhat_reset')
  expect(await follower.read()).toEqual(['applied'])
  const { texts } = follower.stream
  const { reader, copy } = follower
  return {
    node,
    ...follower,
    texts,
    apply: (text = '') => reader.read(text),
    pendingOf: () => copy.chain.pending.executed.length,
  }
}

/** Sends so many transfers, and takes them in one tick. */
async function transfer({ call, account }: RpcChain, count = 1): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    const from = account(0).address
    await call('eth_sendTransaction', { from, to: NOBODY, value: '0x1', gas: '0x5208' })
  }
  await call('preconf_advance', { ticks: 1 })
}

test('a message that came before is ignored, and the next one goes on', async () => {
  const { node, texts, apply, pendingOf } = await createPair()
  await transfer(node)
  await transfer(node)
  const [first, second] = texts
  expect(await apply(first)).toBe('applied')
  expect(await apply(first)).toBe('ignored')
  expect(pendingOf()).toBe(1)
  expect(await apply(second)).toBe('applied')
  expect(await apply(first)).toBe('ignored')
  expect(pendingOf()).toBe(2)
})

test('after a gap nothing is pending until the block opens anew', async () => {
  const { node, copy, texts, apply, pendingOf, read } = await createPair()
  await transfer(node)
  expect(await read()).toEqual(['applied'])
  await transfer(node)
  await transfer(node)
  const [, third] = texts.splice(0)
  expect(await apply(third)).toBe('gap')
  expect(pendingOf()).toBe(0)
  expect(copy.chain.head.number).toBe(0)
  await transfer(node)
  expect(await read()).toEqual(['ignored'])
  expect(pendingOf()).toBe(0)
  // A revert builds the block anew, with all that it holds.
  await node.call('evm_revert', await node.call('evm_snapshot'))
  expect(await read()).toEqual(['applied'])
  expect(pendingOf()).toBe(4)
  expectEqual(node, copy)
})

test('the block behind one that is not known is lost, and so are those behind it', async () => {
  const { node, copy, texts, apply, pendingOf, read } = await createPair()
  await transfer(node)
  texts.splice(0)
  await transfer(node)
  await node.call('preconf_seal')
  // The second message of the block, and the first of the next one.
  expect(await read()).toEqual(['gap', 'lost'])
  await transfer(node)
  expect(await read()).toEqual(['ignored'])
  await node.call('preconf_seal')
  expect(await apply(texts.shift())).toBe('lost')
  expect([copy.chain.head.number, pendingOf()]).toEqual([0, 0])
  await node.call('hardhat_reset')
  expect(await read()).toEqual(['applied'])
  expectEqual(node, copy)
})

test('another build of the same block replaces the first', async () => {
  const { node, copy, read, taken } = await createPair()
  const snapshot = await node.call('evm_snapshot')
  await transfer(node, 3)
  await read()
  await node.call('evm_revert', snapshot)
  await transfer(node)
  expect(await read()).toEqual(['applied', 'applied'])
  const ids = new Set(taken.map(({ payload_id: id }) => id))
  expect([ids.size, taken.map(({ index }) => index)]).toEqual([2, [0, 1, 0, 1]])
  expectEqual(node, copy)
})

test('a client that joins in the middle of a block begins with the next one it can place', async () => {
  const node = await createRpcChain()
  const { copy, read, taken } = await createFollower(node, {})
  await transfer(node)
  expect(await read()).toEqual(['ignored'])
  expect(taken.map(({ index, base }) => [index, base])).toEqual([[1, undefined]])
  expect(copy.chain.pending.executed).toEqual([])
})

test('a message with a transaction that cannot run changes nothing', async () => {
  const { node, copy, read, texts, apply } = await createPair()
  await transfer(node)
  await read()
  const before = shown(copy)
  await transfer(node)
  const [text = ''] = texts.splice(0)
  const message = JSON.parse(text)
  const [raw] = message.diff.transactions
  // The second one has the nonce of the first.
  message.diff.transactions = [raw, raw]
  const refused = apply(JSON.stringify(message))
  await expect(refused).rejects.toThrow(InvalidBlockError)
  await expect(refused).rejects.toThrow(
    /^has transaction 2 \(0x.*\), whose nonce is below its sender's$/,
  )
  expect(shown(copy)).toEqual(before)
  expect(await apply(text)).toBe('applied')
  expectEqual(node, copy)
})

test.each([
  ['gas_used', '0x1', /^has used 42000 gas, expected 1$/],
  ['receipts_root', `0x${'12'.repeat(32)}`, /^has receiptsRoot 0x.*, expected 0x(?:12){32}$/],
])('a slice with another %s shows at once that the nodes differ', async (field, value, problem) => {
  const { node, copy, read, texts, apply } = await createPair()
  await transfer(node)
  await read()
  const before = shown(copy)
  await transfer(node)
  const [text = ''] = texts.splice(0)
  const message = JSON.parse(text)
  message.diff[field] = value
  const refused = apply(JSON.stringify(message))
  await expect(refused).rejects.toThrow(InvalidBlockError)
  await expect(refused).rejects.toThrow(problem)
  expect(shown(copy)).toEqual(before)
  expect(await apply(text)).toBe('applied')
})

test('codes of a message that is not applied are not kept', async () => {
  const { node, copy, texts, apply } = await createPair()
  const code: Hex = '0x602a60005260206000f3'
  const hash = fromHex(keccak256(code))
  await transfer(node)
  await node.call('hardhat_setCode', NOBODY, code)
  const [, cheat] = texts.splice(0)
  expect(await apply(cheat)).toBe('gap')
  expect(await apply(cheat)).toBe('ignored')
  expect(copy.engine.codes.get(hash)).toHaveLength(0)
  await node.call('evm_revert', await node.call('evm_snapshot'))
  expect(await apply(texts.shift())).toBe('applied')
  expect(copy.engine.codes.get(hash)).toHaveLength(10)
})

test('a block that would get another hash is not sealed', async () => {
  const { node, copy, read, texts, apply } = await createPair()
  await transfer(node)
  await read()
  await node.call('preconf_seal')
  const [text = ''] = texts.splice(0)
  const wrong = `0x${'12'.repeat(32)}`
  const changed = text.replace(node.chain.head.hash, wrong)
  await expect(apply(changed)).rejects.toThrow(
    `has hash ${node.chain.head.hash}, expected ${wrong}`,
  )
  expect(copy.chain.head.number).toBe(0)
})

test.each([
  ['{', /^stream is not JSON/],
  ['{"index":1}', 'stream: metadata is missing.'],
  [
    '{"payload_id":"0x01","index":-1.5,"metadata":{}}',
    'stream: index must be a whole number, not -1.5.',
  ],
  [
    '{"payload_id":"0x01","index":1,"diff":{"transactions":["0xzz"]},"metadata":{}}',
    'stream: diff.transactions.0 must be hexadecimal, not "0xzz".',
  ],
  [
    '{"payload_id":"0x01","index":1,"diff":{},"metadata":{"codes":{"0x12":"0x00"}}}',
    /metadata\.codes\.0x12 is a code with the hash 0x/,
  ],
])('a malformed message names its field: %s', async (text, problem) => {
  const { apply, copy } = await createPair()
  const before = shown(copy)
  const read = async () => apply(text)
  await expect(read()).rejects.toThrow(ChainFileError)
  await expect(read()).rejects.toThrow(problem)
  expect(shown(copy)).toEqual(before)
})

test('a chain that was loaded from elsewhere is lost', async () => {
  const { node, read } = await createPair()
  const other = await createRpcChain({ chainId: 31337, timestamp: 1_900_000_000 })
  await other.call('preconf_advance', { blocks: 2 })
  await node.call('hardhat_loadState', await other.call('hardhat_dumpState'))
  expect((await read()).at(0)).toBe('lost')
})

test('a chain from a state file and the position of its pending block goes on', async () => {
  const node = await createRpcChain()
  const { messages, texts, stop } = record(node)
  await node.call('hardhat_reset')
  await transfer(node, 2)
  await node.call('hardhat_setBalance', NOBODY, hex(77))
  const copy = await restored(await dumpOf(node))
  const last = messages().at(-1)
  if (last === undefined) throw new Error('No message')
  const position = { payloadId: last.payload_id, index: last.index }
  const reader = new StreamReader(copy.chain, 'stream', position)
  texts.splice(0)
  await transfer(node)
  await node.call('preconf_advance', { blocks: 2 })
  for (const text of texts) expect(await reader.read(text)).toBe('applied')
  expectEqual(node, copy)
  stop()
})

test('a reorganisation is one for those who listen to the replica', async () => {
  const { node, copy, read } = await createPair()
  const heard: unknown[] = []
  copy.chain.events.abandoned.add((blocks) => heard.push(blocks.map(({ number }) => number)))
  copy.chain.events.sealed.add(({ number }) => heard.push(`sealed ${number}`))
  copy.chain.events.undone.add((undo) => heard.push(undo))
  for (let count = 0; count < 3; count++) {
    await transfer(node)
    await node.call('evm_mine')
  }
  await transfer(node)
  await read()
  heard.splice(0)
  await node.clocks.reorg({ depth: 2, requeues: true })
  await transfer(node)
  expect(await read()).toEqual(['applied', 'applied', 'applied', 'applied'])
  expect(heard).toEqual([
    [2, 3],
    { command: 'reorg', dropped: 0, reexecuted: 0, replaced: 2 },
    'sealed 2',
    'sealed 3',
  ])
  expectEqual(node, copy)
  expect(copy.chain.pending.executed).toHaveLength(4)
  // A rollback is one, too, of which nothing follows.
  heard.splice(0)
  await node.call('anvil_rollback', 1)
  await read()
  expect(heard).toEqual([[3], { command: 'reorg', dropped: 0, reexecuted: 0, replaced: 1 }])
})
