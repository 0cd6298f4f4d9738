import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { methodFiles } from '../../../../devnet/rpc/methodFiles.ts'
import { aliases, methodTable } from '../../../../devnet/rpc/methodTable.ts'

const files = readdirSync(new URL('../../../../devnet/rpc/methods/', import.meta.url))

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
