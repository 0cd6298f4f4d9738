import { hexToBigInt, numberToHex, parseEther } from 'viem'
import { describe, expect } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { WITNESS_CODE } from '../../support/witness.ts'
import {
  GAS,
  onEveryNetwork,
  onInstant,
  onOwnNetworks,
  onUnsealed,
  WITNESS,
} from './everyNetwork.ts'

const CONTRACT: Hex = `0x${'cc'.repeat(20)}`

describe('state', () => {
  onOwnNetworks('setBalance of the sender after a write that is not awaited', async (stage) => {
    const { networkHelpers } = stage.connection
    const sender = stage.account(1)
    const before = await stage.balance(sender)
    const write = stage.write({ from: sender, value: '0x7' })
    await networkHelpers.setBalance(sender, 5n)
    const { callerBalance, price, count, balance } = await stage.written(await write)
    // The write ran on the balance that it was sent on.
    expect(callerBalance).toBe(before - GAS * price - 7n)
    expect([count, balance]).toEqual([0n, 7n])
    await stage.expectAhead((block) => stage.balance(sender, block), before, 5n)
    await stage.expectAhead((block) => stage.nonce(sender, block), 0, 1)
    await expect(stage.write({ from: sender })).rejects.toThrow(/funds/)
    await stage.seal()
    expect(await stage.balance(sender, 'latest')).toBe(5n)
  })

  onEveryNetwork('setBalance before and after writes', async (stage) => {
    const { networkHelpers } = stage.connection
    const sender = stage.account(1)
    await networkHelpers.setBalance(WITNESS, 100n)
    await networkHelpers.setBalance(sender, parseEther('1'))
    // While nothing is pre-confirmed, `latest` shows it too.
    expect(await stage.balance(WITNESS, 'latest')).toBe(100n)
    const first = await stage.written(await stage.write({ from: sender, value: '0x7' }))
    expect(first.balance).toBe(107n)
    expect(first.callerBalance).toBe(parseEther('1') - GAS * first.price - 7n)
    await networkHelpers.setBalance(WITNESS, 50n)
    await networkHelpers.setBalance(sender, parseEther('2'))
    await stage.expectAhead((block) => stage.balance(WITNESS, block), 100n, 50n)
    await stage.expectAhead(
      (block) => stage.balance(sender, block),
      parseEther('1'),
      parseEther('2'),
    )
    const second = await stage.written(await stage.write({ from: sender, value: '0x1' }))
    expect(second.balance).toBe(51n)
    expect(second.callerBalance).toBe(parseEther('2') - GAS * second.price - 1n)
    await networkHelpers.setBalance(WITNESS, 0n)
    await stage.seal()
    expect(await stage.balance(WITNESS, 'latest')).toBe(0n)
    expect(await stage.balance(sender, 'latest')).toBe(
      parseEther('2') - second.gasUsed * second.price - 1n,
    )
  })

  onEveryNetwork('setStorageAt before and after writes', async (stage) => {
    const { networkHelpers } = stage.connection
    await networkHelpers.setStorageAt(WITNESS, 0, 10)
    expect(await stage.count('latest')).toBe(10n)
    expect(await stage.written(await stage.write())).toMatchObject({ count: 10n })
    expect(await stage.count()).toBe(11n)
    await networkHelpers.setStorageAt(WITNESS, 0, 20)
    await stage.expectAhead((block) => stage.count(block), 10n, 20n)
    expect(await stage.written(await stage.write())).toMatchObject({ count: 20n })
    await networkHelpers.setStorageAt(WITNESS, 0, 0)
    expect(await stage.written(await stage.write())).toMatchObject({ count: 0n })
    await stage.seal()
    expect(await stage.count('latest')).toBe(1n)
  })

  onEveryNetwork('setCode before and after writes', async (stage) => {
    const { networkHelpers, rpc } = stage.connection
    const code = (block: string) => rpc<Hex>('eth_getCode', CONTRACT, block)
    const output = async (block: string) =>
      hexToBigInt(await rpc<Hex>('eth_call', { to: CONTRACT }, block))
    await networkHelpers.setCode(CONTRACT, returning(1))
    const before = await stage.written(await stage.write())
    expect(await output('latest')).toBe(1n)
    await networkHelpers.setCode(CONTRACT, returning(2))
    await stage.expectAhead(code, returning(1), returning(2))
    await stage.expectAhead(output, 1n, 2n)
    // The code of what was just written is changed behind it, and for the next write back again.
    await networkHelpers.setCode(WITNESS, '0x')
    const transfer = await stage.write({ value: '0x3' })
    expect(await stage.receipt(transfer)).toMatchObject({ status: '0x1', logs: [] })
    await networkHelpers.setCode(WITNESS, WITNESS_CODE)
    expect(await stage.written(await stage.write())).toMatchObject({
      count: before.count + 1n,
      balance: 3n,
    })
    await stage.seal()
    expect(await code('latest')).toBe(returning(2))
    expect(await output('latest')).toBe(2n)
  })

  onEveryNetwork('setNonce before and after writes', async (stage) => {
    const { networkHelpers, rpc } = stage.connection
    const sender = stage.account(1)
    const nonceOf = async (hash: Hex) =>
      Number((await rpc<{ nonce: Hex }>('eth_getTransactionByHash', hash)).nonce)
    await networkHelpers.setNonce(sender, 7)
    expect(await stage.nonce(sender, 'latest')).toBe(7)
    const { hash } = await stage.written(await stage.write({ from: sender }))
    expect(await nonceOf(hash)).toBe(7)
    await stage.expectAhead((block) => stage.nonce(sender, block), 7, 8)
    await networkHelpers.setNonce(sender, 20)
    await stage.expectAhead((block) => stage.nonce(sender, block), 7, 20)
    await expect(networkHelpers.setNonce(sender, 19)).rejects.toThrow(/smaller than/)
    const next = await stage.written(await stage.write({ from: sender }))
    expect(await nonceOf(next.hash)).toBe(20)
    await stage.seal()
    expect(await stage.nonce(sender, 'latest')).toBe(21)
  })
})

/** Code that returns a word. */
const returning = (value: number): Hex =>
  `0x60${numberToHex(value, { size: 1 }).slice(2)}5f5260205ff3`

describe('impersonation', () => {
  onEveryNetwork('of a contract, between writes', async (stage) => {
    const { networkHelpers, ethers } = stage.connection
    await networkHelpers.setCode(CONTRACT, returning(1))
    const before = await stage.written(await stage.write())
    await networkHelpers.setBalance(CONTRACT, parseEther('1'))
    const signer = await ethers.getImpersonatedSigner(CONTRACT)
    const response = await signer.sendTransaction({ to: WITNESS, value: 5n, gasLimit: GAS })
    expect(await response.wait()).toMatchObject({ status: 1, hash: response.hash })
    const own = await stage.written(response.hash)
    expect(own).toMatchObject({ count: before.count + 1n, balance: 5n })
    expect(own.callerBalance).toBe(parseEther('1') - GAS * own.price - 5n)
    await stage.expectAhead((block) => stage.nonce(CONTRACT, block), 0, 1)
    await networkHelpers.stopImpersonatingAccount(CONTRACT)
    await expect(stage.write({ from: CONTRACT })).rejects.toThrow(/unknown account/i)
    await stage.written(await stage.write())
  })

  onOwnNetworks('that ends after a write that is not awaited', async (stage) => {
    const { networkHelpers } = stage.connection
    await networkHelpers.setBalance(CONTRACT, parseEther('1'))
    await networkHelpers.impersonateAccount(CONTRACT)
    const writes = [stage.write({ from: CONTRACT }), stage.write({ from: CONTRACT })]
    await networkHelpers.stopImpersonatingAccount(CONTRACT)
    await networkHelpers.setCode(CONTRACT, returning(1))
    for (const [index, write] of writes.entries()) {
      expect(await stage.written(await write)).toMatchObject({ count: BigInt(index) })
    }
    expect(await stage.nonce(CONTRACT)).toBe(2)
    await expect(stage.write({ from: CONTRACT })).rejects.toThrow(/unknown account/i)
  })
})

describe('funds', () => {
  onEveryNetwork('of a sender that the write before brought', async (stage) => {
    const { networkHelpers, send } = stage.connection
    await networkHelpers.impersonateAccount(CONTRACT)
    await send({ to: CONTRACT, value: numberToHex(parseEther('1')) })
    const paid = await stage.written(await stage.write({ from: CONTRACT, value: '0x2' }))
    expect(paid.callerBalance).toBe(parseEther('1') - GAS * paid.price - 2n)
  })
})

describe('loadFixture', () => {
  onOwnNetworks('of writes that are not awaited', async (stage) => {
    const { networkHelpers } = stage.connection
    const { loadFixture, time } = networkHelpers
    let runs = 0
    async function fixture() {
      runs++
      await networkHelpers.setStorageAt(WITNESS, 0, 10)
      const first = await stage.written(await stage.write())
      const writes = [1, 2, 3].map((index) => stage.write({ from: stage.account(index) }))
      return { first, writes }
    }
    const { first, writes } = await loadFixture(fixture)
    const written = await Promise.all(writes.map(async (write) => stage.written(await write)))
    const head = await stage.block('latest')
    const receipts = () => Promise.all(written.map(({ hash }) => stage.receipt(hash)))
    const before = await receipts()
    for (let round = 0; round < 2; round++) {
      expect(await stage.count()).toBe(14n)
      const next = await stage.write()
      expect(await stage.written(next)).toMatchObject({ count: 14n })
      await networkHelpers.setStorageAt(WITNESS, 0, 99)
      await time.increase(1000)
      const later = stage.write({ from: stage.account(1) })
      stage.forget(next)
      expect(await loadFixture(fixture)).toEqual({ first, writes })
      expect(runs).toBe(1)
      // Back where the fixture ended: what it wrote is there, and nothing that came after it.
      expect(await stage.block('latest')).toEqual(head)
      expect(await receipts()).toEqual(before)
      expect([await stage.receipt(next), await stage.receipt(await later)]).toEqual([null, null])
      for (const account of [0, 1, 2, 3]) expect(await stage.nonce(stage.account(account))).toBe(1)
    }
    expect(written.map(({ count }) => count)).toEqual([11n, 12n, 13n])
  })

  onEveryNetwork('of writes that are awaited', async (stage) => {
    const { loadFixture } = stage.connection.networkHelpers
    async function fixture() {
      const first = await stage.written(await stage.write())
      return [first, await stage.written(await stage.write())] as const
    }
    const [, last] = await loadFixture(fixture)
    for (let round = 0; round < 2; round++) {
      const { hash, count, number } = await stage.written(await stage.write({ value: '0x1' }))
      expect(count).toBe(2n)
      expect(number).toBe(stage.isInstant ? last.number + 1 : last.number)
      stage.forget(hash)
      expect((await loadFixture(fixture))[1]).toBe(last)
      expect(await stage.receipt(hash)).toBeNull()
      expect([await stage.count(), await stage.balance(WITNESS)]).toEqual([2n, 0n])
    }
  })
})

describe('dropTransaction', () => {
  onInstant('of the first of three', async (stage) => {
    const { networkHelpers, rpc } = stage.connection
    const head = await stage.block('latest')
    const sealed = await stage.written(await stage.write())
    await expect(networkHelpers.dropTransaction(sealed.hash)).rejects.toThrow(
      `Transaction ${sealed.hash} cannot be dropped because it's already mined`,
    )
    await rpc('evm_setAutomine', false)
    const sender = await stage.balance(stage.account(0), 'latest')
    const [first, second, third] = [
      await stage.write({ value: '0x1' }),
      await stage.write({ from: stage.account(1), value: '0x2' }),
      await stage.write({ from: stage.account(2), value: '0x4' }),
    ]
    expect(await networkHelpers.dropTransaction(first)).toBe(true)
    expect(await networkHelpers.dropTransaction(first)).toBe(false)
    expect(await rpc('eth_getTransactionByHash', first)).toBeNull()
    expect([await stage.balance(stage.account(0)), await stage.nonce(stage.account(0))]).toEqual([
      sender,
      1,
    ])
    await networkHelpers.mine()
    expect(await stage.block('latest')).toMatchObject({
      number: head.number + 2,
      transactions: [second, third],
    })
    expect(await stage.written(second)).toMatchObject({ index: 0, count: 1n, balance: 2n })
    expect(await stage.written(third)).toMatchObject({ index: 1, count: 2n, balance: 6n })
    expect(await stage.receipt(first)).toBeNull()
    await rpc('evm_setAutomine', true)
  })

  onUnsealed('of the first of three', async (stage) => {
    const { networkHelpers, pendingNode } = stage.connection
    const head = await stage.block('latest')
    const [first, second, third] = [
      await stage.written(await stage.write({ value: '0x1' })),
      await stage.written(await stage.write({ from: stage.account(1), value: '0x2' })),
      await stage.written(await stage.write({ from: stage.account(2), value: '0x4' })),
    ]
    const sender = await stage.balance(stage.account(0), 'latest')
    stage.forget(first.hash, second.hash, third.hash)
    expect(await networkHelpers.dropTransaction(first.hash)).toBe(true)
    expect(await stage.receipt(first.hash)).toBeNull()
    expect(await stage.balance(stage.account(0))).toBe(sender)
    expect(await stage.nonce(stage.account(0))).toBe(0)
    // The others have moved up, and were executed again on what the first one left undone.
    const again = await stage.written(second.hash)
    expect(again).toEqual({ ...second, index: 0, count: 0n, balance: 2n, gasUsed: first.gasUsed })
    expect(await stage.written(third.hash)).toEqual({ ...third, index: 1, count: 1n, balance: 6n })
    expect(await pendingNode.status()).toMatchObject({
      pending: { transactions: [{ hash: second.hash }, { hash: third.hash }] },
      mempool: { runnable: 0, waiting: 0 },
      dropped: [{ hash: first.hash, reason: 'dropped by hardhat_dropTransaction' }],
      reexecuted: [second.hash, third.hash],
    })
    expect(await stage.block('latest')).toEqual(head)
    expect(await networkHelpers.dropTransaction(first.hash)).toBe(false)
  })

  onUnsealed('of the first of three, with cheats between them', async (stage) => {
    const { networkHelpers, rpc, pendingNode } = stage.connection
    const first = await stage.written(await stage.write({ value: '0x1' }))
    await networkHelpers.setStorageAt(WITNESS, 0, 10)
    const second = await stage.written(await stage.write({ from: stage.account(1), value: '0x2' }))
    await rpc('hardhat_addBalance', WITNESS, '0x64')
    const third = await stage.written(await stage.write({ from: stage.account(2), value: '0x4' }))
    expect(third).toMatchObject({ count: 11n, balance: 107n })
    stage.forget(first.hash, second.hash, third.hash)
    await networkHelpers.dropTransaction(first.hash)
    expect(await stage.receipt(second.hash)).toMatchObject({ transactionIndex: '0x0' })
    // The commands were carried out again, and not their outcome: the 1 wei is not there.
    expect(await stage.receipt(third.hash)).toMatchObject({ transactionIndex: '0x1' })
    expect([await stage.count(), await stage.balance(WITNESS)]).toEqual([12n, 106n])
    // Nothing is pre-confirmed before the first command any more, so the sealed state has it.
    expect([await stage.count('latest'), await stage.balance(WITNESS, 'latest')]).toEqual([10n, 0n])
    await networkHelpers.dropTransaction(second.hash)
    expect(await stage.written(third.hash)).toEqual({
      ...third,
      index: 0,
      count: 10n,
      balance: 104n,
      gasUsed: second.gasUsed,
    })
    expect([await stage.count('latest'), await stage.balance(WITNESS, 'latest')]).toEqual([
      10n,
      100n,
    ])
    expect(await pendingNode.status()).toMatchObject({
      dropped: [{ hash: first.hash }, { hash: second.hash }],
      reexecuted: [second.hash, third.hash, third.hash],
    })
  })

  onUnsealed('of what the second of three was paid from', async (stage) => {
    const { networkHelpers, pendingNode, rpc } = stage.connection
    await networkHelpers.impersonateAccount(CONTRACT)
    const paid = await stage.connection.send({ to: CONTRACT, value: numberToHex(parseEther('1')) })
    expect(await stage.receipt(paid)).toMatchObject({ transactionIndex: '0x0' })
    const second = await stage.written(await stage.write({ from: CONTRACT, value: '0x2' }))
    const third = await stage.written(await stage.write({ from: stage.account(1), value: '0x4' }))
    stage.forget(second.hash, third.hash)
    await networkHelpers.dropTransaction(paid)
    // It waits for funds, and the third one did not wait for it.
    expect(await stage.receipt(second.hash)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', second.hash)).toMatchObject({
      from: CONTRACT,
      blockNumber: null,
      transactionIndex: null,
    })
    expect(await stage.written(third.hash)).toMatchObject({ index: 0, count: 0n, balance: 4n })
    expect(await pendingNode.status()).toMatchObject({
      pending: { transactions: [{ hash: third.hash }] },
      mempool: { runnable: 1, waiting: 0 },
      dropped: [{ hash: paid }],
      reexecuted: [third.hash],
    })
    await networkHelpers.setBalance(CONTRACT, parseEther('1'))
    expect(await stage.written(second.hash)).toMatchObject({ index: 1, count: 1n, balance: 6n })
  })

  onUnsealed('of the first of three, of which the second is by the same sender', async (stage) => {
    const { networkHelpers, pendingNode } = stage.connection
    const [first, second, third] = [
      await stage.written(await stage.write()),
      await stage.written(await stage.write()),
      await stage.written(await stage.write({ from: stage.account(1) })),
    ]
    stage.forget(first.hash, second.hash, third.hash)
    await networkHelpers.dropTransaction(first.hash)
    expect(await stage.receipt(second.hash)).toBeNull()
    expect(await stage.written(third.hash)).toMatchObject({ index: 0, count: 0n })
    expect(await pendingNode.status()).toMatchObject({
      pending: { transactions: [{ hash: third.hash }] },
      mempool: { runnable: 0, waiting: 1 },
      reexecuted: [third.hash],
    })
    // It waits until another one uses the nonce before it.
    const filling = await stage.written(await stage.write({ value: '0x9' }))
    expect(filling).toMatchObject({ index: 1, count: 1n })
    expect(await stage.written(second.hash)).toMatchObject({ index: 2, count: 2n, balance: 9n })
  })
})
