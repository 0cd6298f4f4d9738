import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { programs } from '../programs/outcomes.ts'
import { managers, packagings } from '../programs/packaging/rows.ts'
import { packagingShareOf, shareOf } from '../programs/share.ts'

test('a share has each program in one mode, and is the same for the same seed', () => {
  expect([...shareOf(1).keys()]).toEqual(Object.keys(programs))
  expect(shareOf(1)).toEqual(shareOf(1))
  expect(shareOf(1)).not.toEqual(shareOf(2))
})

test('a hundred shares have every program in every mode', () => {
  const played = new Set<string>()
  // Seeds are times of commits.
  for (let seed = 1_790_000_000; seed < 1_790_000_100; seed++) {
    for (const [name, mode] of shareOf(seed)) played.add(`${name}, ${mode}`)
  }
  const cells = Object.values(programs).flatMap(({ outcomes, likeAnvil }) =>
    Object.keys({ ...outcomes, ...likeAnvil }),
  )
  expect(played.size).toBe(cells.length)
})

test('a share checks the package with one package manager, a hundred shares with each on every Node.js', () => {
  const played = new Set<string>()
  const others = Object.keys(packagings).filter((name) => !(name in managers))
  for (let seed = 1_790_000_000; seed < 1_790_000_100; seed++) {
    const share = packagingShareOf(seed)
    expect(share).toEqual(packagingShareOf(seed))
    expect([...share.keys()].filter((name) => !(name in managers))).toEqual(others)
    expect(share.size).toBe(others.length + 1)
    for (const [name, version] of share) played.add(`${name}, ${version}`)
  }
  const cells = Object.entries(packagings).flatMap(([name, versions]) =>
    versions.map((version) => `${name}, ${version}`),
  )
  expect([...played].sort()).toEqual(cells.sort())
})

/** Files of `scenarios` that others import. */
const PARTS = ['altoSafeMode', 'deployWithViem', 'server', 'support']

test('each row of the tables has a scenario, and each scenario a row', () => {
  const files = readdirSync(new URL('../programs/scenarios/', import.meta.url))
  const scenarios = files.map((file) => file.replace(/\.ts$/, ''))
  expect([...Object.keys(programs), ...PARTS].sort()).toEqual(scenarios.sort())
})
