import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { aliases, methodTable } from '../../../../devnet/rpc/methodTable.ts'

const files = readdirSync(new URL('../../../../devnet/rpc/methods/', import.meta.url))

test('default: every file is in the table under its name, and nothing else is', () => {
  expect(Object.keys(methodFiles).sort()).toEqual(
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
  const refused: string[] = []
  for (const [name, load] of Object.entries(methodTable)) {
    const { default: method } = await load()
    if (method.browser === false) refused.push(name)
  }
  expect(refused.sort()).toEqual(
    Object.keys(methodTable)
      .filter((name) => /^(preconf|evm|hardhat|anvil|tenderly|testing)_/.test(name))
      .filter((name) => !READ_ONLY.test(name))
      .concat('eth_sendUnsignedTransaction')
      .sort(),
  )
})
