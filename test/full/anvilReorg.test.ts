import { describe, expect, test } from 'vitest'
import { anvilProgram, startAnvil } from '../support/anvil.ts'
import { askNode, startOurs } from '../support/peerNode.ts'

const program = anvilProgram()
const OTHER = `0x${'aa'.repeat(20)}`

/** What a node answers to reorganisations, as far as two nodes can agree. */
async function play(url: string): Promise<unknown[]> {
  const call = <Result = unknown>(method: string, ...params: unknown[]) =>
    askNode<Result>(url, method, ...params)
  const failure = (...params: unknown[]) =>
    call('anvil_reorg', ...params).then(
      () => expect.unreachable(`anvil_reorg ${JSON.stringify(params)} was answered`),
      ({ code, message }: { code: number; message: string }) => ({ code, message }),
    )
  const [first, second] = await call<string[]>('eth_accounts')
  const pay = (from: string | undefined, value: string) => ({ from, to: OTHER, value })
  const hashes: string[] = []
  for (const value of ['0x1', '0x2', '0x3', '0x4']) {
    hashes.push(await call('eth_sendTransaction', pay(first, value)))
  }
  // anvil answers a send before it has mined its block.
  while ((await call('eth_blockNumber')) !== '0x4');
  const show = async () => {
    const blocks = []
    for (let number = 0; number <= 4; number++) {
      const name = `0x${number.toString(16)}`
      const block = await call<{ transactions: unknown[] }>('eth_getBlockByNumber', name, false)
      blocks.push(block.transactions.length)
    }
    return {
      blocks,
      height: await call('eth_blockNumber'),
      receipts: await Promise.all(
        hashes.map(async (hash) => (await call('eth_getTransactionReceipt', hash)) !== null),
      ),
      balance: await call('eth_getBalance', OTHER, 'latest'),
      nonces: [
        await call('eth_getTransactionCount', first, 'latest'),
        await call('eth_getTransactionCount', second, 'pending'),
      ],
      pool: await call('txpool_status'),
    }
  }
  const raw = await call('eth_getRawTransactionByHash', hashes[2])
  return [
    await show(),
    await failure(5, []),
    await failure(2, [[pay(first, '0x1'), 2]]),
    await call('anvil_reorg', 3, [
      [pay(second, '0x10'), 2],
      [pay(first, '0x20'), 0],
      [pay(second, '0x40'), 0],
    ]),
    await show(),
    // Its nonce comes too early, so that neither node takes it.
    await call('anvil_reorg', 3, [[raw, 0]]),
    await show(),
    await call('anvil_reorg', 1, []),
    await show(),
  ]
}

describe.skipIf(program === undefined)('anvil_reorg', () => {
  test('blocks, receipts, balances, nonces and errors are as on anvil', async () => {
    await using anvil = await startAnvil(program ?? '')
    await using ours = await startOurs({ anvil: true })
    expect(await play(ours.url)).toEqual(await play(anvil.url))
  })
})
