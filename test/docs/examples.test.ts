import { expect, test } from 'vitest'
import { read, tracked } from './documents.ts'

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

test('whatever installs vitest installs its peer vite, which Yarn leaves out', () => {
  const [start = ''] = /^npm install --save-dev .*/m.exec(read('README.md')) ?? []
  expect(start).toMatch(/ vite .*vitest /)
  const projects = tracked('examples/**/package.json').filter((path) =>
    read(path).includes('"vitest"'),
  )
  expect(projects.length).toBeGreaterThan(4)
  expect(projects.filter((path) => !read(path).includes('"vite"'))).toEqual([])
})
