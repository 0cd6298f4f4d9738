import { expect, test, vi } from 'vitest'
import { createExecutionChain } from '../../execution/harness.ts'

vi.mock('../../../../devnet/engine/workers/startWorker.ts', () => ({
  startWorker() {
    throw new Error('no thread here')
  },
}))

const BLAKE2F = '0x0000000000000000000000000000000000000009'
/** As many rounds as are sent to another thread. */
const data = `0x0017a6b0${'00'.repeat(208)}01` as const

test('without threads, a heavy precompile runs here, and the time limit holds behind it', async () => {
  const node = await createExecutionChain()
  const request = { to: BLAKE2F, data, gas: 10_000_000n } as const
  expect(await node.call(request)).toMatch(/^0x[0-9a-f]{128}$/)
  const refused = {
    code: -32000,
    message: 'execution aborted (timeout: longer than the option simulateTimeout allows)',
  }
  await expect(node.call(request, { timeout: 1 })).rejects.toMatchObject(refused)
})
