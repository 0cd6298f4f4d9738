import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'

const files = readdirSync(new URL('../../../../devnet/rpc/methods/', import.meta.url))

test('default: every file is in the table under its name, and nothing else is', () => {
  expect(Object.keys(methodTable).sort()).toEqual(
    files.map((file) => file.replace(/\.ts$/, '')).sort(),
  )
})

test('behavior: each entry loads the file of its name', () => {
  for (const [name, load] of Object.entries(methodTable)) {
    expect(load.toString()).toContain(`/methods/${name}.ts`)
  }
})

test('behavior: web pages may not call what commands the node', async () => {
  const refused: string[] = []
  for (const [name, load] of Object.entries(methodTable)) {
    const { default: method } = await load()
    if (method.browser === false) refused.push(name)
  }
  expect(refused.sort()).toEqual(
    Object.keys(methodTable)
      .filter((name) => /^(preconf|evm|hardhat)_/.test(name))
      .filter((name) => name !== 'hardhat_metadata' && name !== 'hardhat_getAutomine')
      .sort(),
  )
})
