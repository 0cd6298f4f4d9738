import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFile } from '../support/genesisFile.ts'
import { type HardhatProcess, runHardhat, startHardhat, startNpxHardhat } from './hardhatProcess.ts'

let count = 0
/** A path at which there is nothing yet. */
const newPath = () => join(dirname(temporaryFile('x', '')), `${process.pid}-${count++}-state.json`)

const start = (...args: string[]) =>
  startHardhat(['pending-node', '--port', '0', '--json', ...args])

async function request(node: HardhatProcess, method: string, ...params: unknown[]) {
  // The form is asserted by another test.
  const { url } = JSON.parse(await node.firstLine) as { url: string }
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

/** The events that it printed. */
async function events(node: HardhatProcess): Promise<Record<string, unknown>[]> {
  const { stdout } = await node.ended
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s saves, and the next start goes on', async (signal, code) => {
  const state = newPath()
  await using first = start('--frozen-ticks', '--state', state)
  await request(first, 'preconf_advance', { blocks: 3 })
  first.child.kill(signal)
  const ending = await first.ended
  expect([ending.code, ending.stderr]).toEqual([code, ''])
  expect((await events(first)).at(-1)).toMatchObject({
    event: 'save',
    file: state,
    number: 3,
    size: readFileSync(state).length,
  })

  await using second = start('--frozen-ticks', '--state', state)
  expect(await request(second, 'eth_blockNumber')).toBe('0x3')
  second.child.kill(signal)
  expect((await events(second))[1]).toMatchObject({
    event: 'load',
    file: state,
    blocks: 4,
    number: 3,
  })
})

test.skipIf(process.platform === 'win32')('Ctrl-C in a terminal saves', async () => {
  const state = newPath()
  await using npx = startNpxHardhat(['pending-node', '--port', '0', '--json', '--state', state])
  await request(npx, 'eth_chainId')
  process.kill(-Number(npx.child.pid), 'SIGINT')
  await npx.ended
  // npx may be gone before the node is.
  await expect.poll(() => existsSync(state), { timeout: 5000 }).toBe(true)
  expect(JSON.parse(readFileSync(state, 'utf8')).pending_node.format).toBe(1)
})

test('in words for people', async () => {
  const state = newPath()
  const args = ['pending-node', '--port', '0', '--frozen-ticks', '--state', state]
  for (const line of [
    /^Saved block 0 0x[0-9a-f]{8}… to \S+state\.json: [\d,]+ bytes in \d+ ms$/m,
    /^Loaded 1 block from \S+state\.json in \d+ ms; newest: 0 0x[0-9a-f]{8}…$/m,
  ]) {
    await using node = startHardhat(args)
    await node.firstLine
    node.child.kill('SIGINT')
    expect((await node.ended).stdout).toMatch(line)
  }
})

test('one sentence and exit code 1', async () => {
  const damaged = temporaryFile('state.json', '{"block":')
  const run = (...args: string[]) => runHardhat(['pending-node', '--port', '0', ...args])
  expect(await run('--state', damaged)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^\S+state\.json is not JSON: [^\n]+\n$/),
  })
  expect(await run('--dump-state', dirname(damaged))).toEqual({
    code: 1,
    stdout: '',
    stderr: `${dirname(damaged)} cannot be saved: it is a folder.\n`,
  })
  expect(await run('--state-interval', '60', '--state', newPath())).toEqual({
    code: 1,
    stdout: '',
    stderr: '--state-interval must be an integer from 1000 to 2147483647, not 60.\n',
  })
})

test('a state that cannot be saved at the end is told', async () => {
  const folder = join(dirname(newPath()), `${process.pid}-gone`)
  mkdirSync(folder)
  const state = join(folder, 'state.json')
  await using node = start('--frozen-ticks', '--state', state)
  await request(node, 'eth_chainId')
  rmSync(folder, { recursive: true })
  node.child.kill('SIGINT')
  const { code, stderr } = await node.ended
  expect([code, stderr]).toEqual([
    1,
    `${state} cannot be saved: ENOENT: no such file or directory.\n`,
  ])
})
