import { describe, expect, test } from 'vitest'
import { PolicyBook } from '../../../devnet/wallet/core/policy.ts'
import { chainOf, DAPP, startWallet } from './support.ts'

const subject = { method: 'personal_sign', chainId: '0x1', origin: DAPP } as const

describe('rules', () => {
  test('default: the default decides', () => {
    expect(new PolicyBook('hold').decide(subject)).toEqual({ decision: 'hold' })
  })

  test.each([
    [{ method: 'personal_sign' }, true],
    [{ method: 'eth_sendTransaction' }, false],
    [{ chainId: '0x1' }, true],
    [{ chainId: '0x2' }, false],
    [{ origin: DAPP }, true],
    [{ origin: null }, false],
    [{ method: 'personal_sign', chainId: '0x1', origin: DAPP }, true],
    [{ method: 'personal_sign', chainId: '0x1', origin: 'http://other' }, false],
  ] as const)('args: %o', (fields, isMeant) => {
    const book = new PolicyBook('approve')
    book.change({ add: { ...fields, decision: 'reject' } })
    expect(book.decide(subject).decision).toBe(isMeant ? 'reject' : 'approve')
  })

  test('of rules that stay, the newest wins', () => {
    const book = new PolicyBook('approve')
    book.change({ add: [{ decision: 'reject' }, { decision: 'hold', method: 'personal_sign' }] })
    expect(book.decide(subject).decision).toBe('hold')
    expect(book.decide({ ...subject, method: 'x' }).decision).toBe('reject')
  })

  test('args: times, in the order in which they were added, before those that stay', () => {
    const book = new PolicyBook('approve')
    book.change({
      add: [
        { decision: 'reject', times: 2 },
        { decision: 'hold', times: 1 },
        { decision: 'approve', method: 'personal_sign' },
      ],
    })
    expect(book.policy.rules[0]).toEqual({ decision: 'reject', times: 2 })
    const decisions = [1, 2, 3, 4].map(() => book.decide(subject).decision)
    expect(decisions).toEqual(['reject', 'reject', 'hold', 'approve'])
    expect(book.policy.rules).toEqual([{ decision: 'approve', method: 'personal_sign' }])
  })

  test('args: clear, default', () => {
    const book = new PolicyBook('approve')
    book.change({ add: { decision: 'reject' } })
    expect(book.change({ clear: true, default: 'hold' })).toEqual({ default: 'hold', rules: [] })
  })

  test('rules are bounded, and a wrong count is refused', () => {
    const book = new PolicyBook('approve')
    const rules = Array.from({ length: 1000 }, () => ({ decision: 'reject' }) as const)
    book.change({ add: rules })
    expect(() => book.change({ add: { decision: 'hold' } })).toThrow(/at most 1000/)
    book.change({ clear: true, add: rules })
    expect(() => book.change({ clear: true, add: { decision: 'hold', times: 0 } })).toThrow(/times/)
  })
})

describe('at the endpoint', () => {
  test('args: error is what a rejection answers', async () => {
    const { ask, wallet } = await startWallet({ probe: false })
    const error = { code: -32603, message: 'Out of battery', data: { level: 0 } }
    await wallet.policy({ add: { decision: 'reject', times: 1, error } })
    expect(await ask('wallet_addEthereumChain', [chainOf('0x53a')])).toEqual({ error })
    expect(await ask('wallet_addEthereumChain', [chainOf('0x53a')])).toEqual({ result: null })
    expect(await wallet.history()).toMatchObject([
      { decision: 'rejected', decidedBy: 'policy', answer: { error } },
      { decision: 'approved', decidedBy: 'policy', answer: { result: null } },
    ])
  })

  test('args: account is what an approval connects', async () => {
    const { ask, wallet } = await startWallet()
    const account = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
    await wallet.policy({ add: { decision: 'approve', account } })
    expect(await ask('eth_requestAccounts', [], DAPP)).toEqual({ result: [account] })
  })

  test('args: chainId is the chain to add, or the active one', async () => {
    const { ask, wallet } = await startWallet({ probe: false })
    await wallet.policy({ add: { decision: 'reject', chainId: '0x53A' } })
    expect(await ask('wallet_addEthereumChain', [chainOf('0x53b')])).toEqual({ result: null })
    expect(await ask('wallet_addEthereumChain', [chainOf('0x53a')])).toHaveProperty('error')
    await wallet.policy({ clear: true, add: { decision: 'reject', chainId: '0x7a69' } })
    expect(await ask('eth_requestAccounts')).toHaveProperty('error')
  })
})
