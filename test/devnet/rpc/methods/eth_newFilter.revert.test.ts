import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createEmitterChain, EMITTER, EMITTER_CODE, summary } from '../../stream/emitterChain.ts'

describe('eth_newFilter and evm_revert', () => {
  test('what is sealed anew is given again', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', {})
    const snapshot = await call('evm_snapshot')
    for (let round = 0; round < 2; round++) {
      // The very same transaction each time, as a test with a fixture sends it.
      await emit(1)
      await tick()
      await seal()
      expect(summary(await changes(id))).toEqual([[1, 1]])
      await call('evm_revert', snapshot)
      if (round === 0) await call('evm_snapshot')
    }
  })

  test.each([
    ['with sealing', true],
    ['before the seal', false],
  ])('pre-confirmed logs, %s', async (_name, seals) => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1)
    await tick()
    const snapshot = await call('evm_snapshot')
    const hash = await emit(2)
    await tick()
    if (seals) await seal()
    expect(summary(await changes(id))).toEqual([
      [1, 1],
      [1, 2],
    ])
    await call('evm_revert', snapshot)
    // The first was pre-confirmed before the snapshot, and still is.
    expect(await changes(id)).toEqual([])
    expect(await emit(2)).toBe(hash)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 2]])
    await seal()
    expect(await changes(id)).toEqual([])
  })

  test('the same transactions again before anybody reads', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const snapshot = await call('evm_snapshot')
    await emit(1)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await call('evm_revert', snapshot)
    await emit(1)
    await tick()
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
  })

  test('the chain goes back to before the filter was made', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const snapshot = await call('evm_snapshot')
    for (let count = 0; count < 3; count++) await seal()
    const ids = [
      await call<Hex>('eth_newFilter', {}),
      await call<Hex>('eth_newFilter', { fromBlock: 'latest' }),
      await call<Hex>('eth_newFilter', { toBlock: 'pending' }),
    ]
    await call('evm_revert', snapshot)
    await emit(1)
    await tick()
    await seal()
    for (const id of ids) {
      expect(summary(await changes(id))).toEqual([[1, 1]])
      expect(summary(await call('eth_getFilterLogs', id))).toEqual([[1, 1]])
    }
  })

  test('what was pre-confirmed before the filter was made stays out', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    await emit(1)
    await tick()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const snapshot = await call('evm_snapshot')
    await seal()
    await seal()
    expect(await changes(id)).toEqual([])
    await call('evm_revert', snapshot)
    expect(await changes(id)).toEqual([])
  })

  test('a block that was read in part is read anew', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain({ maxLogs: 2 })
    const id = await call<Hex>('eth_newFilter', {})
    const snapshot = await call('evm_snapshot')
    await emit(1)
    await emit(2)
    await tick()
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await call('evm_revert', snapshot)
    await emit(1)
    await emit(3)
    await tick()
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    expect(summary(await changes(id))).toEqual([[1, 3]])
  })

  test('fromBlock as a number stays where it is', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { fromBlock: '0x3' })
    const snapshot = await call('evm_snapshot')
    for (let count = 0; count < 3; count++) await seal()
    await call('evm_revert', snapshot)
    for (const number of [1, 2, 3]) {
      await emit(number)
      await tick()
      await seal()
    }
    expect(summary(await changes(id))).toEqual([[3, 3]])
  })
})

test('filters go on after a reset', async () => {
  const { call, changes, tick, seal, emit, chain } = await createEmitterChain()
  for (let count = 0; count < 3; count++) await seal()
  const block = await call<Hex>('eth_newBlockFilter')
  const logs = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
  await emit(1)
  await tick()
  expect(summary(await changes(logs))).toEqual([[4, 1]])
  await call('hardhat_reset')
  await call('hardhat_setCode', EMITTER, EMITTER_CODE)
  await emit(1)
  await tick()
  await seal()
  expect(await changes(block)).toEqual([chain.head.hash])
  expect(summary(await changes(logs))).toEqual([[1, 1]])
})

describe('eth_newFilter and commands', () => {
  test('what a time command seals is not given again', async () => {
    const { call, changes, emit, tick, chain } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await call('evm_increaseTime', '0x64')
    expect(chain.head.number).toBe(1)
    expect(await changes(id)).toEqual([])
    await emit(2)
    await tick()
    expect(summary(await changes(id))).toEqual([[2, 2]])
  })

  test('what a drop executes anew is not given again; what it put back is, once it is executed again', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const dropped = await emit(1, 0)
    await emit(2, 0)
    await emit(3, 1)
    await tick()
    expect(summary(await changes(id)).length).toBe(3)
    await call('hardhat_dropTransaction', dropped)
    expect(await changes(id)).toEqual([])
    await emit(4, 1)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 4]])
    // Takes the freed nonce, so that its follower can run again.
    expect(await emit(1, 0)).toBe(dropped)
    await tick()
    expect(summary(await changes(id))).toEqual([
      [1, 1],
      [1, 2],
    ])
    await seal()
    expect(await changes(id)).toEqual([])
  })

  test('pre-confirmed and sealed behind another block in one command', async () => {
    const { call, changes, emit, tick, chain } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1)
    await tick()
    await changes(id)
    await emit(2)
    await call('evm_mine', Number(chain.pending.environment.timestamp) + 50)
    expect(chain.head.number).toBe(2)
    expect(summary(await changes(id))).toEqual([[2, 2]])
  })
})
