import {
  encodeDeployData,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  toBytes,
  toHex,
} from 'viem'
import { describe, expect, test, vi } from 'vitest'
import type { OptionsInput } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startAsking } from './support.ts'

const BAZAAR = '0x0000000000000000000000000000000000ba2aa2'
const STAND = '0x0000000000000000000000000000000000057a2d'
const COFFER = '0x000000000000000000000000000000000000c0ff'
const BAZAAR_SHOWN = getAddress(BAZAAR)
const ALICE_SHOWN = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 (account #0)'
const BOB_SHOWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8 (account #1)'

const CONTRACTS = sourceOf('Bazaar', 'Coffer', 'Stand', 'Coupon')

async function begin(
  options: Pick<OptionsInput, 'contracts'> = { contracts: CONTRACTS },
  codes: Readonly<Record<Hex, Hex>> = {},
) {
  const started = await startAsking({}, options)
  const deployed = {
    [BAZAAR]: artifact('Bazaar').deployedBytecode,
    [COFFER]: artifact('Coffer').deployedBytecode,
    ...codes,
  }
  const { provider } = started.devnet
  for (const params of Object.entries(deployed)) {
    await provider.request({ method: 'hardhat_setCode', params })
  }
  return {
    ...started,
    async shown(transaction: { readonly to?: Hex; readonly data: Hex; readonly value?: Hex }) {
      const params = [{ from: ALICE, ...transaction }]
      const summary = await started.summaryOf('eth_sendTransaction', params)
      const field = (label: string) => summary.fields.find((one) => one.label === label)
      return {
        ...summary,
        to: field('To')?.value,
        text: field('Call')?.value,
        call: field('Call')?.call,
        data: field('Data')?.value,
      }
    },
  }
}

function calls(name: string, functionName: string, ...args: unknown[]): Hex {
  return encodeFunctionData({ abi: artifact(name).abi, functionName, args })
}

describe('calls', () => {
  test('default: contract, function, parameters with types and values', async () => {
    const { shown } = await begin()
    const data = calls('Bazaar', 'give', BOB, 7n, 3n)
    expect(await shown({ to: BAZAAR, data })).toMatchObject({
      title: 'Call Bazaar.give',
      detail: 'to: 0x709979…79C8, id: 7, amount: 3, at 0x000000…2AA2',
      to: `${BAZAAR_SHOWN} (Bazaar)`,
      text: `Bazaar.give(to: ${BOB_SHOWN}, id: 7, amount: 3)`,
      call: {
        contract: 'Bazaar',
        isProxied: false,
        function: 'give(address,uint256,uint256)',
        arguments: [
          { name: 'to', type: 'address', value: BOB_SHOWN },
          { name: 'id', type: 'uint256', value: '7' },
          { name: 'amount', type: 'uint256', value: '3' },
        ],
      },
      data: undefined,
      warnings: [],
    })
  })

  test('default: two calls of one contract are told apart, and one that pays', async () => {
    const { shown } = await begin()
    const details = []
    for (const [id, value] of [
      [1n, '0x0'],
      [2n, '0x0'],
      [2n, '0xde0b6b3a7640000'],
    ] as const) {
      details.push(
        (await shown({ to: BAZAAR, data: calls('Bazaar', 'buy', id, 5n), value })).detail,
      )
    }
    expect(details).toEqual([
      'id: 1, amount: 5, at 0x000000…2AA2',
      'id: 2, amount: 5, at 0x000000…2AA2',
      '1 ETH, id: 2, amount: 5, at 0x000000…2AA2',
    ])
  })

  test('nested tuples and arrays, and text that would like to be more', async () => {
    const { shown } = await begin()
    const note = 'a "b"\nTo: 0x00'
    const order = { item: { seller: BOB, price: 9n }, sizes: [1n, 2n], note }
    const data = calls('Bazaar', 'place', [order], '0xabcd')
    const { text, call } = await shown({ to: BAZAAR, data })
    expect(text).toBe(
      `Bazaar.place(orders: [(item: (seller: ${BOB_SHOWN}, price: 9), sizes: [1, 2], note: "a \\"b\\"\\nTo: 0x00")], data: 0xabcd)`,
    )
    expect(call?.arguments?.[0]).toEqual({
      name: 'orders',
      type: '((address,uint96),uint256[],string)[]',
      value: [
        {
          name: '',
          type: '((address,uint96),uint256[],string)',
          value: [
            {
              name: 'item',
              type: '(address,uint96)',
              value: [
                { name: 'seller', type: 'address', value: BOB_SHOWN },
                { name: 'price', type: 'uint96', value: '9' },
              ],
            },
            {
              name: 'sizes',
              type: 'uint256[]',
              value: [
                { name: '', type: 'uint256', value: '1' },
                { name: '', type: 'uint256', value: '2' },
              ],
            },
            { name: 'note', type: 'string', value: JSON.stringify(note) },
          ],
        },
      ],
    })
  })

  test('the creation of a contract, with the arguments of its constructor', async () => {
    const { shown } = await begin()
    const { abi, bytecode } = artifact('Bazaar')
    const data = encodeDeployData({ abi, bytecode, args: ['Grand Bazaar'] })
    expect(await shown({ data })).toMatchObject({
      title: 'Create Bazaar',
      detail: 'name_: "Grand Bazaar"',
      to: 'a new contract (Bazaar)',
      text: 'new Bazaar(name_: "Grand Bazaar")',
      call: { contract: 'Bazaar', function: null },
      data: undefined,
    })
    expect(await shown({ data: artifact('Coupon').bytecode })).toMatchObject({
      title: 'Create Coupon',
      text: 'new Coupon()',
    })
    expect(await shown({ data: '0x00' })).toMatchObject({
      title: 'Send a transaction',
      to: 'a new contract',
      text: undefined,
      data: '0x00',
    })
  })

  const implementation = BAZAAR.slice(2)
  const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
  const beaconSlot = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
  const stand = artifact('Stand').deployedBytecode
  // PUSH20 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN: answers the address, whatever the call.
  const beacon: Hex = `0x73${implementation}5f5260205ff3`
  const proxied = 'behind a proxy'
  test.each<[string, words: string, Hex, slot?: readonly [string, Hex], coffer?: Hex]>([
    ['EIP-1967', proxied, stand, [implementationSlot, BAZAAR]],
    ['a beacon', proxied, stand, [beaconSlot, COFFER], beacon],
    ['EIP-1167', proxied, `0x363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`],
    ['a delegation (EIP-7702)', 'by delegation', `0xef0100${implementation}`],
  ])('%s is named by what it runs, %s', async (_name, words, code, slot, coffer) => {
    const codes = { [STAND]: code, ...(coffer === undefined ? {} : { [COFFER]: coffer }) }
    const { shown, devnet } = await begin(undefined, codes)
    if (slot !== undefined) {
      const [at, address] = slot
      const params = [STAND, at, `0x${address.slice(2).padStart(64, '0')}`]
      await devnet.provider.request({ method: 'hardhat_setStorageAt', params })
    }
    expect(await shown({ to: STAND, data: calls('Bazaar', 'buy', 7n, 3n) })).toMatchObject({
      title: 'Call Bazaar.buy',
      to: `${getAddress(STAND)} (Bazaar, ${words})`,
      call: { contract: 'Bazaar', isProxied: true },
    })
  })

  test("a proxy's own function is its own", async () => {
    const { shown, devnet } = await begin(undefined, { [STAND]: stand })
    const params = [STAND, implementationSlot, `0x${implementation.padStart(64, '0')}`]
    await devnet.provider.request({ method: 'hardhat_setStorageAt', params })
    expect(await shown({ to: STAND, data: calls('Stand', 'close') })).toMatchObject({
      title: 'Call Stand.close',
      call: { contract: 'Stand', isProxied: false },
    })
  })

  test('calls of a batch, each by name', async () => {
    const { summaryOf } = await begin()
    const batch = {
      version: '2.0.0',
      chainId: '0x7a69',
      atomicRequired: false,
      calls: [
        { to: BAZAAR, data: calls('Bazaar', 'buy', 7n, 3n) },
        { to: BOB, value: '0xde0b6b3a7640000' },
      ],
    }
    const { title, detail, fields } = await summaryOf('wallet_sendCalls', [batch])
    expect([title, detail]).toEqual([
      'Send 2 calls',
      'Bazaar.buy(id: 7, amount: 3), 1 ETH to 0x709979…79C8',
    ])
    expect(fields.find(({ label }) => label === '1. Call')).toMatchObject({
      value: 'Bazaar.buy(id: 7, amount: 3)',
      call: { contract: 'Bazaar' },
    })
  })
})

describe('without artifacts', () => {
  const standard = parseAbi([
    'function transfer(address to, uint256 amount)',
    'function transferFrom(address from, address to, uint256 amount)',
    'function approve(address spender, uint256 amount)',
    'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
    'function safeTransferFrom(address from, address to, uint256 id)',
    'function setApprovalForAll(address operator, bool approved)',
    'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
  ])
  const zero = `0x${'00'.repeat(32)}` as const
  test.each([
    ['transfer', [BOB, 5n], `to: ${BOB_SHOWN}, amount: 5`],
    ['transferFrom', [ALICE, BOB, 5n], `from: ${ALICE_SHOWN}, to: ${BOB_SHOWN}, amountOrId: 5`],
    [
      'approve',
      [BOB, 2n ** 256n - 1n],
      `spender: ${BOB_SHOWN}, amountOrId: ${2n ** 256n - 1n} (unlimited)`,
    ],
    [
      'permit',
      [ALICE, BOB, 1n, 2n, 27, zero, zero],
      `owner: ${ALICE_SHOWN}, spender: ${BOB_SHOWN}, value: 1, deadline: 2, v: 27, r: ${zero}, s: ${zero}`,
    ],
    ['safeTransferFrom', [ALICE, BOB, 5n], `from: ${ALICE_SHOWN}, to: ${BOB_SHOWN}, id: 5`],
    ['setApprovalForAll', [BOB, true], `operator: ${BOB_SHOWN}, approved: true`],
    [
      'safeBatchTransferFrom',
      [ALICE, BOB, [1n, 2n], [3n, 4n], '0x'],
      `from: ${ALICE_SHOWN}, to: ${BOB_SHOWN}, ids: [1, 2], values: [3, 4], data: 0x`,
    ],
  ])('default: %s is known by its selector', async (functionName, args, text) => {
    const { shown } = await begin({})
    // The ABI is constant; the table of cases is not typed by it.
    const data = encodeFunctionData({ abi: standard as never, functionName, args } as never)
    expect(await shown({ to: BAZAAR, data })).toMatchObject({
      title: `Call ${functionName}`,
      to: BAZAAR_SHOWN,
      text: `${functionName}(${text})`,
      call: { contract: null },
      data: undefined,
    })
  })

  test('another function shows its data', async () => {
    const { shown } = await begin({})
    const data = calls('Bazaar', 'buy', 7n, 3n)
    expect(await shown({ to: BAZAAR, data })).toMatchObject({
      title: 'Send a transaction',
      detail: `0 ETH to 0x000000…2AA2, data ${data.slice(0, 10)}…`,
      text: undefined,
      data,
    })
  })
})

describe('errors', () => {
  test('default: of the contract that is called', async () => {
    const { shown } = await begin()
    const { warnings } = await shown({ to: BAZAAR, data: calls('Bazaar', 'buy', 7n, 101n) })
    expect(warnings).toEqual([
      `The transaction will revert: TooMuch(wanted: 101, by: ${ALICE_SHOWN})`,
    ])
  })

  test('default: of a contract that it calls in turn', async () => {
    const { shown } = await begin()
    const { warnings } = await shown({ to: BAZAAR, data: calls('Bazaar', 'open', COFFER) })
    expect(warnings).toEqual([
      `The transaction will revert: Locked(by: ${BAZAAR_SHOWN}, why: "no key")`,
    ])
  })

  /** Code that reverts with these bytes. */
  function reverting(data: Hex): Hex {
    const bytes = data.slice(2)
    const length = toHex(bytes.length / 2, { size: 2 }).slice(2)
    // CODECOPY of what follows these 12 bytes, then REVERT.
    return `0x61${length}600c5f3961${length}5ffd${bytes}`
  }

  test.each([
    [
      'of a token (ERC-6093), without artifacts',
      encodeErrorResult({
        abi: parseAbi(['error ERC20InsufficientBalance(address a, uint256 b, uint256 c)']),
        args: [BOB, 1n, 2n],
      }),
      `The transaction will revert: ERC20InsufficientBalance(sender: ${BOB_SHOWN}, balance: 1, needed: 2)`,
    ],
    [
      'that nobody declares',
      '0x12345678',
      'The transaction will revert: unrecognized custom error (return data: 0x12345678)',
    ],
    [
      'with arguments that are cut off',
      `${keccak256(toBytes('ERC20InvalidSender(address)')).slice(0, 10)}0000`,
      'The transaction will revert: ERC20InvalidSender',
    ],
    [
      'less than a selector',
      '0x1234',
      'The transaction will revert: unrecognized custom error (return data: 0x1234)',
    ],
  ] as const)('%s', async (_name, data, warning) => {
    const { shown } = await begin({}, { [STAND]: reverting(data as Hex) })
    expect((await shown({ to: STAND, data: '0x' })).warnings).toEqual([warning])
  })
})

describe('artifacts that do not help', () => {
  const data = calls('Bazaar', 'buy', 7n, 3n)

  test('several with the same code are all named', async () => {
    const contracts = sourceOf(['Bazaar', 'Bazaar'], ['Bazaar', 'Market'], ['Bazaar', 'Bazaar'])
    const { shown } = await begin({ contracts })
    expect((await shown({ to: BAZAAR, data })).text).toBe('Bazaar or Market.buy(id: 7, amount: 3)')
  })

  test('a standard function that the contract does not have is not called its own', async () => {
    const { shown } = await begin()
    const transfer = calls('Coupon', 'transfer', BOB, 5n)
    expect(await shown({ to: BAZAAR, data: transfer })).toMatchObject({
      title: 'Call transfer',
      to: `${BAZAAR_SHOWN} (Bazaar)`,
      call: { contract: null, function: 'transfer(address,uint256)' },
      warnings: ['The transaction will revert, without a message'],
    })
  })

  test('a function that the contract does not have, data that does not fit', async () => {
    const { shown } = await begin()
    expect(await shown({ to: BAZAAR, data: '0x12345678' })).toMatchObject({
      title: 'Send a transaction',
      to: `${BAZAAR_SHOWN} (Bazaar)`,
      text: 'not a function of Bazaar: 0x12345678',
      call: undefined,
      data: '0x12345678',
    })
    expect(await shown({ to: BAZAAR, data: data.slice(0, 74) as Hex })).toMatchObject({
      title: 'Call Bazaar.buy',
      text: 'Bazaar.buy, but its arguments cannot be read',
      call: { function: 'buy(uint256,uint256)', arguments: null },
      data: data.slice(0, 74),
    })
    expect((await shown({ to: BAZAAR, data: '0x12' })).data).toBe('0x12')
  })

  const nonsense = [
    null,
    5,
    { name: 5, abi: [], initCodeLength: 1 },
    { name: 'NoAbi', initCodeLength: 1 },
  ]
  test.each([
    ['nonsense', () => Promise.resolve(nonsense)],
    ['no list', () => Promise.resolve(null)],
    ['no promise', () => undefined],
  ])('what answers %s costs the names', async (_name, answer) => {
    // What a JavaScript program may pass.
    const contracts = { deployedAs: answer, createdBy: answer, all: answer } as never
    const { shown } = await begin({ contracts })
    expect(await shown({ to: BAZAAR, data })).toMatchObject({ text: undefined, data, warnings: [] })
    expect(await shown({ data: artifact('Coupon').bytecode })).toMatchObject({ warnings: [] })
  })

  test('an ABI of nonsense costs what it says, not the rest', async () => {
    const abi = [
      null,
      { type: 'function' },
      { type: 'function', name: 'odd', inputs: [{ type: 'monkey' }] },
      ...artifact('Bazaar').abi,
    ]
    const answer = () => Promise.resolve([{ name: 'Odd', initCodeLength: 1, abi }])
    const { shown } = await begin({
      contracts: { deployedAs: answer, createdBy: answer, all: answer },
    })
    expect((await shown({ to: BAZAAR, data })).text).toBe('Odd.buy(id: 7, amount: 3)')
    const odd = keccak256(toBytes('odd(monkey)')).slice(0, 10) as Hex
    expect((await shown({ to: BAZAAR, data: odd })).text).toBe(
      'Odd.odd, but its arguments cannot be read',
    )
  })

  test('functions that fail are reported, and cost the names', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const fail = () => Promise.reject(new Error('disk gone'))
    const { shown } = await begin({ contracts: { deployedAs: fail, createdBy: fail, all: fail } })
    expect(await shown({ to: BAZAAR, data })).toMatchObject({ text: undefined, data })
    expect(String(reported.mock.lastCall?.[0])).toMatch('option contracts failed')
    reported.mockRestore()
  })

  test('functions that never answer cost at most a second', async () => {
    const never = () => new Promise<never>(() => undefined)
    const { shown } = await begin({
      contracts: { deployedAs: never, createdBy: never, all: never },
    })
    const transfer = calls('Coupon', 'transfer', BOB, 5n)
    expect(await shown({ to: BAZAAR, data: transfer })).toMatchObject({
      text: `transfer(to: ${BOB_SHOWN}, amount: 5)`,
    })
  })

  test('a megabyte of calldata is shown in a few kilobytes', async () => {
    const { shown } = await begin()
    const ids = Array.from({ length: 16_000 }, (_, id) => BigInt(id))
    const many = calls('Bazaar', 'giveMany', BOB, ids, ids)
    const list = await shown({ to: BAZAAR, data: many })
    expect(JSON.stringify(list).length).toBeLessThan(50_000)
    expect(list.call?.arguments?.[1]).toMatchObject({ type: 'uint256[]', omitted: 15_950 })
    const bytes = calls('Bazaar', 'place', [], `0x${'ab'.repeat(1_000_000)}`)
    const blob = await shown({ to: BAZAAR, data: bytes })
    expect(JSON.stringify(blob).length).toBeLessThan(50_000)
    expect(blob.text).toMatch(/data: 0x(?:ab){1000}… and 999,000 more bytes\)$/)
    const unknown = await shown({ to: BAZAAR, data: `0x${'ab'.repeat(1_000_000)}` })
    expect(unknown.data).toMatch(/^0x(?:ab){256}… \(1,000,000 bytes in all\)$/)
  })
})
