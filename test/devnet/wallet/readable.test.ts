import { encodeFunctionData, type Hex, maxUint160, maxUint256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, DAPP, startAsking, startWallet, type TestWallet } from './support.ts'

const COIN = '0x000000000000000000000000000000000000c011'
const BAZAAR = '0x000000000000000000000000000000000000ba2a'
const BAZAAR_NAMED = /^0x000000000000000000000000000000000000[bB][aA]2[aA] \(Bazaar\)$/

/** A wallet that asks, on a chain with a token, and a contract that the project knows. */
async function begin() {
  const started = await startAsking({}, { contracts: sourceOf('Bazaar') })
  const { provider } = started.devnet
  const codes = [
    [COIN, artifact('Coupon').deployedBytecode],
    [BAZAAR, artifact('Bazaar').deployedBytecode],
  ]
  for (const params of codes) await provider.request({ method: 'hardhat_setCode', params })
  return started
}

const coin = (functionName: string, ...args: unknown[]) => ({
  from: ALICE,
  to: COIN,
  data: encodeFunctionData({ abi: artifact('Coupon').abi, functionName, args }),
})

describe('a transaction', () => {
  test('default: fee, gas limit and nonce, the spender by name, the amount in the token', async () => {
    const { summaryOf } = await begin()
    const { fields, costs, warnings, willFail } = await summaryOf('eth_sendTransaction', [
      coin('approve', BAZAAR, 7_000_000n),
    ])
    expect(costs?.map(({ label }) => label)).toEqual(['Fee', 'Gas limit', 'Nonce'])
    expect(costs?.[0]?.value).toMatch(/^0\.0\d+ ETH expected, at most 0\.0\d+ ETH$/)
    expect(costs?.[2]?.value).toBe('0')
    const [spender, amount] = fields.find(({ call }) => call)?.call?.arguments ?? []
    expect(spender?.value).toMatch(BAZAAR_NAMED)
    expect(amount).toMatchObject({ value: '7000000', amount: '7 COIN' })
    expect(fields.find(({ label }) => label === 'Asset changes')?.value).toMatch(
      /\(Bazaar\) may spend 7 COIN/,
    )
    expect([warnings, willFail]).toEqual([[], undefined])
  })

  test.each([
    [
      'approve',
      maxUint256,
      /^Bazaar \(0x\w{40}\) may spend all COIN of this account, now and later/,
    ],
    ['approve', maxUint160, /may spend all COIN/],
  ])('an unlimited allowance is warned of: %s %i', async (name, amount, warning) => {
    const { summaryOf } = await begin()
    const { warnings } = await summaryOf('eth_sendTransaction', [coin(name, BAZAAR, amount)])
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  test('the request that waits warns before the chain was looked at', async () => {
    const { ask, wallet } = await startWallet()
    await ask('eth_requestAccounts')
    await wallet.policy({ default: 'reject' })
    const data: Hex = `0xa22cb465${BAZAAR.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
    const raised: Hex = `0x39509351${BAZAAR.slice(2).padStart(64, '0')}${'f'.repeat(64)}`
    for (const one of [data, raised]) {
      await ask('eth_sendTransaction', [{ from: ALICE, to: COIN, data: one }])
    }
    const entries = await wallet.history({ method: 'eth_sendTransaction' })
    expect(entries.map(({ summary }) => summary.warnings)).toEqual([
      [expect.stringMatching(/may move all tokens of this account/)],
      [expect.stringMatching(/may spend all tokens of this account/)],
    ])
  })

  test('what will fail is marked', async () => {
    const { summaryOf } = await begin()
    const failing = [coin('transfer', BAZAAR, 10n ** 12n)]
    expect(await summaryOf('eth_sendTransaction', failing)).toMatchObject({ willFail: true })
  })
})

test('an atomic batch is previewed as the one transaction that it is', async () => {
  const { wallet, summaryOf } = await begin()
  await wallet.policy({ atomic: 'supported' })
  const calls = [coin('approve', BAZAAR, 5n), coin('transfer', BAZAAR, 10n ** 12n)]
  const summary = await summaryOf('wallet_sendCalls', [
    { version: '2.0.0', chainId: '0x7a69', from: ALICE, atomicRequired: true, calls },
  ])
  // Nothing happens if one call fails: no allowance either.
  expect(summary.fields.find(({ label }) => label === 'Asset changes')?.value).toBe(
    'none but the fee',
  )
  expect(summary.warnings).toEqual([expect.stringMatching(/^The transaction will revert/)])
})

describe('a permit', () => {
  async function titleOf({ ask, wallet }: TestWallet, data: object): Promise<string | undefined> {
    const asked = ask('eth_signTypedData_v4', [ALICE, data])
    const { id } = await wallet.waitFor({ method: 'eth_signTypedData_v4' })
    const title = async () => (await wallet.pending())[0]?.summary.title
    await expect.poll(title).toMatch(/Bazaar/)
    const found = await title()
    await wallet.reject(id)
    await asked
    return found
  }
  const types = { EIP712Domain: [] }
  const domain = { name: 'Coupon', chainId: 31337, verifyingContract: COIN }
  const deadline = '1900000000'

  test.each([
    [
      { primaryType: 'Permit', message: { spender: BAZAAR, value: String(maxUint256), deadline } },
      'Permit: let Bazaar spend unlimited COIN until 2030-03-17',
    ],
    [
      { primaryType: 'Permit', message: { spender: BAZAAR, allowed: true, expiry: deadline } },
      'Permit: let Bazaar spend unlimited COIN until 2030-03-17',
    ],
    [
      {
        primaryType: 'PermitSingle',
        message: {
          spender: BAZAAR,
          sigDeadline: '1800000000',
          details: { token: COIN, amount: String(maxUint160), expiration: deadline },
        },
      },
      'Permit: let Bazaar spend unlimited COIN until 2030-03-17',
    ],
    [
      {
        primaryType: 'PermitBatch',
        message: {
          spender: BAZAAR,
          sigDeadline: deadline,
          details: [1, 2, 3].map((amount) => ({ token: COIN, amount: `${amount}000000` })),
        },
      },
      'Permit: let Bazaar spend 1 COIN, 2 COIN and 1 more until 2030-03-17',
    ],
    [
      {
        primaryType: 'PermitTransferFrom',
        message: { spender: BAZAAR, deadline, permitted: { token: COIN, amount: '2500000' } },
      },
      'Permit: let Bazaar spend 2.5 COIN until 2030-03-17',
    ],
  ])('args: %j', async (data, title) => {
    const started = await begin()
    const all = { types: { ...types, [data.primaryType]: [] }, domain, ...data }
    expect(await titleOf(started, all)).toBe(title)
  })
})

describe('a message that signs in', () => {
  async function summaryOf(fields: Readonly<Record<string, string>> = {}, site = 'localhost:3000') {
    const { ask, wallet } = await startWallet()
    await ask('eth_requestAccounts', [], DAPP)
    await wallet.policy({ default: 'reject' })
    const lines = { URI: DAPP, Version: '1', 'Chain ID': '31337', Nonce: 'abcd1234', ...fields }
    const text = [
      `${site} wants you to sign in with your Ethereum account:`,
      ALICE,
      '',
      'Chain ID: 5',
      '',
      ...Object.entries(lines).map(([label, value]) => `${label}: ${value}`),
    ].join('\n')
    await ask('personal_sign', [text, ALICE], DAPP)
    const [entry] = await wallet.history({ method: 'personal_sign' })
    return entry?.summary
  }

  test('default: the site, the chain, the nonce and the end', async () => {
    const end = '2999-01-01T00:00:00Z'
    const summary = await summaryOf({ 'Expiration Time': end })
    expect(summary).toMatchObject({ title: 'Sign in to localhost:3000', warnings: [] })
    expect(summary?.fields.slice(1, -1)).toEqual([
      { label: 'Site', value: 'localhost:3000' },
      { label: 'URI', value: DAPP },
      { label: 'Chain ID', value: '31337' },
      { label: 'Nonce', value: 'abcd1234' },
      { label: 'Expiration Time', value: end },
    ])
  })

  test.each([
    [{}, 'bank.example', 'The message signs in to bank.example, but localhost:3000 asks for it.'],
    [{ 'Chain ID': '1' }, undefined, 'The message is for chain 1; the active one is 31337.'],
    [{ 'Expiration Time': '2001-01-01T00:00:00Z' }, undefined, 'The message has expired.'],
  ])('args: %o %s', async (fields, site, warning) => {
    expect((await summaryOf(fields, site))?.warnings).toEqual([warning])
  })
})
