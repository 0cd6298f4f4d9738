import { describe, expect, test } from 'vitest'
import type { FormattedAccountAccess } from '../../../../devnet/json/formatAccessList.ts'
import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { fromHex, type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { createRpcChain, hex, ZERO_HASH } from './rpcChain.ts'

const STRANGER: Hex = `0x${'cc'.repeat(20)}`
const COUNTER: Hex = `0x${'c0'.repeat(20)}`
/** Adds one to slot 0, and reads slot 5. */
const COUNTER_CODE = '0x60055450600160005401600055'
const EMPTY_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const NONE = {
  storageChanges: [],
  storageReads: [],
  balanceChanges: [],
  nonceChanges: [],
  codeChanges: [],
}
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

type List = FormattedAccountAccess[] | null

async function createChain(options: OptionsInput = {}) {
  const node = await createRpcChain({ hardfork: 'amsterdam', ...options })
  const { call } = node
  const from = node.account(0).address.toLowerCase()
  await call('hardhat_setCode', COUNTER, COUNTER_CODE)
  return {
    ...node,
    from,
    list: (block: unknown) => call<List>('eth_getBlockAccessList', block),
    raw: (block: unknown) => call<Hex>('debug_getRawBlockAccessList', block),
    block: (number: unknown) =>
      call<{ hash: Hex; blockAccessListHash: Hex }>('eth_getBlockByNumber', number, false),
    send: (to: Hex, value: Hex = '0x0') =>
      call<Hex>('eth_sendTransaction', { from, to, value, gas: '0x100000' }),
    tick: () => call('preconf_advance', { ticks: 1 }),
    seal: () => call('preconf_advance', { blocks: 1 }),
    hashOf: (rlp: Hex) => toHex(node.engine.crypto.keccak256(fromHex(rlp))),
  }
}

const at = (list: List, address: string) => list?.find((account) => account.address === address)

describe('eth_getBlockAccessList and debug_getRawBlockAccessList', () => {
  test('a sealed block by number, tag, hash and object: the same list, whose hash is the header’s', async () => {
    const { list, raw, block, send, seal, from, hashOf } = await createChain()
    await send(COUNTER)
    await send(STRANGER, '0x5')
    await seal()
    const { hash, blockAccessListHash } = await block('latest')
    const found = await list('latest')
    for (const name of ['0x1', hash, { blockHash: hash }, { blockNumber: '0x1' }]) {
      expect(await list(name)).toEqual(found)
      expect(hashOf(await raw(name))).toBe(blockAccessListHash)
    }
    expect(at(found, COUNTER)).toEqual({
      address: COUNTER,
      ...NONE,
      storageChanges: [{ key: word(0), changes: [{ index: '0x1', value: word(1) }] }],
      storageReads: [word(5)],
    })
    expect(at(found, STRANGER)).toEqual({
      address: STRANGER,
      ...NONE,
      balanceChanges: [{ index: '0x2', value: '0x5' }],
    })
    expect(at(found, from)?.nonceChanges).toEqual([
      { index: '0x1', value: '0x1' },
      { index: '0x2', value: '0x2' },
    ])
    const addresses = found?.map(({ address }) => address) ?? []
    expect(addresses).toEqual(addresses.toSorted())
  })

  test('pending: each tick adds to the list, which lacks only what ends the block', async () => {
    const { list, send, tick, seal, call, failure } = await createChain()
    const opening = await list('pending')
    expect(opening?.map(({ address }) => address)).toEqual([
      '0x0000f90827f1c53a10cb7a02335b175320002935',
      '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
    ])
    await send(COUNTER)
    await tick()
    const first = await list('pending')
    await send(COUNTER)
    await tick()
    const second = await list('pending')
    const changes = (found: List) => at(found, COUNTER)?.storageChanges[0]?.changes
    expect(changes(first)).toEqual([{ index: '0x1', value: word(1) }])
    expect(changes(second)).toEqual([
      { index: '0x1', value: word(1) },
      { index: '0x2', value: word(2) },
    ])
    // The number alone finds no unfinished block; its hash in receipts does.
    expect(await list('0x1')).toBe(null)
    expect(await list(ZERO_HASH)).toEqual(second)
    expect(await call('eth_getBlockByNumber', 'pending', false)).toMatchObject({
      blockAccessListHash: ZERO_HASH,
    })
    for (const name of ['pending', ZERO_HASH]) {
      expect(await failure('debug_getRawBlockAccessList', name)).toEqual({
        code: -32001,
        message:
          'resource not found: the access list of the pending block is complete only after the seal; eth_getBlockAccessList returns what there is of it',
      })
    }
    await seal()
    expect(await list('latest')).toEqual(expect.arrayContaining(second ?? []))
  })

  test('other profiles: null for pending, whatever was pre-confirmed', async () => {
    const { list, send, tick, seal } = await createChain({
      profile: 'xlayer',
    })
    expect(await list('pending')).toBe(null)
    await send(COUNTER)
    await tick()
    for (const name of ['pending', '0x1', ZERO_HASH]) expect(await list(name)).toBe(null)
    await seal()
    expect(at(await list('latest'), COUNTER)?.storageReads).toEqual([word(5)])
  })

  test('an unknown block: null, and -32001 for its RLP', async () => {
    const { list, failure } = await createChain()
    for (const name of ['0x77', `0x${'ab'.repeat(32)}`]) {
      expect(await list(name)).toBe(null)
      expect(await failure('debug_getRawBlockAccessList', name)).toEqual({
        code: -32001,
        message: `block not found: ${name}`,
      })
    }
  })

  test('before Amsterdam: -32001, which names the option', async () => {
    const { failure, seal } = await createChain({ hardfork: 'bpo2', keepBlocks: 1 })
    await seal()
    await seal()
    for (const method of ['eth_getBlockAccessList', 'debug_getRawBlockAccessList']) {
      for (const name of ['latest', 'pending', '0x0']) {
        expect(await failure(method, name)).toEqual({
          code: -32001,
          message:
            'resource not found: blocks have access lists from the hardfork Amsterdam on; start a chain with --hardfork amsterdam',
        })
      }
    }
  })

  test('pruned with --keep-blocks: 4444', async () => {
    const { failure, list, seal } = await createChain({ keepBlocks: 1 })
    for (let count = 0; count < 3; count++) await seal()
    for (const method of ['eth_getBlockAccessList', 'debug_getRawBlockAccessList']) {
      expect(await failure(method, '0x1')).toEqual({
        code: 4444,
        message:
          'pruned history unavailable: 0x1: only the latest 1 blocks are kept; start with a larger --keep-blocks, or with 0 to keep all',
      })
    }
    expect(await list('0x3')).not.toEqual([])
  })

  test('genesis and reserved blocks: the empty list, whose hash they have', async () => {
    const { list, raw, block, call } = await createChain()
    await call('hardhat_mine', '0x3e8')
    for (const number of [0, 500]) {
      expect(await list(hex(number))).toEqual([])
      expect(await raw(hex(number))).toBe('0xc0')
      expect(await block(hex(number))).toMatchObject({ blockAccessListHash: EMPTY_HASH })
    }
  })
})
