import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  ChainFileError,
  createDevnet,
  type Devnet,
  type LoadEvent,
  OptionError,
  type OptionsInput,
  type SaveEvent,
} from '../../devnet/index.ts'
import { BLOCK_FORKS, FUNDED, genesisOf, temporaryFile } from '../support/genesisFile.ts'

const devnets: Devnet[] = []
afterEach(async () => {
  for (const devnet of devnets.splice(0)) await devnet.stop()
})

interface Heard {
  readonly loads: LoadEvent[]
  readonly saves: SaveEvent[]
}

/** A node whose clocks stand still, unless `options` say otherwise. */
async function start(options: OptionsInput): Promise<Devnet & Heard> {
  const devnet = createDevnet({ port: 0, frozenTicks: true, ...options })
  const heard: Heard = { loads: [], saves: [] }
  devnet.on('load', (event) => heard.loads.push(event))
  devnet.on('save', (event) => heard.saves.push(event))
  await devnet.start()
  devnets.push(devnet)
  return Object.assign(devnet, heard)
}

let count = 0
/** A path at which there is nothing yet. */
const newPath = (name = 'state.json') =>
  join(dirname(temporaryFile('x', '')), `${process.pid}-${count++}-${name}`)

const [ALICE, BOB] = FUNDED
const ask = <Result>(devnet: Devnet, method: string, ...params: unknown[]) =>
  // Each test knows what the method that it asks answers.
  devnet.provider.request({ method, params }) as Promise<Result>
const send = (devnet: Devnet) =>
  ask<string>(devnet, 'eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1' })

test('default: goes on where it was', async () => {
  const state = newPath()
  const first = await start({ state, timestamp: 1_800_000_000 })
  expect([first.loads, existsSync(state)]).toEqual([[], false])
  const sealed = await send(first)
  await first.clock.advance({ blocks: 2 })
  const preconfirmed = await send(first)
  await first.clock.advance({ ticks: 1 })
  const waiting = await send(first)
  const answers = (devnet: Devnet) =>
    Promise.all([
      devnet.clock.status(),
      ask(devnet, 'eth_getTransactionReceipt', sealed),
      ask(devnet, 'eth_getTransactionReceipt', preconfirmed),
      ask(devnet, 'eth_getTransactionByHash', waiting),
      ask(devnet, 'eth_getBlockByNumber', 'latest', true),
      // With the same instanceId, so that ignition keeps what it knows of its deployments.
      ask(devnet, 'hardhat_metadata'),
    ])
  const before = await answers(first)
  await first.stop()
  const bytes = readFileSync(state)
  expect(first.saves).toEqual([
    {
      file: state,
      number: 2,
      hash: before[0].latest.hash,
      size: bytes.length,
      elapsed: expect.any(Number),
    },
  ])

  const second = await start({ state })
  expect(second.loads).toEqual([
    { file: state, blocks: 3, number: 2, hash: before[0].latest.hash, elapsed: expect.any(Number) },
  ])
  expect(await answers(second)).toEqual(before)
  await second.stop()
  expect(readFileSync(state).equals(bytes)).toBe(true)

  const third = await start({ state })
  await third.clock.advance({ blocks: 1 })
  expect(await ask(third, 'eth_getTransactionReceipt', waiting)).toMatchObject({
    blockNumber: '0x3',
  })
})

test('equal nodes save equal files', async () => {
  const files = [newPath(), newPath()]
  for (const state of files) {
    const devnet = await start({ state, timestamp: 1_800_000_000 })
    await send(devnet)
    await devnet.clock.advance({ blocks: 3 })
    await devnet.stop()
  }
  const [one, other] = files.map((file) => readFileSync(file, 'utf8'))
  expect(one).toBe(other)
})

test('an equal chain gives an equal dump, however often it has ticked', async () => {
  // Ticks run: each dump has one itself.
  const node = await start({ frozen: true, frozenTicks: false })
  for (const phase of ['fresh', 'pre-confirmed', 'sealed']) {
    if (phase === 'pre-confirmed') await send(node)
    if (phase === 'sealed') await node.clock.seal()
    const dumps = [await ask(node, 'anvil_dumpState'), await ask(node, 'hardhat_dumpState')]
    expect([phase, new Set(dumps).size]).toEqual([phase, 1])
  }
})

test('dumpState saves, loadState loads, and neither does the other', async () => {
  const dumpState = newPath('state.json.gz')
  const first = await start({ dumpState })
  await send(first)
  await first.clock.advance({ blocks: 1 })
  const { instanceId } = await ask<{ instanceId: string }>(first, 'hardhat_metadata')
  await first.stop()
  const bytes = readFileSync(dumpState)
  expect(JSON.parse(gunzipSync(bytes).toString()).best_block_number).toBe(1)

  const second = await start({ loadState: dumpState })
  expect(await ask(second, 'eth_blockNumber')).toBe('0x1')
  expect(await ask<object>(second, 'hardhat_metadata')).not.toMatchObject({ instanceId })
  await second.clock.advance({ blocks: 1 })
  await second.stop()
  expect(readFileSync(dumpState).equals(bytes)).toBe(true)

  const third = await start({ dumpState })
  expect(await ask(third, 'eth_blockNumber')).toBe('0x0')
})

test('time goes on by the wall clock and what it was moved', async () => {
  const state = newPath()
  const DAY = 86_400
  const first = await start({ state, frozenTicks: false })
  await ask(first, 'evm_increaseTime', DAY)
  await first.stop()
  const second = await start({ state, frozenTicks: false })
  const ahead = (await second.clock.status()).time - Date.now()
  expect(Math.abs(ahead / 1000 - DAY)).toBeLessThan(20)
  expect(await ask(second, 'evm_increaseTime', 5)).toBe(String(DAY + 5))
})

test('goes on at the timestamp given, but not before the newest block', async () => {
  const state = newPath()
  const first = await start({ state, timestamp: 1_800_000_000 })
  await first.clock.advance({ blocks: 1 })
  await first.stop()
  const second = await start({ loadState: state, timestamp: 1_900_000_000 })
  expect((await second.clock.status()).time).toBe(1_900_000_000_000)
  const early = createDevnet({ port: 0, loadState: state, timestamp: 1_700_000_000 })
  await expect(early.start()).rejects.toThrow(OptionError)
})

test('another chain id or hardfork than the file has is a mistake', async () => {
  const state = newPath()
  await (await start({ state, chainId: 1337, hardfork: 'prague' })).stop()
  const again = await start({ state })
  expect([again.chainId, await ask(again, 'eth_chainId')]).toEqual([1337, '0x539'])
  await again.stop()
  await (await start({ state, chainId: 1337, hardfork: 'prague' })).stop()
  const wrong = (options: OptionsInput) => createDevnet({ port: 0, state, ...options }).start()
  await expect(wrong({ chainId: 5 })).rejects.toThrow(OptionError)
  await expect(wrong({ chainId: 5 })).rejects.toThrow(
    `The chain id given, 5, is not that of the chain in ${state}, 1337: leave it out, or start without that file.`,
  )
  await expect(wrong({ hardfork: 'london' })).rejects.toThrow(
    `The hardfork given, london, is not that of the chain in ${state}, prague`,
  )
})

test('does not start where it could not save or load', async () => {
  const folder = dirname(newPath())
  const starting = (options: OptionsInput) => createDevnet({ port: 0, ...options }).start()
  await expect(starting({ state: folder })).rejects.toThrow(ChainFileError)
  await expect(starting({ state: folder })).rejects.toThrow(
    `${folder} cannot be saved: it is a folder.`,
  )
  await expect(starting({ dumpState: join(folder, 'no', 'x') })).rejects.toThrow(
    `cannot be saved: the folder ${join(folder, 'no')} does not exist.`,
  )
  const missing = newPath()
  await expect(starting({ loadState: missing })).rejects.toThrow(
    `${missing} cannot be read: ENOENT: no such file or directory.`,
  )
  const damaged = temporaryFile('state.json', '{"accounts"')
  await expect(starting({ state: damaged })).rejects.toThrow(`${damaged} is not JSON`)
  // What could not be read is not overwritten either.
  expect(readFileSync(damaged, 'utf8')).toBe('{"accounts"')
})

test('a second node on the same file is refused until the first one has stopped', async () => {
  const state = newPath()
  const first = await start({ state })
  await first.clock.advance({ blocks: 2 })
  const refusal = `Another node of this process saves to ${state} until it ends: stop it, or name another file.`
  for (const options of [{ state }, { dumpState: state }]) {
    await expect(createDevnet({ port: 0, ...options }).start()).rejects.toThrow(
      new OptionError(refusal),
    )
  }
  await first.stop()
  const second = await start({ state })
  expect(await ask(second, 'eth_blockNumber')).toBe('0x2')
})

test('what another program has saved meanwhile is told, and kept', async () => {
  const warnings = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => warnings.mockRestore())
  const state = newPath()
  const node = await start({ state })
  writeFileSync(state, 'of another program')
  await node.stop()
  expect(warnings).toHaveBeenCalledWith(expect.stringContaining(`is now ${state}.other`))
  expect(readFileSync(`${state}.other`, 'utf8')).toBe('of another program')
  expect(JSON.parse(readFileSync(state, 'utf8')).best_block_number).toBe(0)
})

test('a node that saves a chain of a genesis file goes on with it', async () => {
  const genesis = temporaryFile(
    'genesis.json',
    genesisOf({ ...BLOCK_FORKS, shanghaiTime: 0, cancunTime: 0 }),
  )
  const state = newPath()
  const first = await start({ genesis, state })
  await first.clock.advance({ blocks: 2 })
  const { latest } = await first.clock.status()
  await first.stop()
  const second = await start({ genesis, state })
  expect([(await second.clock.status()).latest, second.chainId]).toEqual([latest, 4242])
})
