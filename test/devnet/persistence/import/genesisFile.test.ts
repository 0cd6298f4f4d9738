import { describe, expect, test } from 'vitest'
import { Engine } from '../../../../devnet/engine/engine.ts'
import {
  createFileBase,
  readGenesisFile,
} from '../../../../devnet/persistence/import/genesisFile.ts'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { BLOCK_FORKS, FUNDED, genesisOf, temporaryFile } from '../../../support/genesisFile.ts'

const [FIRST] = FUNDED

/** Block 0 and its state, as the node makes them of a file. */
async function genesisBlock(
  content: string | object,
  path = temporaryFile('genesis.json', content),
) {
  const file = await readGenesisFile(path)
  const { chainId, schedule } = file
  const engine = await Engine.create({ chainId, schedule, codes: (hash) => new Codes(hash) })
  const { history, store } = await createFileBase(file, engine)
  return { ...history.head, state: store.view(), chainId }
}

async function failure(content: string | object): Promise<string> {
  const path = temporaryFile('genesis.json', content)
  try {
    await genesisBlock(content, path)
  } catch (error) {
    if (error instanceof ChainFileError) return error.message.replace(path, 'genesis.json')
    throw error
  }
  throw new Error('The file was accepted')
}

describe('header', () => {
  test('default: the fields of the file', async () => {
    const { header } = await genesisBlock(
      genesisOf(BLOCK_FORKS, {
        nonce: '0x42',
        timestamp: 1234,
        extraData: '0xc0ffee',
        coinbase: `0x${'ab'.repeat(20)}`,
        mixHash: `0x${'cd'.repeat(32)}`,
        difficulty: '131073',
        gasLimit: 30_000_000,
        baseFeePerGas: '0x7',
      }),
    )
    expect(header).toMatchObject({
      number: 0n,
      timestamp: 1234n,
      difficulty: 131_073n,
      gasLimit: 30_000_000n,
      baseFeePerGas: 7n,
    })
    expect(toHex(header.nonce)).toBe('0x0000000000000042')
    expect(toHex(header.extraData)).toBe('0xc0ffee')
    expect(toHex(header.coinbase)).toBe(`0x${'ab'.repeat(20)}`)
    expect(toHex(header.mixHash)).toBe(`0x${'cd'.repeat(32)}`)
  })

  test('default: what the file leaves out', async () => {
    const { difficulty, ...genesis } = genesisOf({ ...BLOCK_FORKS, shanghaiTime: 0 })
    const { header } = await genesisBlock(genesis)
    expect(header).toMatchObject({ difficulty: 0n, baseFeePerGas: 10n ** 9n })
  })

  test('the fields of its hardfork and no others', async () => {
    const names = async (config: object) => {
      const { header } = await genesisBlock(genesisOf({ ...config }))
      return Object.keys(header).slice(15)
    }
    const times = { shanghaiTime: 0, cancunTime: 0, pragueTime: 0 }
    expect(await names({})).toEqual([])
    expect(await names(BLOCK_FORKS)).toEqual(['baseFeePerGas'])
    expect(await names({ ...BLOCK_FORKS, ...times })).toEqual([
      'baseFeePerGas',
      'withdrawalsRoot',
      'blobGasUsed',
      'excessBlobGas',
      'parentBeaconBlockRoot',
      'requestsHash',
    ])
  })
})

describe('alloc', () => {
  test('default: balance, nonce, code and storage, with and without 0x', async () => {
    const one = `0x${'0'.repeat(63)}1`
    const { state, chainId } = await genesisBlock({
      config: { chainId: 7 },
      gasLimit: '5000',
      difficulty: 1,
      alloc: {
        [FIRST.slice(2).toUpperCase()]: { balance: '1000', nonce: 3 },
        [`0x${'c0'.repeat(20)}`]: { code: '0x6001', storage: { [one]: '0xff', '02': '0x00' } },
        [`0x${'e0'.repeat(20)}`]: { balance: '0x0' },
      },
    })
    expect(chainId).toBe(7)
    expect(state.account(addressKeyFromHex(FIRST))).toMatchObject({ balance: 1000n, nonce: 3n })
    const contract = addressKeyFromHex(`0x${'c0'.repeat(20)}`)
    const code = state.code(state.account(contract)?.codeHash ?? new Uint8Array())
    expect(toHex(code)).toBe('0x6001')
    expect(toHex(state.slot(contract, slotKeyFromBigInt(1n)))).toBe('0xff')
    expect([...state.slots(contract)]).toHaveLength(1)
    // geth has empty accounts in its genesis too: they are in the state root.
    expect(state.account(addressKeyFromHex(`0x${'e0'.repeat(20)}`))).not.toBeNull()
  })
})

describe('errors', () => {
  const genesis = genesisOf(BLOCK_FORKS)

  test('error: no such file', async () => {
    await expect(readGenesisFile('/nowhere/genesis.json')).rejects.toThrow(
      new ChainFileError(
        '/nowhere/genesis.json cannot be read: ENOENT: no such file or directory.',
      ),
    )
  })

  test('error: a folder', async () => {
    await expect(readGenesisFile('/')).rejects.toThrow(
      new ChainFileError('/ cannot be read: it is a folder.'),
    )
  })

  test('error: no JSON', async () => {
    expect(await failure('{"config": {')).toMatch(/^genesis\.json is not JSON: .*position 12/)
    expect(await failure('[]')).toBe('genesis.json must hold a JSON object.')
    expect(await failure('null')).toBe('genesis.json must hold a JSON object.')
  })

  test.each<[object, string]>([
    [{ alloc: {} }, 'config is missing.'],
    [{ ...genesis, config: [] }, 'config must be an object, not [].'],
    [{ ...genesis, config: {} }, 'config.chainId is missing.'],
    [
      { ...genesis, config: { chainId: 0 } },
      'config.chainId must be from 1 to 9007199254740991, not 0.',
    ],
    [{ ...genesis, config: { chainId: '1x' } }, 'config.chainId must be a whole number, not "1x".'],
    [{ ...genesis, alloc: undefined }, 'alloc is missing.'],
    [{ ...genesis, gasLimit: undefined }, 'gasLimit is missing.'],
    [
      { ...genesis, gasLimit: `0x1${'0'.repeat(16)}` },
      'gasLimit must be a number below 2^64, not "0x10000000000000000".',
    ],
    [
      { ...genesis, difficulty: 2 ** 60 },
      'difficulty is too large for a JSON number: write it as text, in quotes.',
    ],
    [{ ...genesis, number: 1 }, 'number must be 0.'],
    [{ ...genesis, mixHash: '0xzz' }, 'mixHash must be hexadecimal, not "0xzz".'],
    [
      { ...genesis, coinbase: `0x${'00'.repeat(21)}` },
      `coinbase must be hexadecimal of 20 bytes, not "0x${'00'.repeat(21)}".`,
    ],
    [
      { ...genesis, extraData: '0x123' },
      'extraData must be whole bytes in hexadecimal, not "0x123".',
    ],
    [
      { ...genesis, alloc: { '0x12': {} } },
      'alloc.0x12 is not an address of 40 hexadecimal digits.',
    ],
    [{ ...genesis, alloc: { [FIRST]: 5 } }, `alloc.${FIRST} must be an object, not 5.`],
    [
      { ...genesis, alloc: { [FIRST]: { balance: '1 ETH' } } },
      `alloc.${FIRST}.balance must be a whole number, not "1 ETH".`,
    ],
    [
      { ...genesis, alloc: { [FIRST]: { storage: { x: '0x1' } } } },
      `alloc.${FIRST}.storage.x is not a storage slot in hexadecimal.`,
    ],
    [
      { ...genesis, alloc: { [FIRST]: { storage: { '0x1': 5 } } } },
      `alloc.${FIRST}.storage.0x1 must be hexadecimal, not 5.`,
    ],
  ])('error: %#', async (content, message) => {
    expect(await failure(content)).toBe(`genesis.json: ${message}`)
  })
})
