import {
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { ReadArgument } from '../../../devnet/dashboard/contractCalls.ts'
import type { ContractSource, OptionsInput } from '../../../devnet/index.ts'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

/** Neither unlocked nor impersonated. */
const STRANGER = `0x${'ab'.repeat(20)}` as const
const ETHER = 10n ** 18n

async function startWith(name: string, args: unknown[] = [], options: OptionsInput = {}) {
  const started = await startDashboard({ contracts: sourceOf('Token', 'Vault', name), ...options })
  const { rpc, ask } = started
  let nonce = 0n
  const deploy = async (contract: string, ...given: unknown[]) => {
    const { abi, bytecode } = artifact(contract)
    const data = encodeDeployData({ abi, bytecode, args: given })
    await rpc('eth_sendTransaction', { from: ALICE, data, gas: '0x300000' })
    await rpc('preconf_advance', { ticks: 1 })
    return getContractAddress({ from: ALICE, nonce: nonce++ }).toLowerCase() as Hex
  }
  const address = await deploy(name, ...args)
  const params = (
    signature: string,
    given: readonly ReadArgument[],
    from: Hex,
    value?: string,
  ) => ({
    address,
    function: signature,
    args: given,
    from,
    ...(value === undefined ? {} : { value }),
  })
  return {
    ...started,
    address,
    deploy,
    send: (...given: Parameters<typeof params>) => ask('send', params(...given)),
    simulate: (...given: Parameters<typeof params>) => ask('simulate', params(...given)),
    read: (calls: readonly [string, ...ReadArgument[]][], known?: string) =>
      ask('read', {
        address,
        calls: calls.map(([signature, ...given]) => ({ function: signature, args: given })),
        ...(known === undefined ? {} : { known }),
      }),
  }
}

const values = (value: string) => ({ values: [expect.objectContaining({ value })] })

describe('send', () => {
  test('default: signed for an unlocked account, with amounts as people write them', async () => {
    const token = await startWith('Token', [0n])
    const { hash } = await token.send('mint(address,uint256)', [BOB, '1.5e18'], ALICE)
    expect(await token.ask('transaction', { hash })).toMatchObject({
      state: 'queued',
      from: ALICE,
      impersonated: false,
      call: { text: 'Token.mint(to: Account #1, value: 1.5e18)' },
    })
    await token.ask('command', { name: 'tick' })
    const { results } = await token.read([['balanceOf(address)', BOB]])
    expect(results?.[0]).toMatchObject({ pending: values(String((15n * ETHER) / 10n)) })
  })

  test('a payable function gets its value', async () => {
    const { rpc, ask, deploy } = await startWith('Vault', [BOB])
    const token = await deploy('Token', 0n)
    const vault = await deploy('Vault', token)
    const call = { address: vault, function: 'deposit()', args: [], from: BOB } as const
    await ask('send', { ...call, value: '0.5 ether' })
    await ask('command', { name: 'tick' })
    expect(BigInt((await rpc('eth_getBalance', vault, 'pending')) as Hex)).toBe(ETHER / 2n)
    for (const value of ['-1', '0.5', 'much', '1e78']) {
      await expect(ask('send', { ...call, value })).rejects.toThrow(/^value: /)
    }
  })

  test('any account sends, which is impersonated for that one transaction', async () => {
    const token = await startWith('Token', [0n])
    await token.rpc('hardhat_setBalance', STRANGER, '0xde0b6b3a7640000')
    const { hash } = await token.send('mint(address,uint256)', [STRANGER, '5'], STRANGER)
    await token.ask('command', { name: 'tick' })
    expect(await token.ask('transaction', { hash })).toMatchObject({
      from: STRANGER,
      impersonated: true,
      outcome: { success: true },
    })
    await expect(token.rpc('eth_sendTransaction', { from: STRANGER, to: BOB })).rejects.toThrow(
      'Unknown account',
    )
  })

  test('a refusal has the words of the node', async () => {
    const token = await startWith('Token', [0n])
    await expect(token.send('mint(address,uint256)', [STRANGER, '5'], STRANGER)).rejects.toThrow(
      /funds/,
    )
    const instant = await startWith('Playground', [], {
      frozenTicks: false,
      instant: true,
    })
    await expect(instant.send('failWithReason(string)', ['late'], BOB)).rejects.toThrow('late')
    await expect(instant.send('storeAndFail(uint256,uint256)', ['1', '2'], BOB)).rejects.toThrow(
      'inner',
    )
  })

  test('a node that follows another one refuses to send, and simulates', async () => {
    const followed = await startWith('Token', [7n])
    await followed.ask('command', { name: 'seal' })
    const { ask } = await startDashboard({
      contracts: sourceOf('Token'),
      follow: followed.devnet.flashblocksUrl,
      frozenTicks: false,
      timestamp: undefined,
    })
    const params = {
      address: followed.address,
      function: 'transfer(address,uint256)',
      args: [BOB, '2'],
      from: ALICE,
    } as const
    await expect
      .poll(() => ask('simulate', params).catch(({ message }: Error) => message))
      .toMatchObject({ failure: null, returns: [{ value: 'true' }] })
    await expect(ask('send', params)).rejects.toThrow('send transactions and commands to that node')
  })

  test.each(['base', 'optimism'] as const)(
    'a rollup of profile %s takes it too',
    async (profile) => {
      const token = await startWith('Token', [9n], { profile })
      expect(await token.simulate('transfer(address,uint256)', [BOB, '4'], ALICE)).toMatchObject({
        failure: null,
        events: [{ event: 'Transfer(address,address,uint256)' }],
      })
      const { hash } = await token.send('transfer(address,uint256)', [BOB, '4'], ALICE)
      await token.ask('command', { name: 'tick' })
      expect(await token.ask('transaction', { hash })).toMatchObject({ outcome: { success: true } })
      const { results } = await token.read([['balanceOf(address)', BOB]])
      expect(results).toEqual([expect.objectContaining({ pending: values('4') })])
    },
  )
})

describe('simulate', () => {
  test('default: results, gas, what the sender gains and loses, events', async () => {
    const token = await startWith('Token', [5n * ETHER])
    await token.rpc('preconf_seal')
    const answer = await token.simulate('transfer(address,uint256)', [BOB, '2 ether'], ALICE)
    expect(answer).toMatchObject({
      failure: null,
      returns: [{ type: 'bool', value: 'true' }],
      assets: [expect.stringMatching(/^−2 of a token \(0x/)],
      events: [{ contract: 'Token', event: 'Transfer(address,address,uint256)' }],
      omittedEvents: 0,
      names: { [BOB]: 'Account #1' },
    })
    expect(answer.gasUsed).toBeGreaterThan(21_000)
    const { results } = await token.read([['balanceOf(address)', BOB]])
    expect(results?.[0]).toMatchObject({ pending: values('0') })
  })

  test('it runs after what is pre-confirmed, and ether that moves is no event', async () => {
    const { ask, deploy } = await startWith('Vault', [BOB])
    const vault = await deploy('Vault', await deploy('Token', 0n))
    const call = { address: vault, from: BOB } as const
    const params = { ...call, function: 'deposit()', args: [], value: '1 ether' }
    expect(await ask('simulate', params)).toMatchObject({
      failure: null,
      assets: ['−1 ETH', expect.stringContaining('+0.01 ')],
      events: [{ contract: 'Token' }, { contract: 'Vault' }],
    })
    const withdraw = { ...call, function: 'withdraw(uint256)', args: ['1 ether'] }
    expect(await ask('simulate', withdraw)).toMatchObject({
      returns: null,
      assets: [],
      failure: { error: `InsufficientShares(wanted: ${ETHER}, left: 0)` },
    })
    await ask('send', params)
    await ask('command', { name: 'tick' })
    expect(await ask('simulate', withdraw)).toMatchObject({ failure: null, assets: ['+1 ETH'] })
  })

  test('a sender without funds is told so', async () => {
    const token = await startWith('Token', [0n])
    const answer = await token.simulate('mint(address,uint256)', [BOB, '5'], STRANGER, '1 ether')
    expect(answer.failure?.message).toMatch(/funds/)
  })
})

describe('read', () => {
  test('several functions are answered for both states in one request', async () => {
    const token = await startWith('Token', [7n])
    const { results } = await token.read([['name()'], ['decimals()'], ['totalSupply()']])
    expect(results).toMatchObject([
      { pending: values('"Token"') },
      { pending: values('18') },
      { sealed: { failure: {} }, pending: values('7') },
    ])
  })

  test('nothing runs again until something changes, which an empty tick does not', async () => {
    const token = await startWith('Token', [7n])
    const calls = [['totalSupply()']] as [string][]
    let { state } = await token.read(calls)
    const next = async () => {
      const answer = await token.read(calls, state)
      state = answer.state
      return answer.results
    }
    expect(await next()).toBeNull()
    await token.rpc('preconf_advance', { ticks: 3 })
    expect(await next()).toBeNull()
    await token.send('mint(address,uint256)', [BOB, '5'], ALICE)
    expect(await next()).toBeNull()
    await token.rpc('preconf_advance', { ticks: 1 })
    expect(await next()).toMatchObject([{ pending: values('12') }])
    await token.rpc('hardhat_setStorageAt', token.address, '0x0', `0x${'0'.repeat(62)}63`)
    expect(await next()).toMatchObject([{ pending: values('99') }])
    await token.rpc('preconf_seal')
    expect(await next()).toMatchObject([{ sealed: values('99'), pending: values('99') }])
    const snapshot = await token.rpc('evm_snapshot')
    await token.send('mint(address,uint256)', [BOB, '1'], ALICE)
    await token.rpc('preconf_advance', { ticks: 1 })
    expect(await next()).toMatchObject([{ pending: values('100') }])
    await token.rpc('evm_revert', snapshot)
    expect(await next()).toMatchObject([{ pending: values('99') }])
  })

  test('a function that takes too long costs its own answer', async () => {
    const spinning = await startEcho(parseAbi(['function spin() view', 'function one() view']))
    const call = (name: string) => ({ function: `${name}()`, args: [] })
    const { state, results } = await spinning.ask('read', {
      address: spinning.address,
      calls: [call('spin'), call('one'), call('one')],
    })
    expect(state).toBe('')
    expect(results?.[0]).toEqual({ sealed: { isLate: true }, pending: { isLate: true } })
    expect(results?.[2]).toMatchObject({ pending: { values: [] } })
  })

  test('more than 40 calls are refused', async () => {
    const token = await startWith('Token', [0n])
    const calls = Array<[string]>(41).fill(['name()'])
    await expect(token.read(calls)).rejects.toMatchObject({ code: -32602 })
    await expect(token.read([])).rejects.toMatchObject({ code: -32602 })
  })
})

/** Returns its arguments; the function spin() never ends. */
const ECHO: Hex = `0x5f3560e01c63${toFunctionSelector('spin()').slice(2)}14601957600436038060045f375ff35b601956`
const ECHO_ADDRESS = `0x${'ec'.repeat(20)}` as const

/** A node with a contract that has an ABI of one's own. */
async function startEcho(abi: readonly unknown[], name = 'Echo') {
  const echo = [{ name, abi, initCodeLength: 0 }]
  const contracts: ContractSource = {
    deployedAs: async (code) => (code === ECHO ? echo : []),
    createdBy: async () => [],
    all: async () => echo,
  }
  const started = await startDashboard({ contracts, callGasLimit: 10_000_000_000 })
  await started.rpc('hardhat_setCode', ECHO_ADDRESS, ECHO)
  return { ...started, address: ECHO_ADDRESS }
}

const STRUCTS = parseAbi([
  'struct Item { bool isOpen; string label }',
  'struct Order { address maker; uint256[] amounts; Item[] items }',
  'function place(Order order, bytes4[2] marks, int8 side) view returns (Order order, bytes4[2] marks, int8 side)',
])

describe('arguments', () => {
  const signature = 'place((address,uint256[],(bool,string)[]),bytes4[2],int8)'
  const args = [
    [
      BOB,
      ['1 gwei', '0x10', '1_000'],
      [
        ['true', 'a "b", 1'],
        ['false', ''],
      ],
    ],
    ['0x01020304', '0xffffffff'],
    '-3',
  ]

  test('structs, arrays and units are encoded as viem does', async () => {
    const { ask, address } = await startEcho(STRUCTS)
    const { data, arguments: list } = await ask('encode', { address, function: signature, args })
    const order = {
      maker: BOB,
      amounts: [10n ** 9n, 16n, 1_000n],
      items: [
        { isOpen: true, label: 'a "b", 1' },
        { isOpen: false, label: '' },
      ],
    } as const
    const encoded = encodeFunctionData({
      abi: STRUCTS,
      args: [order, ['0x01020304', '0xffffffff'], -3],
    })
    expect(data).toBe(encoded)
    expect(list?.[0]).toMatchObject({ name: 'order', value: [{ value: BOB }, {}, {}] })
    const { results } = await ask('read', { address, calls: [{ function: signature, args }] })
    expect(results?.[0]?.pending).toMatchObject({ values: list?.map(({ value }) => ({ value })) })
  })

  test('the page learns the fields of structs', async () => {
    const { ask, address } = await startEcho(STRUCTS)
    const { functions, senders, names } = await ask('contract', { address })
    expect(functions[0]?.inputs[0]).toMatchObject({
      name: 'order',
      components: [
        { name: 'maker', type: 'address', components: [] },
        { name: 'amounts', type: 'uint256[]' },
        { name: 'items', components: [{ name: 'isOpen', type: 'bool' }, { name: 'label' }] },
      ],
    })
    expect([senders[0], senders[1]]).toEqual([ALICE, BOB])
    expect(names[BOB]).toBe('Account #1')
    expect((await ask('contract', { fullName: 'Echo' })).functions).toEqual(functions)
    await expect(ask('contract', { fullName: 'Nobody' })).rejects.toThrow('no contract Nobody')
  })

  test.each([
    [[], 'the function takes 3 values, not 0'],
    [[args[0] ?? '', ['0x01020304'], '1'], 'bytes4[2] takes 2 values, not 1'],
    [[args[0] ?? '', args[1] ?? '', '128'], '128 does not fit into int8'],
    [[[BOB, [], 'x'], args[1] ?? '', '1'], '(bool,string)[] wants a list'],
    [[['bob', [], []], args[1] ?? '', '1'], 'address wants 0x and 40 digits'],
  ])('%j: %s', async (given, message) => {
    const { ask, address } = await startEcho(STRUCTS)
    const refused = ask('encode', { address, function: signature, args: given })
    await expect(refused).rejects.toMatchObject({ code: -32602, message })
  })
})

describe('hostile contracts', () => {
  test('of a function with very many parameters, the page learns 100', async () => {
    const components = Array.from({ length: 200 }, () => ({ type: 'bool', name: 'x'.repeat(999) }))
    const inputs = Array.from({ length: 200 }, () => ({ type: 'tuple', name: '', components }))
    const entry = { type: 'function', name: 'f', stateMutability: 'payable', inputs }
    const { ask, address } = await startEcho([entry], '<script>alert(1)</script>')
    const { functions } = await ask('contract', { address })
    expect(functions[0]?.inputs).toHaveLength(100)
    expect(functions[0]?.inputs[0]?.components).toEqual([])
    expect(JSON.stringify(functions).length).toBeLessThan(50_000)
  })

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'a function %s is one by its signature only',
    async (name) => {
      const entry = { type: 'function', name, stateMutability: 'view', inputs: [], outputs: [] }
      const { ask, address } = await startEcho([entry])
      const calls = [{ function: `${name}()`, args: [] }]
      expect(await ask('read', { address, calls })).toMatchObject({
        results: [{ pending: { values: [] } }],
      })
      const refused = ask('read', { address, calls: [{ function: name, args: [] }] })
      await expect(refused).rejects.toThrow(`has no function ${name}`)
    },
  )

  test.each(['uint999999999999', 'bytes64', 'uint256[4294967296]', 'fixed128x18', 'a<b>'])(
    'a type %s is refused in words',
    async (type) => {
      const inputs = [{ type, name: 'x' }]
      const entry = { type: 'function', name: 'f', stateMutability: 'view', inputs, outputs: [] }
      const { ask, address } = await startEcho([entry])
      const args = type.endsWith(']') ? [['1']] : ['1']
      const refused = ask('encode', { address, function: `f(${type})`, args })
      await expect(refused).rejects.toMatchObject({ code: -32602 })
    },
  )
})
