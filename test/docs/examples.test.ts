import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const quoted = ['README.md', 'plugin/README.md', 'devnet/EXPLORE.md'].flatMap((file) => [
  ...read(file).matchAll(/<!-- example: (\S+) -->\n```\w+\n(.*?)```\n/gs),
])

test('the documents quote the whole first example, the job for CI, and a test that explores', () => {
  expect(quoted.map(([, path]) => path)).toEqual([
    'viem-vitest/hardhat.config.ts',
    'viem-vitest/vitest.config.ts',
    'viem-vitest/contracts/Counter.sol',
    'viem-vitest/test/pending.test.ts',
    'ci/pending-node.yml',
    'reorg-safe-app/explore.test.ts',
  ])
})

test.each(quoted.map(([, path = '', text]) => [path, text] as const))(
  'the documents quote %s as it is',
  (path, text) => {
    expect(text).toBe(read(`examples/${path}`))
  },
)
