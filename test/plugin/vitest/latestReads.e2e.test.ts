import { describe, expect, test } from 'vitest'
import { createTestProject, hardhatConfig, source, vitestConfig } from './testProject.ts'

const HINT = 'a test read `latest` while the pending block held transactions'

/** Tests that read `latest` behind a send, the last of which fails or does not. */
const spec = (runner: 'vitest' | 'node:test', network: string, wanted: string) => `
import assert from 'node:assert/strict'
import { test } from '${runner}'
import { network } from 'hardhat'

test('reads', async () => {
  const { provider } = await network.create('${network}')
  const [from] = await provider.request({ method: 'eth_accounts' })
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
  await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  const count = (tag) => provider.request({ method: 'eth_getTransactionCount', params: [from, tag] })
  await count('latest')
  assert.equal(await count('latest'), '${wanted}')
})
`

const config = hardhatConfig.replace(
  'export default {',
  `import pendingNode from ${source('plugin/index.ts')}\nexport default { plugins: [pendingNode],`,
)

describe('a run that reads latest behind a send', () => {
  test.each<[string, string, string, number]>([
    ['and fails: says so once', 'pending', '0x1', 1],
    ['and passes: says nothing', 'pending', '0x0', 0],
    ['on instant, where nothing lags: says nothing', 'instant', '0x0', 0],
  ])('%s', async (_, network, wanted, lines) => {
    using project = createTestProject({
      'hardhat.config.ts': config,
      'vitest.config.ts': vitestConfig('testTimeout: 20_000, include: ["v.test.ts"]'),
      'v.test.ts': spec('vitest', network, wanted),
      'n.test.ts': spec('node:test', network, wanted),
    })
    for (const { stdout, stderr } of [await project.vitest(), await project.node('n.test.ts')]) {
      const seen = `${stdout}${stderr}`
      expect(seen).toContain('reads')
      expect(seen.split(HINT).length - 1, seen).toBe(lines)
    }
  })
})
