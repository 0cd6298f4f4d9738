import { expect, test } from 'vitest'
import { knownAccounts } from '../../../devnet/dashboard/knownAccounts.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { ALICE, BOB } from './support.ts'

const addressOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`

/** Contracts without an end: whoever walks them all never returns. */
function* endless() {
  for (let number = 1; ; number++) yield { address: addressOf(number), block: 1 }
}

test('no more contracts are looked at than are listed', () => {
  const { kinds, omitted } = knownAccounts(
    {
      accountNames: new Map([[ALICE, 'Account #0']]),
      impersonated: [ALICE, BOB],
      index: { creations: endless, creationCount: 100_000 },
    },
    500,
  )
  expect([...kinds].slice(0, 3)).toEqual([
    [ALICE, 'dev'],
    [BOB, 'impersonated'],
    [addressOf(1), 'contract'],
  ])
  expect(kinds.size).toBe(500)
  expect(omitted).toBe(100_000 - 498)
})

test('accounts that are not listed are counted', () => {
  const accountNames = new Map([1, 2, 3].map((number) => [addressOf(number), '']))
  function* creations() {
    yield { address: addressOf(2), block: 1 }
    yield { address: BOB, block: 1 } as const
  }
  const sources = { accountNames, impersonated: [], index: { creations, creationCount: 2 } }
  const few = knownAccounts(sources, 2)
  expect([...few.kinds.keys()]).toEqual([addressOf(1), addressOf(2)])
  expect(few.omitted).toBe(3)
  const all = knownAccounts(sources, 9)
  expect([...all.kinds.keys()].at(-1)).toBe(BOB)
  expect(all.omitted).toBe(0)
})
