import { expect, test } from 'vitest'
import { ForkSchedule } from '../../../devnet/protocol/forkSchedule.ts'
import { forkRules } from '../../../devnet/protocol/forks.ts'

const byBlock = forkRules('london')
const merged = forkRules('paris')
const byTime = forkRules('shanghai')
const schedule = new ForkSchedule(forkRules('berlin'), [
  { rules: byBlock, block: 5n },
  { rules: merged, block: 8n },
  { rules: byTime, time: 1000n },
])

test('default: one and the same rules for every block', () => {
  const constant = ForkSchedule.constant('bpo2')
  expect(constant.at(0n, 0n).hardfork).toBe('bpo2')
  expect(constant.at(0n, 0n)).toBe(constant.at(10n ** 9n, 10n ** 12n))
  expect(constant.newest).toBe(constant.at(1n, 1n))
  expect(constant.changes).toEqual([])
})

test.each([
  [0n, 0n, 'berlin'],
  [4n, 999n, 'berlin'],
  [5n, 999n, 'london'],
  [7n, 999n, 'london'],
  [8n, 999n, 'paris'],
  [8n, 1000n, 'shanghai'],
  [9n, 5000n, 'shanghai'],
])('block %d at %d s is under %s', (number, timestamp, hardfork) => {
  expect(schedule.at(number, timestamp).hardfork).toBe(hardfork)
})

test('a hardfork by time waits for those by block before it', () => {
  expect(schedule.at(7n, 5000n)).toBe(byBlock)
})

test('the newest rules are those of the last step', () => {
  expect(schedule.newest).toBe(byTime)
})
