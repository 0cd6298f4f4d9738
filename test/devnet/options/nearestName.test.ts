import { expect, test } from 'vitest'
import { nearestName } from '../../../devnet/options/optionText.ts'

const names = ['port', 'hostname', 'tickInterval', 'sealInterval', 'order']

test.each([
  ['prt', 'port'],
  ['prot', 'port'],
  ['rpto', undefined],
  ['Port', 'port'],
  ['host', undefined],
  ['hostnam', 'hostname'],
  ['tick-interval', 'tickInterval'],
  ['tick_interval_ms', 'tickInterval'],
  ['sealInterfal', 'sealInterval'],
  ['', undefined],
  ['gasPrice', undefined],
])('args: %s', (word, nearest) => {
  expect(nearestName(word, names)).toBe(nearest)
})
