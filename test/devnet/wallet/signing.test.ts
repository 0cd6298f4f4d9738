import { type Hex, parseEther, recoverMessageAddress, recoverTypedDataAddress } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { ALICE, BOB, DAPP, startWallet } from './support.ts'

const REQUEST = 'eth_requestAccounts'

const typedData = {
  types: {
    EIP712Domain: [{ name: 'chainId', type: 'uint256' }],
    Note: [{ name: 'text', type: 'string' }],
  },
  primaryType: 'Note',
  domain: { chainId: 31337 },
  message: { text: 'hi' },
} as const

test('eth_signTypedData_v4: the domain alone has no message, as viem sends it', async () => {
  const { ask, devnet, wallet } = await startWallet()
  await ask(REQUEST)
  const domain = { types: { EIP712Domain: [] }, primaryType: 'EIP712Domain', domain: {} }
  const params = [ALICE, domain]
  const { result } = await ask('eth_signTypedData_v4', params)
  expect(result).toBe(await devnet.provider.request({ method: 'eth_signTypedData_v4', params }))
  const [entry] = await wallet.history({ method: 'eth_signTypedData_v4' })
  expect(entry?.summary.fields.map(({ label }) => label)).toEqual(['Account', 'Domain'])
  const { message: _left, ...note } = typedData
  expect(await ask('eth_signTypedData_v4', [ALICE, note])).toMatchObject({
    error: { code: -32602, data: { field: 'params[1].message', reason: 'missing' } },
  })
})

describe('personal_sign', () => {
  test.each([
    ['0x68656c6c6f', ALICE],
    [ALICE, '0x68656c6c6f'],
    ['hello', ALICE],
    ['0x68656c6c6f', ALICE.toUpperCase().replace('0X', '0x'), 'password'],
  ])('args: %s, %s', async (...params) => {
    const { ask } = await startWallet()
    await ask(REQUEST)
    const { result } = await ask('personal_sign', params)
    // The answer is a signature, or the recovery fails.
    const signature = result as Hex
    const signer = await recoverMessageAddress({ message: 'hello', signature })
    expect(signer.toLowerCase()).toBe(ALICE)
  })

  test('the person sees the text', async () => {
    const { ask, wallet } = await startWallet()
    await ask(REQUEST)
    await wallet.policy({ default: 'reject' })
    await ask('personal_sign', ['0x68656c6c6f', ALICE])
    await ask('personal_sign', ['0xff', ALICE])
    const shown = (await wallet.history({ method: 'personal_sign' })).map(
      ({ summary }) => summary.fields[1],
    )
    expect(shown).toEqual([
      { label: 'Message', value: 'hello' },
      { label: 'Message (bytes)', value: '0xff' },
    ])
  })

  test.each([[[]], [['0x00']], [[1, ALICE]], [['0x00', 'Alice']], ['0x00']])(
    '%o is refused',
    async (params) => {
      const { ask } = await startWallet()
      await ask(REQUEST)
      expect(await ask('personal_sign', params)).toMatchObject({ error: { code: -32602 } })
    },
  )

  test('another origin, and another account, sign nothing', async () => {
    const { ask } = await startWallet()
    await ask(REQUEST)
    const unauthorized = { error: { code: 4100, data: { kind: 'unauthorized' } } }
    expect(await ask('personal_sign', ['0x00', ALICE], DAPP)).toMatchObject(unauthorized)
    expect(await ask('personal_sign', ['0x00', BOB])).toMatchObject(unauthorized)
  })
})

describe('eth_signTypedData_v4', () => {
  test.each([typedData, JSON.stringify(typedData)])('default', async (data) => {
    const { ask } = await startWallet()
    await ask(REQUEST)
    const { result } = await ask('eth_signTypedData_v4', [ALICE, data])
    // The answer is a signature, or the recovery fails.
    const signer = await recoverTypedDataAddress({
      ...typedData,
      domain: { chainId: 31337n },
      signature: result as Hex,
    })
    expect(signer.toLowerCase()).toBe(ALICE)
  })

  test.each([
    [{ ...typedData, domain: { chainId: 1 } }, 'domain.chainId'],
    ['{', 'params[1]'],
    [{ ...typedData, primaryType: undefined }, 'params[1].primaryType'],
  ])('%o is refused', async (data, field) => {
    const { ask } = await startWallet()
    await ask(REQUEST)
    expect(await ask('eth_signTypedData_v4', [ALICE, data])).toMatchObject({
      error: { code: -32602, data: { field } },
    })
  })

  test('a permit is warned of', async () => {
    const { ask, wallet } = await startWallet()
    await ask(REQUEST)
    const permit = {
      ...typedData,
      primaryType: 'Permit',
      types: { ...typedData.types, Permit: [] },
    }
    await ask('eth_signTypedData_v4', [ALICE, { ...permit, message: {} }])
    const [, entry] = await wallet.history()
    expect(entry?.summary.warnings).toHaveLength(1)
  })
})

describe('values of typed data in words', () => {
  async function textOf(message: object) {
    const { ask, wallet } = await startWallet()
    await ask(REQUEST)
    await wallet.policy({ default: 'reject' })
    const data = { types: { Order: [] }, primaryType: 'Order', domain: {}, message }
    await ask('eth_signTypedData_v4', [ALICE, data])
    const [entry] = await wallet.history({ method: 'eth_signTypedData_v4' })
    return entry?.summary.fields.at(-1)?.value
  }

  test('default: names of accounts, dates, what is unlimited; text in quotes', async () => {
    const largest = 2n ** 160n - 1n
    const message = {
      to: BOB,
      deadline: '1900000000',
      count: 1_900_000_000,
      details: [{ amount: String(largest) }, { amount: String(largest - 1n) }],
      note: 'x\ny: 1',
      flag: true,
    }
    expect(await textOf(message)).toBe(`to: 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 (account #1)
deadline: 2030-03-17 17:46:40 UTC (1900000000)
count: 1900000000
details:
  [0]:
    amount: unlimited (2^160 − 1)
  [1]:
    amount: ${largest - 1n}
note: "x\\ny: 1"
flag: true`)
  })

  test.each([String(2n ** 256n - 1n), `0x${'f'.repeat(64)}`, `0x${'F'.repeat(64)}`])(
    'unlimited: %s',
    async (value) => {
      expect(await textOf({ value })).toBe('value: unlimited (2^256 − 1)')
    },
  )

  test('what is long is not indented, nor parsed as a number', async () => {
    expect(await textOf({ digits: '9'.repeat(10_000) })).toBe(`digits: "${'9'.repeat(10_000)}"`)
    const list = Array.from({ length: 40_000 }, () => 1)
    expect(await textOf({ list })).toBe(JSON.stringify({ list }))
  })
})

describe('eth_sendTransaction', () => {
  test('default: pre-confirmed by the next tick, with nonces that follow on each other', async () => {
    const { ask, devnet } = await startWallet()
    await ask(REQUEST)
    const send = () =>
      ask('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1', chainId: '0x7a69' }])
    const answers = [await send(), await send()]
    await devnet.clock.advance({ ticks: 1 })
    const { pending } = await devnet.clock.status()
    expect(pending.transactions.map(({ hash, nonce }) => [hash, nonce])).toEqual(
      answers.map(({ result }, nonce) => [result, nonce]),
    )
  })

  test('the sender is the connected account where none is named', async () => {
    const { ask, devnet } = await startWallet()
    await ask(REQUEST)
    const { result } = await ask('eth_sendTransaction', [{ to: BOB, data: '0x12' }])
    const params = [result]
    const transaction = devnet.provider.request({ method: 'eth_getTransactionByHash', params })
    expect(await transaction).toMatchObject({ from: ALICE, input: '0x12' })
  })

  test.each([
    [{ to: BOB, chainId: '0x1' }, -32602],
    [{ to: BOB, value: 1 }, -32602],
    [{ to: 'bob' }, -32602],
    [{ from: BOB, to: ALICE }, 4100],
    ['0x', -32602],
  ])('%o is refused', async (transaction, code) => {
    const { ask, devnet } = await startWallet()
    await ask(REQUEST)
    expect(await ask('eth_sendTransaction', [transaction])).toMatchObject({ error: { code } })
    await devnet.clock.advance({ ticks: 1 })
    expect((await devnet.clock.status()).pending.transactions).toEqual([])
  })

  test('what the node refuses is what the page hears', async () => {
    const { ask, wallet } = await startWallet()
    await ask(REQUEST)
    const value = `0x${parseEther('1000000').toString(16)}`
    const { error } = await ask('eth_sendTransaction', [{ to: BOB, value }])
    expect(error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/insufficient funds/),
    })
    expect(await wallet.history({ method: 'eth_sendTransaction' })).toMatchObject([
      { decision: 'approved', answer: { error: { code: -32000 } } },
    ])
  })

  test('an impersonated account sends', async () => {
    const { ask, devnet, wallet } = await startWallet()
    const whale = '0x00000000000000000000000000000000000000aa'
    await devnet.provider.request({ method: 'hardhat_impersonateAccount', params: [whale] })
    await devnet.provider.request({
      method: 'hardhat_setBalance',
      params: [whale, `0x${parseEther('1').toString(16)}`],
    })
    await wallet.switchAccount(whale)
    expect(await ask(REQUEST)).toEqual({ result: [whale] })
    const { result } = await ask('eth_sendTransaction', [{ to: BOB, value: '0x1' }])
    expect(result).toMatch(/^0x[0-9a-f]{64}$/)
  })
})

describe('another chain', () => {
  test('reads and sends go to its RPC, signed for it', async () => {
    const { ask, devnet } = await startWallet({ switchAfterAdd: 'switch' })
    const other = createDevnet({ port: 0, chainId: 0x53a, frozenTicks: true })
    await other.start()
    onTestFinished(() => other.stop())
    await ask(REQUEST)
    const chain = {
      chainId: '0x53a',
      chainName: 'Other',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: [other.url],
    }
    expect(await ask('wallet_addEthereumChain', [chain])).toEqual({ result: null })
    const first = await ask('eth_sendTransaction', [{ to: BOB, value: '0x2' }])
    await other.clock.advance({ ticks: 1 })
    const second = await ask('eth_sendTransaction', [{ to: BOB, value: '0x2' }])
    await other.clock.advance({ blocks: 1 })
    expect(await ask('eth_blockNumber')).toEqual({ result: '0x1' })
    expect(await ask('eth_getTransactionByHash', [second.result])).toMatchObject({
      result: { from: ALICE, nonce: '0x1', chainId: '0x53a' },
    })
    expect(await ask('eth_getTransactionReceipt', [first.result])).toMatchObject({
      result: { status: '0x1' },
    })
    expect(await ask('eth_call', [{ to: BOB }, 'nonsense'])).toMatchObject({
      error: { code: -32602 },
    })
    expect(await ask('eth_subscribe', ['newHeads'])).toMatchObject({ error: { code: 4100 } })
    expect(await devnet.provider.request({ method: 'eth_blockNumber' })).toBe('0x0')
    await other.stop()
    expect(await ask('eth_blockNumber')).toMatchObject({ error: { code: -32603 } })
  })

  test('no RPC is 4901, and one that is not on this machine gets no transaction', async () => {
    const { ask } = await startWallet({
      knownChains: [
        { chainId: '0x1', symbol: 'ETH' },
        { chainId: '0xa', symbol: 'ETH', rpcUrls: ['https://rpc.test'] },
      ],
    })
    await ask(REQUEST)
    expect(await ask('eth_blockNumber')).toMatchObject({ error: { code: 4901 } })
    expect(await ask('eth_sendTransaction', [{ to: BOB }])).toMatchObject({ error: { code: 4901 } })
    await ask('wallet_switchEthereumChain', [{ chainId: '0xa' }])
    expect(await ask('eth_sendTransaction', [{ to: BOB }])).toMatchObject({
      error: { code: -32000, message: /not on this machine/ },
    })
  })
})

describe('reads', () => {
  test('default: the pending view of the node', async () => {
    const { ask, devnet } = await startWallet()
    await ask(REQUEST)
    await ask('eth_sendTransaction', [{ to: BOB, value: '0x1' }])
    await devnet.clock.advance({ ticks: 1 })
    expect(await ask('eth_getTransactionCount', [ALICE, 'pending'])).toEqual({ result: '0x1' })
  })

  test.each([
    'preconf_seal',
    'evm_mine',
    'hardhat_setBalance',
    'anvil_setBalance',
    'eth_sign',
    'eth_signTransaction',
    'eth_sendUnsignedTransaction',
    'eth_sendTransactionSync',
    'debug_traceTransaction',
    'constructor',
    '__proto__',
    '',
  ])('%s is not passed on', async (method) => {
    const { ask } = await startWallet()
    expect(await ask(method)).toMatchObject({ error: { code: 4100 } })
  })
})
