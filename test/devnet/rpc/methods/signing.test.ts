import { Wallet } from 'ethers'
import { type Hex, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createRpcChain } from './rpcChain.ts'

const STRANGER = `0x${'ab'.repeat(20)}`

const TYPED_DATA = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 31_337,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[]' },
      { name: 'amount', type: 'uint256' },
      { name: 'change', type: 'int8' },
      { name: 'seal', type: 'bytes4' },
      { name: 'contents', type: 'bytes' },
      { name: 'pair', type: 'bool[2]' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: [{ name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' }],
    amount: '1000000000000000000000',
    change: -3,
    seal: '0x11223344',
    contents: '0x1234',
    pair: [true, false],
  },
} as const

test('default: eth_sign and personal_sign sign as viem does', async () => {
  const { call, account } = await createRpcChain()
  const { address, privateKey } = account(1)
  const signer = privateKeyToAccount(privateKey)
  for (const message of ['0x', '0x68656c6c6f', `0x${'ff'.repeat(200)}`] as const) {
    const signature = await signer.signMessage({ message: { raw: message } })
    expect(await call('eth_sign', address, message)).toBe(signature)
    expect(await call('personal_sign', message, address)).toBe(signature)
  }
})

test('default: eth_signTypedData_v4 signs as viem and ethers do', async () => {
  const { call, account } = await createRpcChain()
  const { address, privateKey } = account(1)
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    ...TYPED_DATA,
    domain: { ...TYPED_DATA.domain, chainId: 31_337n },
    message: { ...TYPED_DATA.message, amount: 10n ** 21n },
  })
  expect(await call('eth_signTypedData_v4', address, TYPED_DATA)).toBe(signature)
  expect(await call('eth_signTypedData_v4', address, JSON.stringify(TYPED_DATA))).toBe(signature)
  const { EIP712Domain: _, ...types } = TYPED_DATA.types
  const ethers = await new Wallet(privateKey).signTypedData(
    TYPED_DATA.domain,
    // ethers changes neither list, it only types them as if.
    types as unknown as Parameters<Wallet['signTypedData']>[1],
    TYPED_DATA.message,
  )
  expect(ethers).toBe(signature)
  // Without the type of the domain, it follows from the domain.
  expect(await call('eth_signTypedData_v4', address, { ...TYPED_DATA, types })).toBe(signature)
})

test('the domain alone has no message, as viem sends it', async () => {
  const { call, failure, account } = await createRpcChain()
  const { address, privateKey } = account(0)
  const { EIP712Domain } = TYPED_DATA.types
  const domains = [
    { types: { EIP712Domain: [] }, domain: {} },
    { types: { EIP712Domain }, domain: { ...TYPED_DATA.domain, chainId: 31_337n } },
  ] as const
  for (const { types, domain } of domains) {
    const data = { types, domain: types.EIP712Domain.length === 0 ? {} : TYPED_DATA.domain }
    const signature = await privateKeyToAccount(privateKey).signTypedData({
      types,
      domain,
      primaryType: 'EIP712Domain',
    })
    const request = { ...data, primaryType: 'EIP712Domain' }
    expect(await call('eth_signTypedData_v4', address, request)).toBe(signature)
  }
  const { message: _, ...incomplete } = TYPED_DATA
  expect(await failure('eth_signTypedData_v4', address, incomplete)).toMatchObject({
    code: -32602,
    message: 'invalid argument 1: message: want an object, got nothing',
  })
})

test('default: eth_signTypedData and eth_signTypedData_v3 do as eth_signTypedData_v4', async () => {
  const { call, failure, account } = await createRpcChain()
  const { address } = account(1)
  const signature = await call('eth_signTypedData_v4', address, TYPED_DATA)
  for (const method of ['eth_signTypedData', 'eth_signTypedData_v3']) {
    expect(await call(method, address, JSON.stringify(TYPED_DATA))).toBe(signature)
    expect(await failure(method, STRANGER, TYPED_DATA)).toMatchObject({ code: -32000 })
  }
})

test('eth_signTransaction without gas estimates it as eth_sendTransaction does', async () => {
  const { call, account } = await createRpcChain()
  const from = account(1).address
  const to = `0x${'c2'.repeat(20)}`
  // PUSH1 1, PUSH0, SSTORE.
  await call('hardhat_setCode', to, '0x60015f55')
  const gasOf = async (request: object) =>
    parseTransaction(await call<Hex>('eth_signTransaction', { from, ...request })).gas
  const needed = BigInt(await call<Hex>('eth_estimateGas', { from, to }))
  expect(await gasOf({ to })).toBe(needed + (needed - 21_000n) / 2n)
  expect(await gasOf({ to: from })).toBe(21_000n)
  expect(await gasOf({ to, gas: '0x7530' })).toBe(30_000n)
  // What would fail gets the most that it may have.
  await call('hardhat_setCode', to, '0xfe')
  expect(await gasOf({ to })).toBe(2n ** 24n)
})

test('unknown account', async () => {
  const { failure } = await createRpcChain()
  const refused = { code: -32000, message: `Unknown account ${STRANGER}` }
  expect(await failure('eth_sign', STRANGER, '0x')).toEqual(refused)
  expect(await failure('personal_sign', '0x', STRANGER)).toEqual(refused)
  expect(await failure('eth_signTypedData_v4', STRANGER, TYPED_DATA)).toEqual(refused)
  expect(await failure('eth_signTransaction', { from: STRANGER })).toEqual(refused)
})

test('typed data that is none', async () => {
  const { failure, account } = await createRpcChain()
  const { address } = account(0)
  const problem = async (data: unknown) => {
    const error = await failure('eth_signTypedData_v4', address, data)
    expect(error).toMatchObject({ code: -32602 })
    return (error as { message: string }).message
  }
  expect(await problem('{')).toBe('invalid argument 1: typed data is not valid JSON')
  expect(await problem('null')).toBe('invalid argument 1: want typed data, got null')
  expect(await problem([])).toBe('invalid argument 1: want typed data, got a list')
  expect(await problem({ ...TYPED_DATA, primaryType: 5 })).toBe(
    'invalid argument 1: primaryType: want the name of a type, got a number',
  )
  expect(await problem({ ...TYPED_DATA, message: 'x' })).toBe(
    'invalid argument 1: message: want an object, got a string',
  )
  expect(await problem({ ...TYPED_DATA, primaryType: 'Nothing' })).toMatch(/primaryType/)
  expect(
    await problem({ ...TYPED_DATA, message: { ...TYPED_DATA.message, amount: 'much' } }),
  ).toMatch(/^invalid argument 1: /)
  expect(await problem({ ...TYPED_DATA, message: { ...TYPED_DATA.message, change: 128 } })).toMatch(
    /^invalid argument 1: /,
  )
})

test('what no type declares is not signed, as in viem', async () => {
  const { call, account } = await createRpcChain()
  const { address, privateKey } = account(1)
  const { domain, message, types } = TYPED_DATA
  const extra = { __typename: 'Mail', extra: null, deep: [{ a: 1 }] }
  const noisy = {
    ...TYPED_DATA,
    domain: { ...domain, ...extra, salt: null },
    message: {
      ...message,
      ...extra,
      from: { ...message.from, ...extra },
      to: message.to.map((one) => ({ ...one, ...extra })),
    },
  }
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    ...noisy,
    domain: { ...domain, ...extra, chainId: 31_337n },
    message: { ...noisy.message, amount: 10n ** 21n },
  })
  expect(await call('eth_signTypedData_v4', address, TYPED_DATA)).toBe(signature)
  expect(await call('eth_signTypedData_v4', address, noisy)).toBe(signature)
  // The type of the domain, if it is not given, has only what a domain can have.
  const { EIP712Domain: _, ...own } = types
  expect(await call('eth_signTypedData_v4', address, { ...noisy, types: own })).toBe(signature)
})

test('a declared field that is missing is named; a struct counts as zero', async () => {
  const { call, failure, account } = await createRpcChain()
  const { address } = account(0)
  const { domain, message } = TYPED_DATA
  const problem = async (data: object) =>
    expect(failure('eth_signTypedData_v4', address, { ...TYPED_DATA, ...data })).resolves
  const missing = (place: string, type: string, declared: string) => ({
    code: -32602,
    message: `invalid argument 1: ${place} is missing: ${type} declares it as ${declared}`,
  })
  for (const nothing of [null, undefined]) {
    await (await problem({ message: { ...message, amount: nothing } })).toEqual(
      missing('message.amount', 'Mail', 'uint256'),
    )
    await (
      await problem({ message: { ...message, to: [{ name: 'Bob', wallet: nothing }] } })
    ).toEqual(missing('message.to.0.wallet', 'Person', 'address'))
    await (await problem({ domain: { ...domain, version: nothing } })).toEqual(
      missing('domain.version', 'EIP712Domain', 'string'),
    )
  }
  const without = await call('eth_signTypedData_v4', address, {
    ...TYPED_DATA,
    message: { ...message, from: null },
  })
  expect(without).toMatch(/^0x[0-9a-f]{130}$/)
})

test('names that every object inherits are neither types nor fields', async () => {
  const { failure, account } = await createRpcChain()
  const { address } = account(0)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const data = (field: object) =>
      JSON.stringify({ types: { Mail: [field] }, primaryType: 'Mail', domain: {}, message: {} })
    for (const type of [name, `${name}[]`, `${name}[2][]`]) {
      expect(
        await failure('eth_signTypedData_v4', address, data({ name: 'x', type })),
      ).toMatchObject({
        code: -32602,
        message: `invalid argument 1: types.Mail.x: no type ${name}`,
      })
    }
    expect(
      await failure('eth_signTypedData_v4', address, data({ name, type: 'string' })),
    ).toMatchObject({
      code: -32602,
      message: `invalid argument 1: message.${name} is missing: Mail declares it as string`,
    })
    expect(
      await failure('eth_signTypedData_v4', address, {
        ...TYPED_DATA,
        primaryType: name,
      }),
    ).toMatchObject({ code: -32602, message: 'invalid argument 1: wrong primaryType' })
  }
})

test('more types than the library takes are refused before they are read', async () => {
  const { failure, account } = await createRpcChain()
  const types = Object.fromEntries(
    Array.from({ length: 257 }, (_, index) => [`T${index}`, [{ name: 'a', type: 'string' }]]),
  )
  const data = { types, primaryType: 'T0', domain: {}, message: { a: 'b' } }
  for (const given of [data, JSON.stringify(data)]) {
    expect(await failure('eth_signTypedData_v4', account(0).address, given)).toMatchObject({
      code: -32602,
      message: 'invalid argument 1: more than 256 types',
    })
  }
})
