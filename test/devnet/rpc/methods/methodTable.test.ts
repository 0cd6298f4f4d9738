import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { aliases, methodTable } from '../../../../devnet/rpc/methodTable.ts'

const root = new URL('../../../../', import.meta.url)
const files = readdirSync(new URL('devnet/rpc/methods/', root))

test('default: every file is in the table under its name, and nothing else is', () => {
  const cure = 'devnet/rpc/methodFiles.ts: npm run generate writes it'
  expect(Object.keys(methodFiles).sort(), cure).toEqual(
    files.map((file) => file.replace(/\.ts$/, '')).sort(),
  )
})

test('each entry loads the file of its name', () => {
  for (const [name, load] of Object.entries(methodFiles)) {
    expect(load.toString()).toContain(`/methods/${name}.ts`)
  }
})

test('the other names of a method are not names of another', () => {
  const names = [...Object.keys(methodFiles), ...Object.keys(aliases)]
  expect(Object.keys(methodTable).sort()).toEqual(names.sort())
})

/** What reads only, of the spaces that command. */
const READ_ONLY = /^(hardhat|anvil)_(metadata|getAutomine|getIntervalMining|nodeInfo)$/

test('web pages may not call what commands the node', async () => {
  const wrong: string[] = []
  for (const [name, load] of Object.entries(methodTable)) {
    const { browser } = (await load()).default
    const commands =
      (/^(preconf|evm|hardhat|anvil|tenderly|testing)_/.test(name) && !READ_ONLY.test(name)) ||
      name === 'eth_sendUnsignedTransaction'
    if ((browser === false) === commands) continue
    const file = `devnet/rpc/methods/${aliases[name] ?? name}.ts`
    wrong.push(
      commands
        ? `${file}: write browser: false, or the name into READ_ONLY of test/devnet/rpc/methods/methodTable.test.ts`
        : `${file}: no browser: false; it commands nothing`,
    )
  }
  expect(wrong).toEqual([])
})

/** Tables of methods, which say nothing of what one answers. */
const TABLES = /(?:latestTicks|methodTable|remoteRules)\.test\.ts$/

test('every method has a test', () => {
  const words = new Set(
    readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts') && !TABLES.test(path))
      .flatMap((path) => readFileSync(new URL(`test/${path}`, root), 'utf8').match(/\w+/g) ?? []),
  )
  const untested = Object.keys(methodFiles).filter((name) => !words.has(name))
  expect(untested.map((name) => `test/devnet/rpc/methods: no test calls ${name}`)).toEqual([])
})

test('the table of what "pending" answers has every method that reads a state', async () => {
  const page = readFileSync(new URL('devnet/README.md', root), 'utf8')
  const [, table = ''] = /\n## What `"pending"` answers\n\n(.*?)\n\n/s.exec(page) ?? []
  const missing: string[] = []
  for (const [name, load] of Object.entries(methodFiles)) {
    const { readsState } = (await load()).default
    if (readsState !== undefined && !table.includes(`\`${name}\``)) missing.push(name)
  }
  expect(
    missing.map((name) => `devnet/README.md: write \`${name}\` into What "pending" answers`),
  ).toEqual([])
})
