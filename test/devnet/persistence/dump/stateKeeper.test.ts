import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { StateKeeper } from '../../../../devnet/persistence/dump/stateKeeper.ts'
import { SavedFile } from '../../../../devnet/persistence/savedFile.ts'
import type { SaveEvent } from '../../../../devnet/types.ts'
import { createTestChain, type TestChain } from '../../../support/chain.ts'
import { temporaryFile } from '../../../support/genesisFile.ts'

/** A path at which there is nothing yet. */
const newPath = (name: string) => join(dirname(temporaryFile('x', '')), `${Math.random()}-${name}`)

const captured = ({ chain, clocks }: TestChain) => ({
  ...chain.capture(),
  clock: clocks.save(),
  instanceId: undefined,
})

/** A keeper that saves without a pause; `next` resolves with what happens next. */
async function keep(node: TestChain, path: string) {
  let heard = Promise.withResolvers<SaveEvent>()
  const asides: string[] = []
  const file = await SavedFile.open(path)
  const keeper = new StateKeeper({
    file,
    interval: 1,
    capture: () => node.chain.write(() => captured(node)),
    onSave: (event) => heard.resolve(event),
    onSetAside: (aside) => asides.push(aside),
    onFailure: (error) => heard.reject(error),
  })
  const next = () => {
    heard = Promise.withResolvers()
    return heard.promise
  }
  return { keeper, next, asides }
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

test('default', async () => {
  const node = await createTestChain()
  const path = newPath('state.json')
  const { keeper, next } = await keep(node, path)
  const first = next()
  keeper.start()
  expect(await first).toEqual({
    file: path,
    number: 0,
    hash: node.chain.head.hash,
    size: readFileSync(path).length,
    elapsed: expect.any(Number),
  })
  await node.clocks.advanceBlocks(1)
  while ((await next()).number === 0);
  expect(read(path).best_block_number).toBe(1)

  keeper.stop()
  await node.clocks.advanceBlocks(1)
  const last = next()
  await keeper.saveLast(captured(node))
  expect((await last).number).toBe(2)
  expect(read(path).best_block_number).toBe(2)
})

test('tries again after a failure, and says why each time', async () => {
  const node = await createTestChain()
  const folder = newPath('missing')
  mkdirSync(folder)
  const path = join(folder, 'state.json')
  const { keeper, next } = await keep(node, path)
  rmSync(folder, { recursive: true })
  const first = next()
  keeper.start()
  for (const failure of [first, next]) {
    const heard = typeof failure === 'function' ? failure() : failure
    await expect(heard).rejects.toThrow(
      `${path} cannot be saved: ENOENT: no such file or directory.`,
    )
  }
  keeper.stop()
  await expect(keeper.saveLast(captured(node))).rejects.toThrow('cannot be saved')
})

test('saves no more once it is stopped', async () => {
  const node = await createTestChain()
  const path = newPath('state.json')
  const { keeper } = await keep(node, path)
  keeper.start()
  keeper.stop()
  await node.clocks.advanceBlocks(50)
  expect(existsSync(path)).toBe(false)
})

test('packed where the name says so', async () => {
  const node = await createTestChain()
  const path = newPath('state.json.gz')
  const { keeper } = await keep(node, path)
  keeper.stop()
  await keeper.saveLast(captured(node))
  expect([...readFileSync(path).subarray(0, 2)]).toEqual([0x1f, 0x8b])
})

test('lets go of the states that it wrote down', async () => {
  const node = await createTestChain()
  const { keeper } = await keep(node, newPath('state.json'))
  keeper.stop()
  const capture = captured(node)
  await keeper.saveLast(capture)
  expect(capture.release).toThrow('released')
})

test('what another program has saved is kept beside it', async () => {
  const node = await createTestChain()
  const path = newPath('state.json')
  const { keeper, asides } = await keep(node, path)
  keeper.stop()
  await keeper.saveLast(captured(node))
  writeFileSync(path, 'of another program')
  await keeper.saveLast(captured(node))
  expect(asides).toEqual([`${path}.other`])
  expect(readFileSync(`${path}.other`, 'utf8')).toBe('of another program')
  expect(read(path).best_block_number).toBe(0)
})
