import { expect, test } from 'vitest'
import { ChainFileError } from '../../../../devnet/errors.ts'
import { Random } from '../../../support/random.ts'
import { createRpcChain } from '../../rpc/methods/rpcChain.ts'
import { answersOf, dumpOf, playTraffic, restored } from './support.ts'
test.each(Array.from({ length: 25 }, (_, i) => 100 + i))('seed %i', async (seed) => {
  const node = await createRpcChain({ keepBlocks: seed % 3 === 0 ? 7 : 0 })
  const addresses = await playTraffic(node, seed, 150)
  const dump = await dumpOf(node)
  const again = await restored(dump, { keepBlocks: seed % 3 === 0 ? 7 : 0 })
  if (seed % 3) expect(await answersOf(again, addresses)).toEqual(await answersOf(node, addresses))
  expect(await dumpOf(again)).toBe(dump)
  await node.clocks.advanceBlocks(3); await again.clocks.advanceBlocks(3)
  expect(await dumpOf(again)).toBe(await dumpOf(node))
})
test('fuzz', async () => {
  const random = new Random(77)
  const node = await createRpcChain(); await playTraffic(node, 3, 80); const whole = await dumpOf(node)
  const end = whole.indexOf('"pending_node"')
  let refused = 0
  for (let round = 0; round < 2500; round++) {
    let at = random.below(end)
    while (!/[0-9a-f]/.test(whole[at] ?? '')) at = random.below(end)
    const digit = whole[at] === '7' ? '8' : '7'
    const text = `${whole.slice(0, at)}${digit}${whole.slice(at + 1)}`
    const loaded = await restored(text).catch((error: unknown) => error)
    if (loaded instanceof ChainFileError) { refused++; continue }
    if (loaded instanceof Error) throw loaded
    const again = await dumpOf(loaded as Awaited<ReturnType<typeof restored>>)
    expect(again, text.slice(at - 60, at + 20)).toBe(whole)
  }
  console.log('refused', refused)
}, 600_000)
