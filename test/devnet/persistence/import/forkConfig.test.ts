import { createCommonFromGethGenesis } from '@ethereumjs/common'
import { describe, expect, test } from 'vitest'
import { readForks } from '../../../../devnet/persistence/import/genesisForks.ts'
import { JsonFields } from '../../../../devnet/persistence/jsonFields.ts'
import { ChainFileError } from '../../../../devnet/primitives/errors.ts'
import { runAtOnce } from '../../../../devnet/primitives/paced.ts'
import { BLOCK_FORKS, genesisOf } from '../../../support/genesisFile.ts'

type Config = Readonly<Record<string, unknown>>

const ALL_TIMES = {
  shanghaiTime: 100,
  cancunTime: 200,
  pragueTime: 300,
  osakaTime: 400,
  bpo1Time: 500,
  bpo2Time: 600,
}

function forks(config: Config, genesisTime = 0n) {
  const fields = runAtOnce(JsonFields.parse('genesis.json', JSON.stringify({ config })))
  return readForks(fields.requiredObject('config'), genesisTime)
}

/** Hardfork at each pair of number and time, one letter changed for those the library counts apart. */
function walk(config: Config, places: readonly (readonly [bigint, bigint])[], genesisTime = 0n) {
  const schedule = forks(config, genesisTime)
  return places.map(([number, time]) => schedule.at(number, time).hardfork as string)
}

function library(config: Config, places: readonly (readonly [bigint, bigint])[]) {
  // Its type asks for what geth's files need not have.
  const genesis = genesisOf(config) as unknown as Parameters<typeof createCommonFromGethGenesis>[0]
  const common = createCommonFromGethGenesis(genesis, {})
  return places.map(([blockNumber, timestamp]) => {
    const name: string = common.getHardforkBy({ blockNumber, timestamp })
    return name === 'mergeNetsplitBlock' ? 'paris' : name
  })
}

describe('as the library reads the same file', () => {
  const steps = {
    homesteadBlock: 0,
    eip150Block: 3,
    eip155Block: 6,
    eip158Block: 6,
    byzantiumBlock: 9,
    constantinopleBlock: 12,
    petersburgBlock: 15,
    istanbulBlock: 18,
    muirGlacierBlock: 21,
    berlinBlock: 24,
    londonBlock: 27,
    arrowGlacierBlock: 30,
    grayGlacierBlock: 33,
    mergeNetsplitBlock: 36,
  }
  const numbers = Array.from({ length: 40 }, (_, index) => [BigInt(index), 0n] as const)
  const times = [0n, 99n, 100n, 299n, 300n, 400n, 599n, 600n, 10_000n]
  const late = times.map((time) => [50n, time] as const)

  test.each<[string, Config, readonly (readonly [bigint, bigint])[]]>([
    ['by block', steps, numbers],
    ['by block, then by time', { ...steps, ...ALL_TIMES }, late],
    ['by time from the genesis on', { ...BLOCK_FORKS, ...ALL_TIMES }, late],
    ['without the glaciers', BLOCK_FORKS, numbers],
    ['merged by mergeForkBlock', { ...BLOCK_FORKS, mergeForkBlock: 7 }, numbers],
    ['merged by mergeNetsplitBlock', { ...BLOCK_FORKS, mergeNetsplitBlock: 7 }, numbers],
    [
      'merged by total difficulty',
      { ...BLOCK_FORKS, terminalTotalDifficulty: 1, terminalTotalDifficultyPassed: true },
      numbers,
    ],
    [
      'not merged while the total difficulty is not reached',
      { ...BLOCK_FORKS, terminalTotalDifficulty: 10 ** 9 },
      numbers,
    ],
  ])('default: %s', (_, config, places) => {
    expect(walk(config, places)).toEqual(library(config, places))
  })
})

test('a terminal total difficulty of 0 is reached from the genesis on', () => {
  expect(walk({ ...BLOCK_FORKS, terminalTotalDifficulty: 0 }, [[1n, 1n]])).toEqual(['paris'])
})

test('hardforks of the time of the genesis hold from it on', () => {
  const schedule = forks({ ...BLOCK_FORKS, ...ALL_TIMES }, 300n)
  expect(schedule.at(0n, 300n).hardfork).toBe('prague')
  expect(schedule.changes.map(({ rules }) => rules.hardfork)).toEqual(['osaka', 'bpo1', 'bpo2'])
})

test('Petersburg comes with Constantinople where it is not named (geth)', () => {
  const { petersburgBlock, istanbulBlock, berlinBlock, londonBlock, ...config } = BLOCK_FORKS
  expect(walk({ ...config, constantinopleBlock: 4 }, [[4n, 0n]])).toEqual(['petersburg'])
})

test('the bomb is late by what the hardforks that there are say', () => {
  expect(forks(BLOCK_FORKS).newest.bombDelay).toBe(9_700_000n)
  const { londonBlock, ...berlin } = BLOCK_FORKS
  expect(forks(berlin).newest.bombDelay).toBe(5_000_000n)
  expect(forks({ ...berlin, muirGlacierBlock: 0 }).newest.bombDelay).toBe(9_000_000n)
})

describe('blobSchedule', () => {
  const custom = { target: 1, max: 2, baseFeeUpdateFraction: 77 }

  test('default: mainnet', () => {
    expect(forks({ ...BLOCK_FORKS, ...ALL_TIMES }).newest.blobSchedule).toEqual({
      target: 14n,
      max: 21n,
      updateFraction: 11_684_671n,
    })
  })

  test('of the file, also for hardforks that it does not name after one that it names', () => {
    const schedule = forks({
      ...BLOCK_FORKS,
      ...ALL_TIMES,
      blobSchedule: { cancun: custom, osaka: { ...custom, max: 3 } },
    })
    const most = [150n, 200n, 300n, 400n, 500n].map((time) => schedule.at(1n, time).blobSchedule)
    expect(most.map((one) => one?.max)).toEqual([undefined, 2n, 2n, 3n, 3n])
  })
})

test('the deposit contract', () => {
  const depositContractAddress = `0x${'Ab'.repeat(20)}`
  expect(forks({ ...BLOCK_FORKS, depositContractAddress }).newest.depositContract).not.toBe(
    forks(BLOCK_FORKS).newest.depositContract,
  )
})

test.each<[Config, string]>([
  [
    { ...BLOCK_FORKS, berlinBlock: undefined },
    'config.berlinBlock is missing, though hardforks after it are there (londonBlock).',
  ],
  [
    { ...BLOCK_FORKS, pragueTime: 5 },
    'config.shanghaiTime is missing, though hardforks after it are there (pragueTime).',
  ],
  [
    { ...BLOCK_FORKS, berlinBlock: 5, londonBlock: 4 },
    'config.londonBlock must not be before berlinBlock (5), and is 4.',
  ],
  [
    { ...BLOCK_FORKS, ...ALL_TIMES, cancunTime: 99 },
    'config.cancunTime must not be before shanghaiTime (100), and is 99.',
  ],
  [
    { ...BLOCK_FORKS, londonBlock: 3, shanghaiTime: 5 },
    'config.mergeNetsplitBlock is missing: without it, londonBlock must be 0.',
  ],
  [
    { ...BLOCK_FORKS, eip158Block: 1 },
    'config.eip158Block must be the same as eip155Block: they are one hardfork.',
  ],
  [
    { ...BLOCK_FORKS, bpo3Time: 9 },
    'config.bpo3Time names a hardfork that this node does not know: the last is Amsterdam.',
  ],
  [
    { ...BLOCK_FORKS, clique: { period: 1 } },
    'config.clique is not supported: blocks of a proof of authority cannot be checked.',
  ],
  [
    { ...BLOCK_FORKS, daoForkBlock: 5, daoForkSupport: true },
    'config.daoForkBlock is not supported: this node does not move the ether of the DAO.',
  ],
  [{ londonBlock: -1 }, 'config.londonBlock must be a whole number, not -1.'],
  [{ homesteadBlock: 'soon' }, 'config.homesteadBlock must be a whole number, not "soon".'],
  [
    { ...BLOCK_FORKS, shanghaiTime: 0, cancunTime: 0, blobSchedule: { cancun: { target: 1 } } },
    'config.blobSchedule.cancun.max is missing.',
  ],
])('error: %#', (config, message) => {
  expect(() => forks(config)).toThrow(new ChainFileError(`genesis.json: ${message}`))
})

test('the DAO fork does not matter at the genesis', () => {
  const config = { ...BLOCK_FORKS, daoForkBlock: 0, daoForkSupport: true }
  expect(forks(config).newest.hardfork).toBe('london')
})

test('clique does not matter where the chain is merged from the genesis on', () => {
  const config = { ...BLOCK_FORKS, shanghaiTime: 0, clique: { period: 5 } }
  expect(forks(config).newest.hardfork).toBe('shanghai')
})
