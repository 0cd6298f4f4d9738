import { expect, test } from 'vitest'
import { forksFromJson, forksToJson } from '../../../../devnet/persistence/dump/forksJson.ts'
import { readForks } from '../../../../devnet/persistence/import/genesisForks.ts'
import { JsonFields } from '../../../../devnet/persistence/jsonFields.ts'
import { runAtOnce } from '../../../../devnet/primitives/paced.ts'
import { ForkSchedule } from '../../../../devnet/protocol/forkSchedule.ts'
import { hardforks } from '../../../../devnet/protocol/forks.ts'

const parse = (json: object) => runAtOnce(JsonFields.parse('x', JSON.stringify(json)))

test.each(hardforks)('%s from the beginning', (hardfork) => {
  const json = forksToJson(ForkSchedule.constant(hardfork))
  expect(json).toEqual({ first: { hardfork }, later: [] })
  expect(forksFromJson(parse(json)).newest).toEqual(ForkSchedule.constant(hardfork).newest)
})

test('a schedule with all that a chain can have otherwise than mainnet', () => {
  const config = {
    homesteadBlock: 0,
    eip150Block: 10,
    eip155Block: 12,
    eip158Block: 12,
    byzantiumBlock: 14,
    constantinopleBlock: 16,
    petersburgBlock: 16,
    istanbulBlock: 18,
    berlinBlock: 20,
    londonBlock: 21,
    mergeNetsplitBlock: 30,
    shanghaiTime: 1000,
    cancunTime: 2000,
    pragueTime: 3000,
    depositContractAddress: `0x${'de'.repeat(20)}`,
    blobSchedule: {
      cancun: { target: 1, max: 2, baseFeeUpdateFraction: 5_007_716 },
      prague: { target: 4, max: 7, baseFeeUpdateFraction: 5_007_717 },
    },
  }
  const schedule = readForks(parse(config), 0n)
  const again = forksFromJson(parse(forksToJson(schedule)))
  expect(again.first).toEqual(schedule.first)
  expect(again.changes).toEqual(
    schedule.changes.map(({ rules, block, time }) => ({ rules, block, time })),
  )
  expect(forksToJson(again)).toEqual(forksToJson(schedule))
  expect(JSON.stringify(forksToJson(schedule))).toContain('"update_fraction":"0x4c6965"')
})
