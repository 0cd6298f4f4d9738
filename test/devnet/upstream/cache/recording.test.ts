import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { openUpstream } from '../../../../devnet/upstream/openUpstream.ts'
import type { Upstream, UpstreamOptions } from '../../../../devnet/upstream/types.ts'
import { UpstreamProxy } from '../../../support/upstreamProxy.ts'
import {
  ADDRESS,
  answersOf,
  CONTRACT,
  type FakeNode,
  fakeNode,
  HASH,
  HASTY_TIME,
  slotsOf,
} from '../fakeNode.ts'

const cleanUps: (() => unknown)[] = []
let folder: string
let recording: string
let node: FakeNode
let proxy: UpstreamProxy
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recording-'))
  recording = join(folder, 'fork.json')
  node = fakeNode()
  proxy = await UpstreamProxy.start(answersOf(node))
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
  vi.unstubAllEnvs()
  await proxy.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(options: Partial<UpstreamOptions> = {}): Promise<Upstream> {
  const given = { url: proxy.url, block: 'latest', recording, ...options } as const
  const upstream = await openUpstream(given, HASTY_TIME)
  cleanUps.push(() => upstream.close())
  return upstream
}

/** The recording under a name that this process does not record to. */
function copy(): string {
  const path = join(folder, `copy-${readdirSync(folder).length}.json`)
  copyFileSync(recording, path)
  return path
}

/** An upstream of the recording alone. */
function play(options: Partial<UpstreamOptions> = {}): Promise<Upstream> {
  return open({ url: undefined, recording: copy(), ...options })
}

async function read(upstream: Upstream, piece = 0) {
  const slots = slotsOf(piece).map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const)
  const { accounts, slots: values } = await upstream.source.load({ accounts: [CONTRACT], slots })
  return [...accounts, ...values]
}

function refusal(starting: Promise<unknown>): Promise<string> {
  return starting.then(
    () => 'It started',
    (error: Error) => error.message,
  )
}

test('default: what was read is played without a request', async () => {
  const first = await open()
  const [values, hash] = [await read(first), await first.source.blockHash(1000n)]
  await first.close()
  proxy.reset()
  const played = await play()
  expect(await read(played)).toEqual(values)
  expect(await played.source.blockHash(1000n)).toEqual(hash)
  expect(played).toMatchObject({ chainId: 4242n, block: { hash: HASH }, initial: first.initial })
  expect(played).toMatchObject({ hardfork: first.hardfork, hardforkFrom: first.hardforkFrom })
  expect(played.status()).toMatchObject({ requests: 0, items: 0 })
  expect(proxy.requests).toHaveLength(0)
})

test('a new read fails with a sentence that says how to record it', async () => {
  await (await open()).close()
  const path = copy()
  const played = await open({ recording: path })
  const how = `delete the file, or run with PENDING_NODE_RECORD=1, to record it`
  for (const value of await read(played)) expect(value).toBeInstanceOf(Error)
  const [account] = await read(played)
  expect(account).toMatchObject({
    message: `the recording ${path} does not hold account ${ADDRESS} at block 1000: ${how}`,
    transient: false,
  })
  expect(await refusal(played.request('eth_getBlockReceipts', ['0x10']))).toBe(
    `the recording ${path} does not hold what eth_getBlockReceipts answers to ["0x10"]: ${how}`,
  )
})

test('the variable adds to a recording that is there', async () => {
  await (await open()).close()
  const path = copy()
  vi.stubEnv('PENDING_NODE_RECORD', '1')
  const more = await open({ recording: path })
  const values = await read(more)
  await more.close()
  vi.unstubAllEnvs()
  copyFileSync(path, recording)
  const played = await play()
  expect(await read(played)).toEqual(values)
})

test('equal reads in any order give equal bytes, one entry a line', async () => {
  const texts: string[] = []
  for (const pieces of [
    [0, 1, 2],
    [2, 1, 0],
  ]) {
    const path = join(folder, `run-${texts.length}.json`)
    const upstream = await open({ recording: path })
    await Promise.all(pieces.map((piece) => read(upstream, piece)))
    await upstream.close()
    texts.push(readFileSync(path, 'utf8'))
  }
  const [text = ''] = texts
  expect(texts[1]).toBe(text)
  const { entries, ...head } = JSON.parse(text)
  expect(head).toEqual({ version: 1, chainId: 4242, number: 1000, hash: HASH })
  expect(text.split('\n')).toHaveLength(entries.length + 3)
  expect(entries.filter(([kind]: string[]) => kind === 'slot').length).toBeGreaterThan(30)
  expect(text).not.toContain(new URL(proxy.url).host)
})

test.each<[string, (text: string) => string, string]>([
  ['cut off', (text) => text.slice(0, -20), 'cannot be read, '],
  ['empty', () => '', 'cannot be read, '],
  ['no entries', (text) => text.replace('entries', 'others'), 'cannot be read, it is damaged'],
  ['a strange entry', (text) => text.replace('["slot"', '["slut"'), 'an entry of no known kind'],
  [
    'a newer version',
    (text) => text.replace('"version":1', '"version":2'),
    'cannot be read, a newer version of hardhat-pending-node made it: delete the file to record it anew.',
  ],
])('error: a file that is %s', async (_, change, sentence) => {
  const upstream = await open()
  await read(upstream)
  await upstream.close()
  writeFileSync(recording, change(readFileSync(recording, 'utf8')))
  expect(await refusal(play())).toContain(sentence)
})

test('error: a file of another block', async () => {
  await (await open()).close()
  const isOf = `is of block 1000 (${HASH}) of chain 4242, not of block`
  expect(await refusal(play({ block: 7n }))).toContain(
    `${isOf} 7: name another file, or delete it.`,
  )
  const hash = `0x${'ee'.repeat(32)}` as const
  expect(await refusal(play({ block: hash }))).toContain(`${isOf} ${hash}: name`)
  for (const block of [1000n, -5n, HASH.toUpperCase().replace('X', 'x'), 'safe'] as const) {
    // The cast is safe: the hash begins with 0x.
    expect((await play({ block: block as UpstreamOptions['block'] })).block.hash).toBe(HASH)
  }
})

test('error: no file and no URL', async () => {
  expect(await refusal(open({ url: undefined }))).toBe(
    `The recording ${recording} does not exist: a URL is needed to make it.`,
  )
})

test('the folder of the file is made', async () => {
  recording = join(folder, 'a', 'b', 'fork.json')
  await (await open()).close()
  expect(JSON.parse(readFileSync(recording, 'utf8'))).toMatchObject({ number: 1000 })
})

test('a start that fails leaves no file', async () => {
  node.stateError = { code: -32602, message: 'no such thing' }
  expect(await refusal(open())).not.toBe('It started')
  expect(readdirSync(folder)).toEqual([])
})

test('networks of a process that record at once share the file', async () => {
  const all = await Promise.all([open(), open(), open()])
  await Promise.all(all.map((upstream, piece) => read(upstream, piece)))
  await Promise.all(all.map((upstream) => upstream.close()))
  const later = await open()
  await read(later, 3)
  await later.close()
  const played = await play()
  for (const piece of [0, 1, 2, 3]) {
    for (const value of await read(played, piece)) expect(value).not.toBeInstanceOf(Error)
  }
  const files = readdirSync(folder).filter((name) => !name.startsWith('copy-'))
  expect(files).toEqual(['fork.json', 'fork.json.lock'])
})

function startWriter(pieces: number, first = 0, ending = ''): ChildProcess {
  const path = fileURLToPath(new URL('cacheWriter.child.ts', import.meta.url))
  const args = [path, proxy.url, '', String(pieces), recording, String(first), ending]
  // One that starts late records all the same, in place of playing what another has saved.
  const env = { ...process.env, PENDING_NODE_RECORD: '1' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  cleanUps.push(() => child.kill('SIGKILL'))
  return child
}

/** What a process prints as errors until it ends, and its exit code. */
async function endOf(child: ChildProcess) {
  let errors = ''
  child.stdout?.resume()
  child.stderr?.on('data', (data) => {
    errors += String(data)
  })
  const [code] = await once(child, 'close')
  return { code, errors }
}

test('a second process that records to the same file is refused until the first one ends', async () => {
  const first = startWriter(100_000)
  if (first.stdout === null) throw new Error('the output of the child is piped')
  for await (const line of createInterface({ input: first.stdout })) {
    if (Number(line) >= 100) break
  }
  const { code, errors } = await endOf(startWriter(1, 200_000))
  expect(code).toBe(1)
  expect(errors).toContain(
    `Process ${first.pid} records to ${recording} until it ends: wait for it, or name another file. If that is another program, delete ${recording}.lock.`,
  )
  const gone = once(first, 'exit')
  first.kill('SIGKILL')
  expect((await gone)[1]).toBe('SIGKILL')
  // What it has saved is whole, and the next one adds to it.
  const saved = JSON.parse(readFileSync(recording, 'utf8')).entries.length
  expect(await endOf(startWriter(3, 200_000))).toEqual({ code: 0, errors: '' })
  expect(JSON.parse(readFileSync(recording, 'utf8')).entries.length).toBeGreaterThan(saved)
  const played = await play()
  for (const piece of [0, 200_000, 200_001, 200_002]) {
    for (const value of await read(played, piece)) expect(value).not.toBeInstanceOf(Error)
  }
}, 60_000)

test('a process that exits at once has written all', async () => {
  expect((await endOf(startWriter(5, 0, 'exit'))).code).toBe(0)
  const played = await play()
  for (const value of await read(played, 4)) expect(value).not.toBeInstanceOf(Error)
}, 60_000)

test.each<[string, (text: string) => string, string]>([
  [
    'a block that is none',
    (text) => text.replace('"gasUsed"', '"gasUsed":{"toString":1},"x"'),
    'no hexadecimal text',
  ],
  [
    'another hash in its head',
    (text) => text.replace(HASH, `0x${'ee'.repeat(32)}`),
    'holds another',
  ],
  [
    'another number in its head',
    (text) => text.replace('"number":1000', '"number":999'),
    'holds another',
  ],
  ['a negative number', (text) => text.replace('"number":1000', '"number":-1'), 'it is damaged'],
])('error: %s', async (_, change, sentence) => {
  await (await open()).close()
  writeFileSync(recording, change(readFileSync(recording, 'utf8')))
  const reason = await refusal(play())
  expect(reason).toContain(sentence)
  expect(reason).not.toContain('\n')
})

test('a hash in capitals is the same block', async () => {
  node.block = { ...node.block, hash: HASH.toUpperCase().replace('X', 'x') }
  const first = await open()
  expect(first.block.hash).toBe(HASH)
  const values = await read(first)
  await first.close()
  expect(await read(await play())).toEqual(values)
})

test('a question of 9 MB, and an error whose words are an object', async () => {
  await (await open()).close()
  const method = 'eth_getLogs'
  const key = (params: unknown[]) => `${method} ${JSON.stringify(params)}`
  const long = ['\\"'.repeat(1_100_000)]
  const entries = [
    ['answer', key(long), 'known'],
    ['answer', key([]), null, { code: { valueOf: 1 }, message: { toString: 1 } }],
    ['answer', { toString: 1 }, null],
  ].map((entry) => JSON.stringify(entry))
  const text = readFileSync(recording, 'utf8')
  writeFileSync(recording, text.replace('[\n', `[\n${entries.join(',\n')},\n`))
  const played = await play()
  expect(await played.request(method, long)).toBe('known')
  await expect(played.request(method, [])).rejects.toMatchObject({ code: 0, message: 'an object' })
})

test('at the exit of a process, a recording that cannot be written costs no other', async () => {
  const other = join(folder, 'other.json')
  const gone = join(folder, 'gone', 'fork.json')
  const path = fileURLToPath(new URL('exitWriter.child.ts', import.meta.url))
  const child = spawn(process.execPath, [path, proxy.url, gone, other], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  cleanUps.push(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (data) => {
    said += String(data)
  })
  expect((await once(child, 'close'))[0]).toBe(0)
  expect(said).toContain(`the recording ${gone} cannot be written`)
  expect(JSON.parse(readFileSync(other, 'utf8'))).toMatchObject({ number: 1000 })
  expect(readdirSync(folder).sort()).toEqual(['other.json'])
}, 60_000)

test('what a killed process left beside the file does not count', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  writeFileSync(`${recording}.lock`, String(child.pid))
  writeFileSync(`${recording}.tmp`, '{')
  await (await open()).close()
  expect(readdirSync(folder).sort()).toEqual(['fork.json', 'fork.json.lock'])
  expect(readFileSync(`${recording}.lock`, 'utf8')).toBe(String(process.pid))
})

test.each(['', 'exit'])(
  'on a full disk no temporary file is left, ending: "%s"',
  async (ending) => {
    const path = fileURLToPath(new URL('cacheWriter.child.ts', import.meta.url))
    const args = [process.execPath, path, proxy.url, '', '60', recording, '0', ending]
    // Longer files fail as on a full disk, but with EFBIG.
    const limited = ['-c', 'trap "" XFSZ; ulimit -f 4; exec "$@"', 'sh', ...args]
    const child = spawn('sh', limited, { stdio: ['ignore', 'ignore', 'inherit'] })
    cleanUps.push(() => child.kill('SIGKILL'))
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(readdirSync(folder).filter((name) => name !== 'fork.json')).toEqual([])
  },
  60_000,
)
