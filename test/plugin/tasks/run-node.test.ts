import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { RefusedError } from '../../../devnet/primitives/errors.ts'
import { ArtifactFolder } from '../../../plugin/artifacts/artifact-folder.ts'
import { openBrowser } from '../../../plugin/tasks/open-browser.ts'
import { type Host, runNode } from '../../../plugin/tasks/run-node.ts'
import { type FakeDevnet, fakeDevnet } from '../fakeDevnet.ts'
import { repeated, tickTransfer } from '../sampleStatus.ts'

const tick = { block: 1, tick: 0, transactions: [tickTransfer], elapsed: 1 }
const seal = {
  number: 1,
  hash: repeated('c', 64),
  timestamp: 1_700_000_000,
  transactions: 1,
  gasUsed: 21_000,
  baseFeePerGas: 1_000_000_000n,
  elapsed: 2,
}

// Where the tests run must not decide about colours.
beforeAll(() => {
  vi.stubEnv('FORCE_COLOR', '0')
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** A process that a test can signal; `lines` is what was printed. */
function fakeHost(platform: NodeJS.Platform = 'linux') {
  const lines: string[] = []
  const exits: number[] = []
  const signals = new EventEmitter()
  const stdout = new Writable({
    write(chunk, _, done) {
      // Without the times, which are not the same each time.
      const text = String(chunk).replace(/^\d\d:\d\d:\d\d\.\d{3} /gm, '')
      lines.push(...text.split('\n').slice(0, -1))
      done()
    },
  })
  const host: Host = {
    platform,
    stdout,
    on: (signal, listener) => signals.on(signal, listener),
    off: (signal, listener) => signals.off(signal, listener),
    exit: (code) => exits.push(code),
  }
  const send = (signal: NodeJS.Signals) => signals.emit(signal, signal)
  return { host, lines, exits, stdout, signals, send }
}

/** Runs `devnet` until it has printed its first lines. */
async function started(devnet: FakeDevnet, platform?: NodeJS.Platform) {
  const process = fakeHost(platform)
  const code = runNode(devnet, process.host, { inContainer: false })
  // `start` of the fake resolves at once, so that the node is up after this.
  await new Promise((resolve) => setImmediate(resolve))
  return { ...process, code }
}

describe('output', () => {
  test('default', async () => {
    const devnet = fakeDevnet({ contracts: new ArtifactFolder('artifacts') })
    const { lines, send, code } = await started(devnet)
    devnet.emit('tick', tick)
    devnet.emit('seal', seal)
    send('SIGINT')
    await code
    expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      Started HTTP and WebSocket JSON-RPC server at http://127.0.0.1:8545/
      Ticks every 200 ms, seals every 2,000 ms.
      To control them: npx hardhat pending-node freeze|resume|advance|seal|status
      For programs that read \`latest\`, as cast does: --receipts sealed or --instant

      Accounts
      ========

      WARNING: Funds sent on live network to accounts with publicly known private keys WILL BE LOST.

      Account #0:  0x1111111111111111111111111111111111111111 (10000 ETH)
      Private Key: 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee

      Account #1:  0x2222222222222222222222222222222222222222 (10000 ETH)
      Private Key: 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff

      WARNING: Funds sent on live network to accounts with publicly known private keys WILL BE LOST.

      Mock wallet at http://127.0.0.1:8545/wallet
      Approval page at http://127.0.0.1:8545/wallet/#token
      Dashboard at http://127.0.0.1:8545/dashboard/#token=seen

      pre-confirmed #1 tick 0           1 tx     21,000 gas  1.0 ms
          0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
          from Account #0 to Account #1, 1.5 ETH, 21,000 of 30,000 gas
      sealed        #1 0xcccccc…        1 tx     21,000 gas  2.0 ms
      "
    `)
  })

  test('says what was imported, behind the address', async () => {
    const imported = {
      file: 'chain.rlp',
      blocks: 2,
      transactions: 3,
      gasUsed: 63_000,
      number: 2,
      hash: repeated('c', 64),
      elapsed: 5,
    }
    const start = async () => devnet.emit('import', imported)
    let devnet = fakeDevnet({}, { start })
    const { lines, send, code } = await started(devnet)
    send('SIGINT')
    await code
    expect(lines.slice(0, 2)).toEqual([
      'Started HTTP and WebSocket JSON-RPC server at http://127.0.0.1:8545/',
      'Imported 2 blocks (3 transactions, 63,000 gas) from chain.rlp in 5 ms; newest: 2 0xcccccccc…',
    ])
    devnet = fakeDevnet({ json: true }, { start })
    const json = await started(devnet)
    json.send('SIGINT')
    await json.code
    expect(JSON.parse(json.lines[1] ?? '')).toEqual({ event: 'import', ...imported })
  })

  test('args: json', async () => {
    const devnet = fakeDevnet({ json: true })
    const { lines, send, code } = await started(devnet)
    devnet.emit('tick', tick)
    devnet.emit('seal', seal)
    send('SIGINT')
    await code
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: 'ready', url: devnet.url }),
      {
        event: 'tick',
        ...tick,
        transactions: [expect.objectContaining({ hash: tickTransfer.hash })],
      },
      { event: 'seal', ...seal, baseFeePerGas: '1000000000' },
    ])
  })

  test.each([{ quiet: true }, { quiet: true, json: true }])('args: %o', async (input) => {
    const devnet = fakeDevnet(input)
    const { lines, send, code } = await started(devnet)
    devnet.emit('tick', tick)
    devnet.emit('seal', seal)
    send('SIGINT')
    await code
    expect(lines).toEqual([expect.stringMatching(/http:\/\/127\.0\.0\.1:8545/)])
  })

  test('a reader that goes away does not end the node', async () => {
    const devnet = fakeDevnet()
    const { lines, stdout, send, code } = await started(devnet)
    const before = lines.length
    stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    await new Promise((resolve) => setImmediate(resolve))
    devnet.emit('seal', seal)
    send('SIGTERM')
    expect(await code).toBe(143)
    expect(lines.length).toBe(before)
  })
})

describe('dashboard', () => {
  test.each([
    [{}, []],
    [{ open: true }, ['http://127.0.0.1:8545/dashboard/#token=seen']],
    [{ open: true, json: true, quiet: true }, ['http://127.0.0.1:8545/dashboard/#token=seen']],
  ])('args: %o opens %o', async (input, expected) => {
    const process = fakeHost()
    const opened: string[] = []
    const open = (url: string) => opened.push(url)
    const code = runNode(fakeDevnet(input), process.host, { inContainer: false, open })
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened).toEqual(expected)
    process.send('SIGINT')
    await code
  })

  test('without one, nothing names it', async () => {
    const { lines, send, code } = await started(fakeDevnet({ noDashboard: true }))
    send('SIGINT')
    await code
    expect(lines.join()).not.toContain('ashboard')
  })

  test('a browser that cannot be started is told, without the token', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    openBrowser('http://127.0.0.1:1/dashboard/#token=seen', resolve, ['/no/such/program'])
    expect(await promise).toBe(
      '--open: /no/such/program cannot be started; open http://127.0.0.1:1/dashboard/ yourself.',
    )
  })
})

describe('browser', () => {
  test('a program that fails later is told, with its exit code and without the token', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const fails = [process.execPath, '--eval', 'process.exitCode = 3'] as const
    openBrowser('http://127.0.0.1:1/dashboard/#token=seen', resolve, [...fails])
    expect(await promise).toBe(
      `--open: ${process.execPath} could not show the page (exit code 3); open http://127.0.0.1:1/dashboard/ yourself.`,
    )
  })
})

describe('end', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('args: %s', async (signal, expected) => {
    const devnet = fakeDevnet()
    const { lines, signals, send, code } = await started(devnet)
    expect(devnet.calls).toEqual(['start'])
    send(signal)
    expect(await code).toBe(expected)
    expect(devnet.calls).toEqual(['start', 'stop'])
    const before = lines.length
    devnet.emit('seal', seal)
    expect(lines.length).toBe(before)
    expect(signals.eventNames()).toEqual([])
  })

  test.each([
    ['linux', ['SIGINT', 'SIGTERM']],
    ['darwin', ['SIGINT', 'SIGTERM']],
    ['win32', ['SIGINT', 'SIGBREAK', 'SIGHUP']],
  ] as const)('what ends a node on %s stops it cleanly', async (platform, expected) => {
    for (const signal of expected) {
      const devnet = fakeDevnet()
      const { signals, send, code } = await started(devnet, platform)
      expect(signals.eventNames()).toEqual(expected)
      send(signal)
      await code
      expect(devnet.calls).toEqual(['start', 'stop'])
      expect(signals.eventNames()).toEqual([])
    }
  })

  test('a second signal ends the process at once', async () => {
    const stopping = Promise.withResolvers<void>()
    const { exits, send, code } = await started(fakeDevnet({}, { stop: () => stopping.promise }))
    send('SIGTERM')
    expect(exits).toEqual([])
    send('SIGINT')
    expect(exits).toEqual([130])
    stopping.resolve()
    expect(await code).toBe(143)
  })

  test('a failed start leaves no listener', async () => {
    const failure = new RefusedError('Port 8545 is taken.')
    const { host, lines, signals } = fakeHost()
    const devnet = fakeDevnet({}, { start: () => Promise.reject(failure) })
    await expect(runNode(devnet, host, {})).rejects.toBe(failure)
    expect([lines, signals.eventNames()]).toEqual([[], []])
  })
})
