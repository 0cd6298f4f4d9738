import { encodeDeployData, encodeFunctionData, getAddress, type Hex, keccak256, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { ContractSource } from '../../../devnet/index.ts'
import { sourceOf, withLayout } from '../../support/contractSource.ts'
import { Random } from '../../support/random.ts'
import { type Artifact, artifact, compile } from '../../support/solidity.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

const ZERO = '0x0000000000000000000000000000000000000000'
const LONG = 'a text that is longer than the 31 bytes that one slot holds beside its length'

async function start(contracts: ContractSource = sourceOf('Ledger', 'Front')) {
  const started = await startDashboard({ contracts, frozen: true })
  const { rpc, ask } = started
  const send = async (to: Hex | undefined, data: Hex): Promise<Hex> => {
    const transaction = { from: ALICE, ...(to === undefined ? {} : { to }), data, gas: '0xe00000' }
    const hash = (await rpc('eth_sendTransaction', transaction)) as Hex
    await rpc('preconf_advance', { ticks: 1 })
    return hash
  }
  return {
    ...started,
    async deploy({ abi, bytecode }: Artifact, ...args: unknown[]): Promise<Hex> {
      const hash = await send(undefined, encodeDeployData({ abi, bytecode, args }))
      const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
      return receipt.contractAddress
    },
    /** The changes of storage of one account by a call. */
    async changes({ abi }: Artifact, to: Hex, functionName: string, ...args: unknown[]) {
      const hash = await send(to, encodeFunctionData({ abi, functionName, args }))
      const { changes, failure } = await ask('trace', { hash })
      expect(failure).toBeNull()
      const found = changes.find(({ address }) => address === to)
      const variables = found?.variables.map(({ name, type, before, after }) => ({
        name,
        type,
        before,
        after,
      }))
      return { variables, storage: found?.storage, lacksLayout: found?.lacksLayout }
    },
  }
}

const by = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

describe('changes of storage by variable', () => {
  test('default: a struct in a mapping, packed fields, arrays and texts in it', async () => {
    const { deploy, changes } = await start()
    const ledger = await deploy(artifact('Ledger'))
    const { variables, storage } = await changes(
      artifact('Ledger'),
      ledger,
      'open',
      BOB,
      70n,
      'short',
    )
    expect(storage).toEqual([])
    expect(variables?.toSorted(by)).toEqual([
      {
        name: 'positions[Account #1].friends.length',
        type: 'uint256',
        before: '0',
        after: '1',
      },
      {
        name: 'positions[Account #1].friends[0]',
        type: 'address',
        before: ZERO,
        after: ALICE,
      },
      { name: 'positions[Account #1].isOpen', type: 'bool', before: 'false', after: 'true' },
      { name: 'positions[Account #1].mood', type: 'enum Ledger.Mood', before: '0', after: '1' },
      { name: 'positions[Account #1].note', type: 'string', before: '""', after: '"short"' },
      { name: 'positions[Account #1].shares', type: 'uint128', before: '0', after: '70' },
    ])
    const again = await changes(artifact('Ledger'), ledger, 'open', BOB, 71n, LONG)
    expect(again.variables).toEqual(
      expect.arrayContaining([
        { name: 'positions[Account #1].shares', type: 'uint128', before: '70', after: '71' },
        {
          name: 'positions[Account #1].note',
          type: 'string',
          before: '"short"',
          after: JSON.stringify(LONG),
        },
      ]),
    )
    expect(again.storage).toEqual([])
  })

  test('numbers, keys that are texts, fixed arrays, and types of the project', async () => {
    const { deploy, changes } = await start()
    const ledger = await deploy(artifact('Ledger'))
    const { variables, storage } = await changes(artifact('Ledger'), ledger, 'rest', 'red', 12n)
    expect(storage).toEqual([])
    const named = Object.fromEntries(variables?.map(({ name, after }) => [name, after]) ?? [])
    expect(named).toEqual({
      small: '7',
      negative: '-2',
      owner: ALICE,
      'scores["red"][12]': '-5',
      'fixedList[3]': '9',
      price: '0x000000000000000000000005',
      tag: '0x12345678',
    })
  })

  test('elements of an array of structs, whose slots the compiler knows', async () => {
    const { deploy, changes } = await start()
    const ledger = await deploy(artifact('Ledger'))
    await changes(artifact('Ledger'), ledger, 'push', 'first')
    const { variables, storage } = await changes(artifact('Ledger'), ledger, 'push', LONG)
    expect(storage).toEqual([])
    expect(variables?.toSorted(by).map(({ name, after }) => [name, after])).toEqual([
      ['list.length', '2'],
      ['list[1].note', JSON.stringify(LONG)],
      ['list[1].shares', '3'],
    ])
  })

  test('a text that stays long shows the words that changed', async () => {
    const { deploy, changes } = await start()
    const ledger = await deploy(artifact('Ledger'))
    await changes(artifact('Ledger'), ledger, 'rename', LONG, '0x1234')
    const { variables } = await changes(
      artifact('Ledger'),
      ledger,
      'rename',
      `${LONG.slice(0, -1)}!`,
      '0x',
    )
    expect(variables?.toSorted(by)).toEqual([
      { name: 'data', type: 'bytes', before: '0x1234', after: '0x' },
      expect.objectContaining({ name: 'title[64…]' }),
    ])
  })

  test('a proxy has the variables of its implementation, and its own slot by name', async () => {
    const { deploy, changes } = await start()
    const first = await deploy(artifact('Ledger'))
    const front = await deploy(artifact('Front'), first)
    const { variables, storage } = await changes(artifact('Ledger'), front, 'rest', 'red', 12n)
    expect(storage).toEqual([])
    expect(variables?.map(({ name }) => name)).toContain('scores["red"][12]')
    const second = await deploy(artifact('Ledger'))
    expect((await changes(artifact('Front'), front, 'upgradeTo', second)).variables).toEqual([
      {
        name: 'implementation (EIP-1967)',
        type: 'address',
        before: first,
        after: second,
      },
    ])
  })

  test('without a layout slots are shown as they are, and it says so', async () => {
    const source = sourceOf('Ledger')
    const plain: ContractSource['deployedAs'] = async (code) =>
      (await source.deployedAs(code)).map((one) => ({ ...one, compiled: undefined }))
    const { deploy, changes } = await start({ ...source, deployedAs: plain })
    const ledger = await deploy(artifact('Ledger'))
    const found = await changes(artifact('Ledger'), ledger, 'rest', 'red', 12n)
    expect(found).toMatchObject({ variables: [], lacksLayout: true })
    expect(found.storage?.length).toBeGreaterThan(3)
  })

  test.each([
    ['no object', 'text'],
    ['no list', { storage: 5, types: null }],
    [
      'a type that holds itself',
      {
        storage: [{ label: 'x', slot: '0', offset: 0, type: 't' }],
        types: { t: { label: 'x[9]', encoding: 'inplace', numberOfBytes: '288', base: 't' } },
      },
    ],
    [
      'a huge one',
      {
        storage: [{ label: 'x', slot: '0', offset: 0, type: 't' }],
        types: {
          t: {
            label: `u[${10n ** 60n}]`,
            encoding: 'inplace',
            numberOfBytes: `${10n ** 62n}`,
            base: 'u',
          },
          u: { label: 'uint8', encoding: 'inplace', numberOfBytes: '1' },
        },
      },
    ],
  ])('a layout that is malformed harms nothing: %s', async (_name, storageLayout) => {
    const source = sourceOf('Ledger')
    const bent: ContractSource['deployedAs'] = async (code) =>
      (await source.deployedAs(code)).map((one) => ({
        ...one,
        compiled: async () => withLayout(storageLayout),
      }))
    const { deploy, changes } = await start({ ...source, deployedAs: bent })
    const ledger = await deploy(artifact('Ledger'))
    const started = performance.now()
    await changes(artifact('Ledger'), ledger, 'rest', 'red', 12n)
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

/** A type of a random contract, and the assignments that give it values. */
interface Sample {
  readonly type: string
  assign(path: Path, keys: Keys): void
}

/** As Solidity writes it, and as the dashboard shows it. */
interface Path {
  readonly source: string
  readonly shown: string
}

interface Keys {
  readonly numbers: bigint[]
  readonly texts: string[]
}

/** A contract with random variables, and what is expected of a call that gives them values. */
function randomContract(random: Random) {
  const structs: string[] = []
  const lines: string[] = []
  const expected = new Map<string, string>()
  const keys: Keys = { numbers: [], texts: [] }
  const put = ({ source, shown }: Path, literal: string, text: string) => {
    lines.push(`${source} = ${literal};`)
    expected.set(shown, text)
  }
  const number = (bits: number) =>
    1n + (BigInt(keccak256(toHex(random.below(2 ** 31)))) % (2n ** BigInt(bits) - 1n))

  function value(): Sample {
    const bytes = 1 + random.below(32)
    const kind = random.below(6)
    if (kind === 0) return { type: 'bool', assign: (path) => put(path, 'true', 'true') }
    if (kind === 1) {
      const digits = number(160).toString(16).padStart(40, '0')
      const address = getAddress(`0x${digits}`)
      return { type: 'address', assign: (path) => put(path, address, address.toLowerCase()) }
    }
    if (kind === 2) {
      const found = -number(8 * bytes - 1)
      return { type: `int${8 * bytes}`, assign: (path) => put(path, `${found}`, `${found}`) }
    }
    if (kind === 3) {
      const digits = `0x${number(8 * bytes)
        .toString(16)
        .padStart(2 * bytes, '0')}`
      return {
        type: `bytes${bytes}`,
        assign: (path) => put(path, `bytes${bytes}(uint${8 * bytes}(${BigInt(digits)}))`, digits),
      }
    }
    const found = number(8 * bytes)
    return { type: `uint${8 * bytes}`, assign: (path) => put(path, `${found}`, `${found}`) }
  }

  function text(): Sample {
    const found = 'x'.repeat(1 + random.below(100 - 1))
    return {
      type: 'string',
      assign: (path) => put(path, `"${found}"`, JSON.stringify(found)),
    }
  }

  function sample(depth: number): Sample {
    const kind = depth > 2 ? 0 : random.below(8)
    if (kind === 3) return text()
    if (kind === 4) return struct(depth)
    if (kind === 5) {
      const [inner, length] = [sample(depth + 1), 1 + random.below(6 - 1)]
      return {
        type: `${inner.type}[${length}]`,
        assign(path) {
          const index = random.below(length)
          inner.assign(at(path, `[${index}]`), keys)
        },
      }
    }
    if (kind === 6) {
      const [inner, length] = [sample(depth + 1), 1 + random.below(4 - 1)]
      return {
        type: `${inner.type}[]`,
        assign(path) {
          for (let index = 0; index < length; index++) lines.push(`${path.source}.push();`)
          expected.set(`${path.shown}.length`, `${length}`)
          inner.assign(at(path, `[${length - 1}]`), keys)
        },
      }
    }
    if (kind === 7) {
      const inner = sample(depth + 1)
      const isText = random.below(3) === 0
      return {
        type: `mapping(${isText ? 'string' : 'uint256'} => ${inner.type})`,
        assign(path) {
          if (isText) {
            const index = keys.texts.push(`key ${keys.texts.length}`) - 1
            const source = `${path.source}[texts[${index}]]`
            inner.assign({ source, shown: `${path.shown}["key ${index}"]` }, keys)
          } else {
            const key = number(200)
            const index = keys.numbers.push(key) - 1
            const source = `${path.source}[numbers[${index}]]`
            inner.assign({ source, shown: `${path.shown}[${key}]` }, keys)
          }
        },
      }
    }
    return value()
  }

  function struct(depth: number): Sample {
    const members = Array.from({ length: 1 + random.below(6 - 1) }, () => sample(depth + 1))
    const name = `S${structs.length}`
    structs.push(
      `struct ${name} { ${members.map(({ type }, index) => `${type} m${index};`).join(' ')} }`,
    )
    return {
      type: name,
      assign: (path) => {
        for (const [index, member] of members.entries()) member.assign(at(path, `.m${index}`), keys)
      },
    }
  }

  const variables = Array.from({ length: 12 }, () => sample(0))
  for (const [index, one] of variables.entries()) {
    one.assign({ source: `v${index}`, shown: `v${index}` }, keys)
  }
  const source = `// SPDX-License-Identifier: MIT
    pragma solidity ^0.8.21;
    contract Sample {
      ${structs.join('\n')}
      ${variables.map(({ type }, index) => `${type} v${index};`).join('\n')}
      function set(uint256[] calldata numbers, string[] calldata texts) external {
        ${lines.join('\n')}
      }
    }`
  return { source, expected, keys }
}

const at = ({ source, shown }: Path, more: string): Path => ({
  source: source + more,
  shown: shown + more,
})

test.each([1, 2, 3, 4])('random variables have their names and values: seed %s', async (seed) => {
  const { source, expected, keys } = randomContract(new Random(seed))
  const sample = compile({ 'Sample.sol': { content: source } }).Sample as Artifact
  const found = async () => [
    {
      name: 'Sample',
      abi: sample.abi,
      initCodeLength: sample.bytecode.length / 2 - 1,
      compiled: async () => withLayout(sample.storageLayout),
    },
  ]
  const { deploy, changes } = await start({ deployedAs: found, createdBy: found, all: found })
  const address = await deploy(sample)
  const { variables, storage } = await changes(sample, address, 'set', keys.numbers, keys.texts)
  expect(storage).toEqual([])
  const named = Object.fromEntries(variables?.map(({ name, after }) => [name, after]) ?? [])
  expect(named).toEqual(Object.fromEntries(expected))
})
