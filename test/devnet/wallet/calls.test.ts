import { describe, expect, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { ALICE, BOB, DAPP, startWallet } from './support.ts'

const CALLS = {
  version: '2.0.0',
  chainId: '0x7a69',
  from: ALICE,
  atomicRequired: false,
  calls: [
    { to: BOB, value: '0x1' },
    { to: BOB, data: '0x' },
  ],
}

async function connected(options = {}, node: OptionsInput = {}) {
  const wallet = await startWallet(options, node)
  await wallet.ask('eth_requestAccounts')
  return wallet
}

describe('wallet_sendCalls', () => {
  test('default: pending, then confirmed when pre-confirmed', async () => {
    const { ask, devnet } = await connected()
    const { result } = await ask('wallet_sendCalls', [CALLS])
    expect(result).toEqual({ id: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    // It is the one that the wallet just gave out.
    const { id } = result as { id: string }
    await devnet.clock.advance({ ticks: 1 })
    expect(await ask('wallet_getCallsStatus', [id])).toEqual({
      result: {
        version: '2.0.0',
        id,
        chainId: '0x7a69',
        status: 200,
        atomic: false,
        receipts: [0, 1].map(() => ({
          logs: [],
          status: '0x1',
          blockHash: expect.any(String),
          blockNumber: '0x1',
          gasUsed: expect.any(String),
          transactionHash: expect.any(String),
        })),
      },
    })
    expect(await ask('wallet_showCallsStatus', [id])).toEqual({ result: null })
    // Another origin has no such batch.
    expect(await ask('wallet_getCallsStatus', [id], DAPP)).toMatchObject({ error: { code: 5730 } })
  })

  test('pending until the seal with the option receipts', async () => {
    const { ask, devnet } = await connected({}, { receipts: 'sealed' })
    await ask('wallet_sendCalls', [{ ...CALLS, id: 'one' }])
    await devnet.clock.advance({ ticks: 1 })
    const { result } = await ask('wallet_getCallsStatus', ['one'])
    expect(result).toMatchObject({ status: 100 })
    expect(result).not.toHaveProperty('receipts')
    await devnet.clock.seal()
    expect(await ask('wallet_getCallsStatus', ['one'])).toMatchObject({
      result: { status: 200, receipts: [{ blockNumber: '0x1' }, { blockNumber: '0x1' }] },
    })
  })

  test('reverts', async () => {
    const { ask, devnet } = await connected()
    const reverting = '0x00000000000000000000000000000000000000ee'
    // PUSH0 PUSH0 REVERT
    const params = [reverting, '0x5f5ffd']
    await devnet.provider.request({ method: 'hardhat_setCode', params })
    const status = async (calls: object[], id: string) => {
      await ask('wallet_sendCalls', [{ ...CALLS, id, calls }])
      await devnet.clock.advance({ ticks: 1 })
      return (await ask('wallet_getCallsStatus', [id])).result
    }
    expect(await status([{ to: reverting }], 'all')).toMatchObject({ status: 500 })
    expect(await status([{ to: reverting }, { to: BOB }], 'some')).toMatchObject({ status: 600 })
  })

  test.each([
    [{ chainId: '0x1' }, 5710],
    [{ atomicRequired: true }, 5760],
    [{ calls: Array(101).fill({ to: BOB }) }, 5740],
    [{ capabilities: { paymasterService: { url: 'https://a.test' } } }, 5700],
    [{ calls: [{ to: BOB, capabilities: { x: {} } }] }, 5700],
    [{ from: BOB }, 4100],
    [{ calls: [] }, -32602],
    [{ atomicRequired: undefined }, -32602],
    [{ id: 'x'.repeat(8195) }, -32602],
  ])('%o is refused', async (fields, code) => {
    const { ask } = await connected()
    expect(await ask('wallet_sendCalls', [{ ...CALLS, ...fields }])).toMatchObject({
      error: { code },
    })
  })

  test.each(['banana', '1', '1.0', '2.0', '2.0.1', '3.0.0', ''])(
    'version %o is refused as in MetaMask',
    async (version) => {
      const { ask } = await connected()
      expect(await ask('wallet_sendCalls', [{ ...CALLS, version }])).toEqual({
        error: {
          code: -32000,
          message: `Version not supported: Got ${version}, expected 2.0.0`,
        },
      })
    },
  )

  test('optional capabilities are left out, an id is taken once', async () => {
    const { ask } = await connected()
    const calls = { ...CALLS, id: 'mine', capabilities: { x: { optional: true } } }
    expect(await ask('wallet_sendCalls', [calls])).toEqual({ result: { id: 'mine' } })
    expect(await ask('wallet_sendCalls', [calls])).toMatchObject({ error: { code: 5720 } })
  })

  test('a person sees each call', async () => {
    const { ask, wallet } = await connected()
    await wallet.policy({ default: 'reject' })
    expect(await ask('wallet_sendCalls', [CALLS])).toMatchObject({ error: { code: 4001 } })
    const [entry] = await wallet.history({ method: 'wallet_sendCalls' })
    expect(entry?.summary.fields.map(({ label }) => label)).toEqual([
      'From',
      'Network',
      '1. To',
      '1. Value',
      '2. To',
      '2. Value',
    ])
  })
})

describe('wallet_getCapabilities', () => {
  test('default', async () => {
    const { ask } = await connected({
      knownChains: [
        { chainId: '0x7a69', symbol: 'ETH' },
        { chainId: '0x1', symbol: 'ETH' },
      ],
    })
    const unsupported = { atomic: { status: 'unsupported' } }
    expect(await ask('wallet_getCapabilities', [ALICE])).toEqual({
      result: { '0x7a69': unsupported, '0x1': unsupported },
    })
    expect(await ask('wallet_getCapabilities', [ALICE, ['0x1', '0x5']])).toEqual({
      result: { '0x1': unsupported },
    })
  })
})

describe('wallet_watchAsset', () => {
  const asset = { type: 'ERC20', options: { address: BOB, symbol: 'FOO', decimals: 18 } }

  test('default: true, whatever the person thinks of it', async () => {
    const { ask } = await startWallet({ policy: 'reject' })
    expect(await ask('wallet_watchAsset', asset)).toEqual({ result: true })
    expect(await ask('wallet_watchAsset', [asset])).toEqual({ result: true })
  })

  const CHECKSUM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

  test.each([CHECKSUM, CHECKSUM.toLowerCase(), CHECKSUM.toUpperCase().replace('0X', '0x')])(
    '%s has its checksum, or none',
    async (address) => {
      const { ask } = await startWallet()
      for (const options of [{ address }, { address, tokenId: '1' }]) {
        const type = 'tokenId' in options ? 'ERC721' : 'ERC20'
        expect(await ask('wallet_watchAsset', { type, options })).toEqual({ result: true })
      }
    },
  )

  test.each([
    ['a wrong checksum', CHECKSUM.replace('79C8', '79c8'), 'checksum'],
    ['no address', '0x1234', 'format'],
  ])('error: %s', async (_name, address, reason) => {
    const { ask } = await startWallet()
    for (const options of [{ address }, { address, tokenId: '1' }]) {
      const type = 'tokenId' in options ? 'ERC721' : 'ERC20'
      expect(await ask('wallet_watchAsset', { type, options })).toMatchObject({
        error: {
          code: -32602,
          data: { field: 'params.options.address', reason, received: address },
        },
      })
    }
  })

  test('under hold the person is asked', async () => {
    const { ask, wallet } = await startWallet({ policy: 'hold' })
    for (const decision of ['approve', 'reject'] as const) {
      const asked = ask('wallet_watchAsset', asset)
      const { id, summary } = await wallet.waitFor({ method: 'wallet_watchAsset' })
      expect(summary.title).toBe('Show a token')
      await wallet[decision](id)
      expect(await asked).toMatchObject(
        decision === 'approve' ? { result: true } : { error: { code: 4001 } },
      )
    }
    // A rule that is not about it leaves it as it is, and is not used up.
    await wallet.policy({ default: 'approve', add: { method: 'personal_sign', decision: 'hold' } })
    expect(await ask('wallet_watchAsset', asset)).toEqual({ result: true })
  })

  test('args: profile metamask asks', async () => {
    const { ask } = await startWallet({ policy: 'reject', profile: 'metamask' })
    expect(await ask('wallet_watchAsset', asset)).toMatchObject({ error: { code: 4001 } })
    const nft = { type: 'ERC721', options: { address: BOB, tokenId: '1' } }
    expect(await ask('wallet_watchAsset', nft)).toMatchObject({ error: { code: 4001 } })
  })
})

describe('wallet_connect', () => {
  const result = { accounts: [{ address: ALICE, capabilities: {} }] }

  test('connects, and asks only once', async () => {
    const { ask, wallet } = await startWallet()
    expect(await ask('wallet_connect', [{ version: '1' }])).toEqual({ result })
    await wallet.policy({ default: 'reject' })
    const optional = { signInWithEthereum: { nonce: '12345678', chainId: '0x1', optional: true } }
    expect(await ask('wallet_connect', [{ version: '1', capabilities: optional }])).toEqual({
      result,
    })
  })

  test('error: refused, a capability that is required, malformed', async () => {
    const { ask } = await startWallet({ policy: 'reject' })
    expect(await ask('wallet_connect', [{ version: '1' }])).toMatchObject({ error: { code: 4001 } })
    const capabilities = { signInWithEthereum: { nonce: '12345678', chainId: '0x1' } }
    expect(await ask('wallet_connect', [{ version: '1', capabilities }])).toMatchObject({
      error: {
        code: 5700,
        message:
          'The wallet does not support the capability signInWithEthereum: connect without it, and sign with personal_sign',
      },
    })
    expect(await ask('wallet_connect', [{}])).toMatchObject({ error: { code: -32602 } })
  })
})

test.each([
  'wallet_grantPermissions',
  'wallet_requestExecutionPermissions',
  'wallet_getAssets',
  'wallet_prepareCalls',
  'wallet_sendPreparedCalls',
  'wallet_addSubAccount',
  'wallet_disconnect',
])('%s, of a draft, is not supported', async (method) => {
  const { ask } = await startWallet()
  expect(await ask(method, [{}])).toMatchObject({
    error: { code: 4100, data: { kind: 'unsupported' } },
  })
})
