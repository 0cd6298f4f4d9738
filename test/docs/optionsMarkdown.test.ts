import { expect, test } from 'vitest'
import { optionTable } from '../../devnet/options/optionTable.ts'
import { optionFlag } from '../../devnet/options/optionText.ts'
import { optionsMarkdown } from './optionsMarkdown.ts'

test('default', () => {
  expect(optionsMarkdown().split('\n').slice(0, 6)).toEqual([
    '**Clocks**',
    '',
    '| Option | Default | What it does |',
    '|---|---|---|',
    '| `--tick-interval` | 200, or that of the profile | Time in ms between two ticks; 0 pre-confirms each transaction as soon as it arrives. |',
    '| `--seal-interval`, `--block-time` | 2000, or that of the profile | Time in ms between two seals; --block-time counts seconds, as in anvil. |',
  ])
})

test('lists every option once', () => {
  const listed = [...optionsMarkdown().matchAll(/^\| `(--[a-z-]+)`(?:, `--[a-z-]+`)? \|/gm)].map(
    ([, flag]) => flag,
  )
  expect(listed.sort()).toEqual(Object.keys(optionTable).map(optionFlag).sort())
})

test('both spellings of an option', () => {
  expect(optionsMarkdown()).toContain('| `--fork`, `--fork-url` | none | URL of a node')
})

test('defaults as they are typed on the command line', () => {
  const defaults = new Map(
    [...optionsMarkdown().matchAll(/^\| `(--[a-z-]+)` \| ([^|]+) \|/gm)].map((match) => [
      match[1],
      match[2],
    ]),
  )
  expect([
    defaults.get('--port'),
    defaults.get('--gas-limit'),
    defaults.get('--frozen'),
    defaults.get('--allow-host'),
    defaults.get('--timestamp'),
  ]).toEqual(['`8545`', '`60000000`', 'off', 'none', 'now'])
})
