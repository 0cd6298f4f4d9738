import { describe, expect, test } from 'vitest'
import {
  isGiven,
  type OptionsInput,
  parseOptions,
  resolveOptions,
} from '../../../devnet/options/options.ts'
import { OptionError } from '../../../devnet/primitives/errors.ts'

const fork = 'https://user:pass@rpc.example/v2/key?token=secret'
const hash = `0x${'aB'.repeat(32)}` as const

/** The message with which options are refused; fails when they are not. */
function refusal(resolve: () => unknown): string {
  try {
    resolve()
  } catch (error) {
    if (error instanceof OptionError) return error.message
    throw error
  }
  throw new Error('The options were accepted.')
}

describe('resolveOptions', () => {
  test('default', () => {
    const options = resolveOptions({ fork })
    expect(options).toMatchObject({ fork, forkBlockNumber: 'latest', forkTimeout: 45_000 })
    expect(isGiven(options, 'fork')).toBe(true)
    expect(isGiven(options, 'chainId')).toBe(false)
    expect(isGiven(resolveOptions({ fork, chainId: 31337 }), 'chainId')).toBe(true)
  })

  test.each<[NonNullable<OptionsInput['forkBlockNumber']>, unknown]>([
    [7, 7n],
    [7n, 7n],
    [-3, -3n],
    [hash, hash.toLowerCase()],
    ['safe', 'safe'],
    ['finalized', 'finalized'],
    ['latest', 'latest'],
  ])('option: forkBlockNumber %s', (forkBlockNumber, value) => {
    expect(resolveOptions({ fork, forkBlockNumber }).forkBlockNumber).toBe(value)
  })

  test.each<[object, string]>([
    [
      { fork, forkBlockNumber: 1.5 },
      'forkBlockNumber must be a block number, a block hash or one of latest, safe, finalized, pending, not 1.5.',
    ],
    [
      { fork, forkBlockNumber: 'earliest' },
      'forkBlockNumber must be a block number, a block hash or one of latest, safe, finalized, pending, not "earliest".',
    ],
    [{ fork: 'ws://rpc.example/key' }, 'fork must be an http or https URL.'],
    [{ fork: 'https://[key' }, 'fork must be an http or https URL.'],
    [{ fork: 7 }, 'fork must be an http or https URL.'],
    [
      { fork, forkHeader: ['secret'] },
      'forkHeader must be a list of HTTP headers, such as "Authorization: Bearer key".',
    ],
    [
      { fork, forkHeader: ['X-Key: secret\r\nX-Other: 1'] },
      'forkHeader must be a list of HTTP headers, such as "Authorization: Bearer key".',
    ],
    [{ forkBlockNumber: 7 }, 'forkBlockNumber needs fork: the URL to read from.'],
    [{ forkOffline: true }, 'forkOffline needs fork: the URL to read from.'],
    [{ forkHeader: ['A: b'] }, 'forkHeader needs fork: the URL to read from.'],
    [{ forkAtTransaction: hash }, 'forkAtTransaction needs fork: the URL to read from.'],
    [
      { fork, forkAtTransaction: '0xab' },
      'forkAtTransaction must be the hash of a transaction, not "0xab".',
    ],
    [
      { fork, forkAtTransaction: hash, forkBlockNumber: 7 },
      'forkAtTransaction cannot be combined with forkBlockNumber: the transaction names its block.',
    ],
    [
      { fork, forkRecording: 'a.json', forkCache: 'cache' },
      'forkRecording cannot be combined with forkCache: a recording takes the place of the cache.',
    ],
    [
      { fork, forkRecording: 'a.json', forkOffline: true, forkBlockNumber: 7 },
      'forkRecording cannot be combined with forkOffline: a recording that is there asks nobody.',
    ],
    [
      { forkRecording: 'a.json', genesis: 'genesis.json' },
      'forkRecording cannot be combined with genesis: a chain stands on a genesis block or on a fork block.',
    ],
    [
      { forkRecording: 'a.json', follow: 'ws://127.0.0.1:1/flashblocks' },
      'follow cannot be combined with forkRecording: the node that is followed decides on the chain.',
    ],
    [{ forkUrl: fork }, 'forkUrl is not an option; did you mean fork?'],
    [
      { fork, genesis: 'genesis.json' },
      'genesis cannot be combined with fork: a chain stands on a genesis block or on a fork block.',
    ],
    [
      { fork, forkCache: 'cache', noForkCache: true },
      'forkCache cannot be combined with noForkCache: it names the folder of the cache.',
    ],
    [
      { fork, forkOffline: true, forkBlockNumber: -1 },
      'forkOffline needs forkBlockNumber: the number or the hash of the block.',
    ],
    [
      { fork, forkOffline: true },
      'forkOffline needs forkBlockNumber: the number or the hash of the block.',
    ],
  ])('error: %o', (input, message) => {
    expect(refusal(() => resolveOptions(input))).toBe(message)
  })

  test('offline with a block or with a state file that may name one', () => {
    expect(resolveOptions({ fork, forkOffline: true, forkBlockNumber: hash })).toMatchObject({
      forkOffline: true,
    })
    expect(resolveOptions({ fork, forkOffline: true, state: 'a.json' }).forkOffline).toBe(true)
  })

  test('a recording needs no URL', () => {
    const input = { forkRecording: 'a.json', forkBlockNumber: 7, forkAtTransaction: undefined }
    expect(resolveOptions(input)).toMatchObject({ fork: undefined, forkRecording: 'a.json' })
  })

  test('options that hold the defaults need no fork', () => {
    const { fork: _none, ...options } = resolveOptions()
    expect(resolveOptions({ ...options }).fork).toBe(undefined)
  })
})

describe('parseOptions', () => {
  test.each([
    ['0x10', 16n],
    ['-5', -5n],
    ['19_000_000', 19_000_000n],
    [hash, hash.toLowerCase()],
    ['safe', 'safe'],
  ])('option: --fork-block-number %s', (text, value) => {
    expect(parseOptions({ fork, forkBlockNumber: text }).forkBlockNumber).toBe(value)
  })

  test('the second spellings', () => {
    expect(parseOptions({ forkUrl: fork, forkBlock: '7' })).toMatchObject({
      fork,
      forkBlockNumber: 7n,
    })
    expect(refusal(() => parseOptions({ fork, forkUrl: fork }))).toBe('--fork is given twice.')
  })

  test('one header a line, with commas', () => {
    expect(parseOptions({ fork, forkHeader: 'A: b, c\nD: e' }).forkHeader).toEqual([
      'A: b, c',
      'D: e',
    ])
  })
})
