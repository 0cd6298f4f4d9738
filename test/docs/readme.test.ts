import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { methodTable } from '../../devnet/rpc/methodTable.ts'
import { programsMarkdown } from '../programs/outcomes.ts'
import { optionsMarkdown, walletOptionsMarkdown } from './optionsMarkdown.ts'
import { profilesMarkdown } from './profilesMarkdown.ts'

const readme = readFileSync(new URL('../../devnet/README.md', import.meta.url), 'utf8')

function between(start: string, end: string): string {
  const from = readme.indexOf(start)
  const to = readme.indexOf(end, from)
  if (from < 0 || to < 0)
    throw new Error(`devnet/README.md has no part from "${start}" to "${end}"`)
  return readme.slice(from, to)
}

test('behavior: the options are those of the code', () => {
  expect(between('<!-- options:', '<!-- /options -->')).toContain(optionsMarkdown())
})

test('behavior: the profiles are those of the code', () => {
  expect(between('<!-- profiles:', '<!-- /profiles -->')).toContain(profilesMarkdown())
})

test('behavior: the programs are those that are played', () => {
  expect(between('<!-- programs:', '<!-- /programs -->')).toContain(programsMarkdown())
})

test('behavior: the options of the wallet are those of the code', () => {
  const wallet = new URL('../../devnet/wallet/README.md', import.meta.url)
  expect(readFileSync(wallet, 'utf8')).toContain(walletOptionsMarkdown())
})

test('behavior: the methods are those of the code', () => {
  const listed = [...between('## All methods', '## Options').matchAll(/`([a-z0-9]+_\w+)`/g)]
    .map(([, name = '']) => name)
    // "`preconf_*`" and its like are prose.
    .filter((name) => !name.endsWith('_'))
  expect(listed.sort()).toEqual(Object.keys(methodTable).sort())
})
