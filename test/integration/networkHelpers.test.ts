import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { createProject, type Project } from './hardhat/project.ts'
import {
  createStage,
  ETHER,
  modes,
  NOBODY,
  openProject,
  type Stage,
} from './networkHelpers/stage.ts'

let project: Project
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  project = createProject()
  hre = await openProject(project)
})
afterAll(() => project[Symbol.dispose]())

describe.each(modes)('%s', (mode) => {
  let stage: Stage

  beforeEach(async () => {
    stage = await createStage(hre, mode)
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  describe('mine', () => {
    test('default', async () => {
      const { helpers } = stage
      await helpers.mine()
      expect(await helpers.time.latestBlock()).toBe(1)
    })

    test('args: blocks and interval', async () => {
      const { helpers, steps } = stage
      await helpers.mine(3)
      await helpers.mine(4, { interval: 60 })
      expect(await helpers.time.latestBlock()).toBe(7)
      expect(await steps(1, 3)).toEqual([1, 1])
      expect(await steps(4, 7)).toEqual([60, 60, 60])
    })

    test('what was sent is in the first block', async () => {
      const { helpers, block, send } = stage
      const hash = await send({})
      await helpers.mine(2)
      expect((await block('0x1')).transactions).toEqual([hash])
    })

    test('none, a billion, and too many', async () => {
      const { helpers } = stage
      await helpers.mine(0)
      expect(await helpers.time.latestBlock()).toBe(0)
      await helpers.mine(1_000_000_000, { interval: 60 })
      expect(await helpers.time.latestBlock()).toBe(1_000_000_000)
      await helpers.mineUpTo(3_000_000_000)
      expect(await helpers.time.latestBlock()).toBe(3_000_000_000)
      await expect(helpers.mine(10_000_000_000_000)).rejects.toThrow('is too late')
    })

    test('default: mineUpTo', async () => {
      const { helpers } = stage
      await helpers.mineUpTo(5)
      expect(await helpers.time.latestBlock()).toBe(5)
      await expect(helpers.mineUpTo(5)).rejects.toThrow()
      await expect(helpers.mineUpTo(4)).rejects.toThrow()
      expect(await helpers.time.latestBlock()).toBe(5)
    })
  })

  describe('accounts', () => {
    test('default: setBalance', async () => {
      const { helpers, rpc, send } = stage
      await helpers.setBalance(NOBODY, 5n * ETHER)
      expect(BigInt(await rpc<Hex>('eth_getBalance', NOBODY, 'latest'))).toBe(5n * ETHER)
      await send({ value: '0x1' })
      await helpers.mine()
      expect(BigInt(await rpc<Hex>('eth_getBalance', NOBODY, 'latest'))).toBe(5n * ETHER + 1n)
      await expect(helpers.setBalance(NOBODY, -1)).rejects.toThrow()
      await expect(helpers.setBalance(NOBODY, 2n ** 256n)).rejects.toThrow()
      await expect(helpers.setBalance('0xab', 1)).rejects.toThrow()
    })

    test('default: setNonce, which never goes back', async () => {
      const { helpers, rpc, send, account } = stage
      await helpers.setNonce(NOBODY, 7)
      expect(await rpc('eth_getTransactionCount', NOBODY, 'latest')).toBe('0x7')
      await expect(helpers.setNonce(NOBODY, 6)).rejects.toThrow(
        'New nonce (6) must not be smaller than the existing nonce (7)',
      )
      await helpers.setNonce(account, 3)
      const hash = await send({})
      await helpers.mine()
      expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ nonce: '0x3' })
    })

    test('default: setCode', async () => {
      const { helpers, rpc } = stage
      // PUSH1 5, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
      await helpers.setCode(NOBODY, '0x60055f5260205ff3')
      expect(await rpc('eth_getCode', NOBODY, 'latest')).toBe('0x60055f5260205ff3')
      expect(Number(await rpc('eth_call', { to: NOBODY }))).toBe(5)
      await expect(helpers.setCode(NOBODY, '60055f')).rejects.toThrow()
    })

    test('default: setStorageAt and getStorageAt', async () => {
      const { helpers } = stage
      await helpers.setStorageAt(NOBODY, 3, 77)
      expect(Number(await helpers.getStorageAt(NOBODY, 3))).toBe(77)
      expect(await helpers.getStorageAt(NOBODY, 3)).toMatch(/^0x[0-9a-f]{64}$/)
      await helpers.mine()
      await helpers.setStorageAt(NOBODY, 3, 78)
      await helpers.mine()
      expect(Number(await helpers.getStorageAt(NOBODY, 3, 'pending'))).toBe(78)
      expect(Number(await helpers.getStorageAt(NOBODY, 3, 1))).toBe(78)
      expect(Number(await helpers.getStorageAt(NOBODY, 3, 'earliest'))).toBe(77)
      await expect(helpers.getStorageAt(NOBODY, 3, 99)).rejects.toThrow()
    })

    test('default: impersonateAccount and stopImpersonatingAccount', async () => {
      const { helpers, rpc, send, account } = stage
      await helpers.setBalance(NOBODY, ETHER)
      await expect(send({ from: NOBODY })).rejects.toThrow('Unknown account')
      await helpers.impersonateAccount(NOBODY)
      const hash = await send({ from: NOBODY, to: account })
      await helpers.mine()
      expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({
        from: NOBODY,
        status: '0x1',
      })
      await helpers.stopImpersonatingAccount(NOBODY)
      await expect(send({ from: NOBODY })).rejects.toThrow('Unknown account')
      await expect(helpers.impersonateAccount('0x12')).rejects.toThrow()
    })
  })

  describe('the next block', () => {
    test('default: setNextBlockBaseFeePerGas', async () => {
      const { helpers, block } = stage
      await helpers.setNextBlockBaseFeePerGas(123_456_789)
      await helpers.mine(2)
      expect(Number((await block('0x1')).baseFeePerGas)).toBe(123_456_789)
      // Empty blocks make it fall by an eighth.
      expect(Number((await block('0x2')).baseFeePerGas)).toBe(108_024_691)
    })

    test('default: setPrevRandao', async () => {
      const { helpers, block } = stage
      await helpers.setPrevRandao(42)
      await helpers.mine(2)
      expect(Number((await block('0x1')).mixHash)).toBe(42)
      expect(Number((await block('0x2')).mixHash)).not.toBe(42)
    })

    test('default: setCoinbase, of all that follow', async () => {
      const { helpers, block } = stage
      await helpers.setCoinbase(NOBODY)
      await helpers.mine(2)
      expect([(await block('0x1')).miner, (await block('0x2')).miner]).toEqual([NOBODY, NOBODY])
    })

    test('default: setBlockGasLimit, of all that follow', async () => {
      const { helpers, block, send } = stage
      await helpers.setBlockGasLimit(100_000)
      await helpers.mine(2)
      expect([(await block('0x1')).gasLimit, (await block('0x2')).gasLimit]).toEqual([
        '0x186a0',
        '0x186a0',
      ])
      await expect(send({ gas: '0x186a1' })).rejects.toThrow('exceeds block gas limit')
      await expect(helpers.setBlockGasLimit(0)).rejects.toThrow('greater than 0')
    })
  })

  test('default: dropTransaction', async () => {
    const { helpers, rpc, send } = stage
    // In instant mode nothing can wait, as on hardhat node.
    await rpc('evm_setAutomine', false)
    const waiting = await send({ nonce: '0x1' })
    expect(await helpers.dropTransaction(waiting)).toBe(true)
    expect(await helpers.dropTransaction(waiting)).toBe(false)
    expect(await rpc('eth_getTransactionByHash', waiting)).toBeNull()
    const sealed = await send({})
    await helpers.mine()
    await expect(helpers.dropTransaction(sealed)).rejects.toThrow('already mined')
    await expect(helpers.dropTransaction('0x12')).rejects.toThrow()
  })

  test('dropTransaction of one that is pre-confirmed', async () => {
    const { helpers, block, send, devnet } = stage
    // In instant mode none ever is.
    await devnet.clock.freeze()
    const [first, second] = [await send({}), await send({ value: '0x2' })]
    await devnet.clock.advance({ ticks: 1 })
    expect(await helpers.dropTransaction(first)).toBe(true)
    await helpers.mine()
    expect((await block('latest')).transactions).toEqual([])
    // It waits for another with the nonce of the first.
    await send({ value: '0x3' })
    await helpers.mine()
    expect((await block('latest')).transactions).toContain(second)
  })
})
