import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ChainIndex } from '../../../devnet/dashboard/chainIndex.ts'
import type { DashboardApi } from '../../../devnet/dashboard/queryTable.ts'
import type { ContractSource } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { BOB, startDashboard, type TestDashboard } from './support.ts'

type Found = DashboardApi['transactions']['answer']

const CONTRACTS = sourceOf('Vault', 'Token', ['Coupon', 'Gift Coupon'], 'Playground')

/** A chain of a few transactions by the names that the tests give them. */
async function play() {
  const dashboard = await startDashboard({ contracts: CONTRACTS, frozen: true })
  const accounts = (await dashboard.rpc('eth_accounts')) as Hex[]
  const named = new Map<Hex, string>()
  const send = async (name: string, from: number, request: object) => {
    const hash = await dashboard.rpc('eth_sendTransaction', {
      from: accounts[from],
      gas: '0x200000',
      ...request,
    })
    // The method answers the hash.
    named.set(hash as Hex, name)
    return hash as Hex
  }
  const deploy = async (contract: string, ...args: unknown[]) => {
    const { abi, bytecode } = artifact(contract)
    const hash = await send(`new ${contract}`, 0, {
      data: encodeDeployData({ abi, bytecode, args }),
    })
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    const receipt = (await dashboard.rpc('eth_getTransactionReceipt', hash)) as {
      contractAddress: Hex
    }
    const calldata = (functionName: string, ...given: unknown[]) => ({
      to: receipt.contractAddress,
      data: encodeFunctionData({ abi, functionName, args: given }),
    })
    return { address: receipt.contractAddress, calldata }
  }
  const token = await deploy('Token', 100n)
  const vault = await deploy('Vault', token.address)
  await dashboard.rpc('preconf_seal')
  const coupon = await deploy('Coupon')
  await dashboard.rpc('preconf_seal')
  await send('pay', 9, { to: accounts[1], value: '0x1' })
  await send('deposit', 1, { ...vault.calldata('deposit'), value: '0x64' })
  await send('withdraw', 1, vault.calldata('withdraw', 5_000n))
  await dashboard.rpc('preconf_advance', { ticks: 1 })
  await dashboard.rpc('preconf_seal')
  const last = await send('approve', 10, coupon.calldata('approve', BOB, 7n))
  await dashboard.rpc('preconf_advance', { ticks: 1 })
  await send('waiting withdraw', 9, vault.calldata('withdraw', 1n))
  const found = async (text: string) => {
    const answer = await dashboard.ask('transactions', { filter: { text } })
    const rows = [...answer.rows]
    // On a busy machine a slice of time may end at once.
    for (let { next: from } = answer; from !== null; ) {
      const more = await dashboard.ask('transactions', { filter: { text }, from })
      rows.push(...more.rows)
      from = more.next
    }
    return [...answer.waiting, ...rows].map(({ hash }) => named.get(hash))
  }
  return { ...dashboard, accounts, found, last, token, vault }
}

describe('a filter', () => {
  test('understands names, accounts, events, blocks, states and beginnings of hashes', async () => {
    const { found, accounts, last, vault } = await play()
    const vaults = ['waiting withdraw', 'withdraw', 'deposit', 'new Vault']
    for (const [text, expected] of [
      ['account #9', ['waiting withdraw', 'pay']],
      ['Account #1', ['withdraw', 'deposit', 'pay']],
      ['from:"Account #9"', ['waiting withdraw', 'pay']],
      ['from:Account #1 to:vault', ['withdraw', 'deposit']],
      ['to:account#1', ['pay']],
      ['to:Vault', vaults],
      ['vaul', vaults],
      [vault.address, vaults],
      [`to:${vault.address.slice(0, 12)}`, vaults],
      ['draw', ['waiting withdraw', 'withdraw']],
      ['Vault.withdraw(uint256)', ['waiting withdraw', 'withdraw']],
      ['function:draw', []],
      ['function:withdraw status:reverted', ['withdraw']],
      ['contract:"Gift Coupon"', ['approve', 'new Coupon']],
      ['coin', ['approve', 'new Coupon']],
      ['to:COIN status:preconfirmed', ['approve']],
      ['event:transfer from:"account #1"', ['deposit']],
      ['event:Deposited', ['deposit']],
      ['event:Nothing', []],
      ['block:2..3 status:success', ['deposit', 'pay', 'new Coupon']],
      ['#1', ['new Vault', 'new Token']],
      ['block:3..', ['approve', 'withdraw', 'deposit', 'pay']],
      ['status:waiting', ['waiting withdraw']],
      [last.slice(0, 9), ['approve']],
      [`to:${accounts[1]} pay`, []],
    ] as const) {
      expect(await found(text), text).toEqual(expected)
    }
  })

  test('a term without a meaning gets a sentence', async () => {
    const { ask } = await startDashboard()
    for (const [text, sentence] of [
      ['sender:bob', 'There is no sender: here, but from:, to:, contract:, function:, event:'],
      ['from:', 'from: wants a value, e.g. from:Vault.'],
      ['block:new', 'block: wants a number or a range'],
      [
        'status:mined',
        'status: is one of queued, dropped, preconfirmed, sealed, reverted, success',
      ],
      ['a '.repeat(21), 'A filter has 20 terms at most.'],
    ] as const) {
      const refused = ask('transactions', { filter: { text } })
      await expect(refused, text).rejects.toThrow(sentence)
    }
  })

  test('dropped transactions pass by their hash', async () => {
    const dashboard = await startDashboard()
    const hash = (await dashboard.rpc('eth_sendTransaction', { from: BOB, to: BOB })) as Hex
    await dashboard.rpc('hardhat_dropTransaction', hash)
    const found = async (text: string) =>
      (await dashboard.ask('transactions', { filter: { text } })).dropped.length
    expect(await found(hash.slice(0, 12))).toBe(1)
    expect(await found('status:dropped')).toBe(1)
    expect(await found('status:sealed')).toBe(0)
    expect(await found('withdraw')).toBe(0)
  })
})

describe('the reason of a revert', () => {
  test('stands in the row, by its name or in its words', async () => {
    const dashboard = await startDashboard({ contracts: CONTRACTS, frozen: true })
    const { abi, bytecode } = artifact('Playground')
    const { rpc } = dashboard
    const deployed = await rpc('eth_sendTransaction', {
      from: BOB,
      data: bytecode,
      gas: '0x300000',
    })
    await rpc('preconf_advance', { ticks: 1 })
    const { contractAddress: to } = (await rpc('eth_getTransactionReceipt', deployed)) as {
      contractAddress: Hex
    }
    const fail = (functionName: string, arg: unknown, gas = '0x100000') => {
      const data = encodeFunctionData({ abi, functionName, args: [arg] })
      return rpc('eth_sendTransaction', { from: BOB, to, data, gas })
    }
    await fail('failWithReason', 'not today')
    await fail('failWithError', 7n)
    await fail('failWithPanic', [])
    await fail('failWithReason', 'x'.repeat(5_000))
    await fail('burnGas', 10_000n, '0x10000')
    await rpc('preconf_advance', { ticks: 1 })
    await rpc('preconf_seal')
    const { rows } = await dashboard.ask('transactions', {})
    expect(rows.map(({ reason }) => reason)).toEqual([
      'out of gas',
      `${'x'.repeat(200)}…`,
      'out-of-bounds access of an array or bytesN',
      `Refused(by: ${BOB}, code: 7)`,
      'not today',
      null,
    ])
  })
})

/** Notes which positions are looked at. */
function watchPositions(): { readonly looked: number[] } {
  const looked: number[] = []
  const { at } = ChainIndex.prototype
  const spy = vi.spyOn(ChainIndex.prototype, 'at').mockImplementation(function (
    this: ChainIndex,
    position,
  ) {
    looked.push(position)
    return at.call(this, position)
  })
  onTestFinished(() => spy.mockRestore())
  return { looked }
}

/** Pays so many times, with `block` transactions in a block. */
async function payOften({ devnet }: TestDashboard, count: number, block: number): Promise<void> {
  for (let sent = 0; sent < count; sent += block) {
    const sends = Array.from({ length: block }, () =>
      devnet.provider.request({
        method: 'eth_sendTransaction',
        params: [{ from: BOB, to: `0x${'77'.repeat(20)}`, gas: '0x5208', value: '0x1' }],
      }),
    )
    await Promise.all(sends)
    await devnet.clock.advance({ ticks: 1 })
    await devnet.clock.seal()
  }
}

describe('a search', () => {
  test('finds the oldest of thousands, looks at each once, and then only at what is new', async () => {
    const dashboard = await startDashboard({ contracts: CONTRACTS, frozen: true })
    const { abi, bytecode } = artifact('Token')
    const data = encodeDeployData({ abi, bytecode, args: [1n] })
    const oldest = await dashboard.rpc('eth_sendTransaction', { from: BOB, data, gas: '0x200000' })
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    await payOften(dashboard, 3_000, 500)
    const filter = { text: 'contract:Token' }
    const { looked } = watchPositions()
    const rows: unknown[] = []
    let answer = await dashboard.ask('transactions', { filter })
    const head = answer
    rows.push(...answer.rows)
    while (answer.next !== null) {
      answer = await dashboard.ask('transactions', { filter, from: answer.next })
      rows.push(...answer.rows)
    }
    expect(rows).toEqual([expect.objectContaining({ hash: oldest, position: 0 })])
    expect(new Set(looked).size).toBe(3_001)
    // One batch may be begun twice where a slice of time ends.
    expect(looked.length).toBeLessThan(3_001 + 200 * 20)

    await payOften(dashboard, 10, 10)
    looked.length = 0
    const following = { filter, since: momentOf(head) }
    const next = await dashboard.ask('transactions', following)
    expect(next).toMatchObject({ rows: [], next: null, oldest: 3_001, end: 3_011 })
    expect(looked.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 10 }, (_, index) => 3_001 + index),
    )
  })

  test('what was pre-confirmed is looked at once more when it is sealed', async () => {
    const dashboard = await startDashboard({ frozen: true })
    const pay = () => dashboard.rpc('eth_sendTransaction', { from: BOB, to: BOB })
    const ask = (since?: Found) =>
      dashboard.ask('transactions', {
        filter: { text: 'status:sealed' },
        ...(since && { since: momentOf(since) }),
      })
    await pay()
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    const first = await ask()
    expect(first).toMatchObject({ rows: [], oldest: 0, sealedEnd: 0, end: 1 })
    await pay()
    await dashboard.rpc('preconf_advance', { ticks: 1 })
    const second = await ask(first)
    expect(second).toMatchObject({ rows: [], oldest: 1, sealedEnd: 0, end: 2 })
    await dashboard.rpc('preconf_seal')
    expect(await ask(second)).toMatchObject({
      rows: [{ position: 1 }, { position: 0 }],
      oldest: 0,
      sealedEnd: 2,
    })
  })

  test('each contract is asked for once, however often it is called', async () => {
    let asked = 0
    const contracts: ContractSource = {
      ...CONTRACTS,
      deployedAs(code) {
        asked++
        return CONTRACTS.deployedAs(code)
      },
    }
    const dashboard = await startDashboard({ contracts, frozen: true })
    const { rpc } = dashboard
    const to = `0x${'c0'.repeat(20)}`
    await rpc('hardhat_setCode', to, '0x00')
    for (let count = 0; count < 50; count++) {
      await rpc('eth_sendTransaction', { from: BOB, to, data: '0x3ccfd60b', gas: '0x10000' })
    }
    await rpc('preconf_advance', { ticks: 1 })
    const { rows } = await dashboard.ask('transactions', { filter: { text: 'function:nothing' } })
    expect(rows).toEqual([])
    expect(asked).toBeLessThan(5)
  })
})

function momentOf({ sealedEnd, end }: Found) {
  return { sealedEnd, end }
}
