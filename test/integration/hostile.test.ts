import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createDevnet } from '../../devnet/index.ts'
import { readScript } from '../../devnet/node/nodeFaults.ts'
import { NodeFollower } from '../../devnet/node/nodeFollower.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { Semaphore } from '../../devnet/primitives/serialQueue.ts'
import { slotKeyFromBigInt } from '../../devnet/state/keys.ts'
import { StreamReader } from '../../devnet/stream/raw/streamReader.ts'
import type { Devnet } from '../../devnet/types.ts'
import { openUpstream } from '../../devnet/upstream/openUpstream.ts'
import type { Upstream } from '../../devnet/upstream/types.ts'
import { postRequest } from '../../devnet/wallet/core/chainRpc.ts'
import type { Session } from '../../devnet/wallet/core/session.ts'
import { ArtifactFolder } from '../../plugin/artifacts/artifact-folder.ts'
import { dumpOf, playTraffic } from '../devnet/persistence/dump/support.ts'
import { createRpcChain } from '../devnet/rpc/methods/rpcChain.ts'
import { record } from '../devnet/stream/raw/follower.ts'
import {
  ADDRESS,
  answersOf,
  BLOCK,
  CONTRACT,
  fakeNode,
  HASTY_TIME,
} from '../devnet/upstream/fakeNode.ts'
import { createTestChain } from '../support/chain.ts'
import { BLOCK_FORKS, genesisOf } from '../support/genesisFile.ts'
import { expectNamed, expectPrintable, hostile } from '../support/hostile.ts'
import { runs } from '../support/longRuns.ts'
import { Random } from '../support/random.ts'
import { artifact } from '../support/solidity.ts'

/** Cases of each of the twelve places in the long run; a fortieth of them in `npm test`. */
const CASES = 2_000
const SHARE = 40

/** Plays hostile forms of valid texts; `play` returns what went right, or throws what is named. */
async function playAll(
  seed: number,
  valid: readonly string[],
  play: (bytes: Buffer, random: Random) => unknown,
): Promise<void> {
  const random = new Random(seed)
  for (let number = 0; number < runs(CASES, SHARE); number++) {
    const { name, bytes } = hostile(random.pick(valid), random)
    try {
      await play(bytes, random)
    } catch (error) {
      try {
        expectNamed(error)
      } catch (cause) {
        const start = bytes.subarray(0, 2_000).toString()
        throw new Error(`seed ${seed}, case ${number}, ${name}: ${start}`, { cause })
      }
    }
  }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** @returns a URL on this machine, until the test has ended */
async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A server that listens on a port has no path.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** A server whose answer to whatever it is asked is what was set last. */
async function parrot() {
  let answer = (_asked: unknown): string | Buffer => ''
  const { url, server } = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    response.end(answer(JSON.parse(text)))
  })
  const say = (next: typeof answer) => {
    answer = next
  }
  return { url, server, say }
}

let made: Promise<string> | undefined
/** A state file with everything that one can hold. */
const wholeDump = () => {
  made ??= createRpcChain().then(async (node) => {
    await playTraffic(node, 2, 40)
    return dumpOf(node)
  })
  return made
}

describe('an upstream', () => {
  const answer = answersOf(fakeNode({ config: { current: { chainId: '0x1092' } } }))
  const FILTER = { fromBlock: '0x10', toBlock: '0x12' }

  /** Reads all that a chain reads of an upstream; throws the first error. */
  async function use(upstream: Upstream): Promise<void> {
    const slots = [1n, 2n].map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const)
    const { accounts, slots: values } = await upstream.source.load({ accounts: [CONTRACT], slots })
    for (const value of [...accounts, ...values]) if (value instanceof Error) throw value
    await upstream.source.blockHash(900n)
    await upstream.request('eth_getLogs', [FILTER])
    await upstream.request('debug_traceTransaction', [BLOCK.hash, {}])
  }

  test('answers', async () => {
    const { url, say } = await parrot()
    const cache = temporaryFolder()
    await playAll(1, ['x'], async (_, random) => {
      // Which answer is hostile: one of those of the start, or of what is read later.
      let left = random.below(40)
      say((asked) => {
        // The code under test writes JSON-RPC.
        const items = [asked].flat() as { id: number; method: string; params: unknown[] }[]
        const texts = items.map((item) =>
          JSON.stringify({ jsonrpc: '2.0', id: item.id, ...answer(item) }),
        )
        const text = Array.isArray(asked) ? `[${texts.join()}]` : (texts[0] ?? '')
        return left-- > 0 ? text : hostile(text, random).bytes
      })
      const options = { url, block: 'latest', cache: random.once(2) ? cache : false } as const
      const warnings: string[] = []
      const onWarning = (message: string) => warnings.push(message)
      const upstream = await openUpstream({ ...options, onWarning }, HASTY_TIME)
      try {
        await use(upstream)
      } finally {
        const { lastFailure } = upstream.status()
        if (lastFailure !== null) expectPrintable(lastFailure)
        for (const warning of warnings) expectPrintable(warning)
        await upstream.close()
      }
    })
  })

  test('errors', async () => {
    const { url, say } = await parrot()
    say((asked) => {
      const items = [asked].flat() as { id: number; method: string; params: unknown[] }[]
      return JSON.stringify(items.map((item) => ({ id: item.id, ...answer(item) })))
    })
    const upstream = await openUpstream({ url, block: 'latest', cache: false }, HASTY_TIME)
    onTestFinished(() => upstream.close())
    const errors = [
      '{"code":3,"message":"execution reverted","data":"0x08c379a0"}',
      '{"code":-32000,"message":"header not found","data":{"at":[1,{"why":"pruned"}]}}',
    ]
    await playAll(2, errors, async (bytes) => {
      say((asked) => {
        const { id } = asked as { id: number } // The code under test writes JSON-RPC.
        return Buffer.concat([Buffer.from(`{"id":${id},"error":`), bytes, Buffer.from('}')])
      })
      const result = upstream.request('eth_getTransactionReceipt', [BLOCK.hash])
      const error: unknown = await result.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error === undefined) return
      // -32603 is the upstream's own word if it says so.
      if (!(error instanceof Error) || !('code' in error)) throw error
      expectPrintable(error.message)
      expect(Number.isSafeInteger(error.code)).toBe(true)
    })
  })

  test('cache files', async () => {
    const { url, say } = await parrot()
    say((asked) => {
      const items = [asked].flat() as { id: number; method: string; params: unknown[] }[]
      const texts = items.map((item) => JSON.stringify({ id: item.id, ...answer(item) }))
      return Array.isArray(asked) ? `[${texts.join()}]` : (texts[0] ?? '')
    })
    const cache = temporaryFolder()
    const open = () => openUpstream({ url, block: 'latest', cache }, HASTY_TIME)
    const values = async (upstream: Upstream) => {
      const { accounts, slots } = await upstream.source.load({
        accounts: [CONTRACT],
        slots: [[CONTRACT, slotKeyFromBigInt(1n)]],
      })
      await upstream.request('eth_getBalance', [ADDRESS, '0x300'])
      await upstream.close()
      return { accounts, slots }
    }
    const right = await values(await open())
    const files = readdirSync(cache, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name))
    expect(files.length).toBe(3)
    const whole = new Map(files.map((file) => [file, readFileSync(file)]))
    await playAll(3, ['x'], async (_, random) => {
      const file = random.pick(files)
      for (const [path, content] of whole) writeFileSync(path, content)
      writeFileSync(file, hostile(whole.get(file)?.toString() ?? '', random).bytes)
      expect(await values(await open())).toEqual(right)
    })
  })
})

describe('the leader of a replica', () => {
  test('its state', async () => {
    const leader = await createRpcChain()
    await playTraffic(leader, 3, 20)
    const result = await leader.call('preconf_replicaState')
    const valid = JSON.stringify({ jsonrpc: '2.0', id: 1, result })
    const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"it is a fork"}}'
    const { url, server, say } = await parrot()
    const sockets = new WebSocketServer({ server })
    onTestFinished(() => sockets.close())
    await playAll(4, [valid.slice(0, 20_000), valid, refusal], async (bytes) => {
      say(() => bytes)
      const { signal } = new AbortController()
      const follower = await NodeFollower.connect(url.replace('http', 'ws'), signal)
      follower.close()
    })
  })

  test('messages of its stream', async () => {
    const leader = await createTestChain({ instant: false })
    const copy = await createTestChain({ instant: false, frozenTicks: true })
    const { texts } = record(leader)
    const [from] = leader.accounts
    for (let block = 0; block < 3; block++) await leader.clocks.advanceBlocks(1)
    expect(from).toBeDefined()
    expect(texts.length).toBeGreaterThan(2)
    await playAll(5, texts, async (bytes) => {
      await new StreamReader(copy.chain, 'stream').read(bytes.toString())
    })
    // It follows all the same.
    const reader = new StreamReader(copy.chain, 'stream')
    for (const text of texts) await reader.read(text)
  })
})

test('the RPC of an added wallet chain', async () => {
  const { url, say } = await parrot()
  // What this function uses of a session.
  const session = { rpcRequests: new Semaphore(4) } as unknown as Session
  const valid = [
    '{"jsonrpc":"2.0","id":1,"result":{"number":"0x1","transactions":["0x12"]}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x"}}',
  ]
  await playAll(6, valid, async (bytes) => {
    say(() => bytes)
    const { signal } = new AbortController()
    const asked = postRequest(session, url, { method: 'eth_getBlockByNumber' }, signal)
    const error: unknown = await asked.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error === undefined) return
    if (!(error instanceof Error) || !('code' in error)) throw error
    expectPrintable(error.message)
  })
})

describe('files', () => {
  test('states', async () => {
    const valid = await wholeDump()
    const loadState = join(temporaryFolder(), 'state.json')
    await playAll(7, [valid], async (bytes) => {
      writeFileSync(loadState, bytes)
      await createTestChain({ loadState, timestamp: undefined })
    })
  })

  test('genesis', async () => {
    const genesis = join(temporaryFolder(), 'genesis.json')
    const valid = [JSON.stringify(genesisOf({ ...BLOCK_FORKS, shanghaiTime: 0 }))]
    await playAll(8, valid, async (bytes) => {
      writeFileSync(genesis, bytes)
      await createTestChain({ genesis, timestamp: undefined })
    })
  })

  test('fault scripts', async () => {
    const file = join(temporaryFolder(), 'faults.json')
    const rules = [
      { kind: 'drop', next: 1, at: 'tick', nonce: 3 },
      { kind: 'corruptAnswer', method: ['eth_call', 'eth_chainId'], result: { a: [1] } },
      { kind: 'refuseAnswer', method: 'eth_call', message: 'no', code: -32000, status: 429 },
    ]
    await playAll(9, [JSON.stringify({ rules, seed: 3 })], async (bytes) => {
      writeFileSync(file, bytes)
      const script = await readScript(file)
      expect(JSON.stringify(script)).not.toBe('')
    })
  })

  test('artifacts', async () => {
    const folder = temporaryFolder()
    const { abi, bytecode } = artifact('Token')
    const references = { '7': [{ start: 3, length: 32 }], '9': [{ start: 60, length: 32 }] }
    const valid = JSON.stringify({
      ...{ _format: 'hh3-artifact-1', contractName: 'Token', sourceName: 'Token.sol', abi },
      ...{ bytecode, deployedBytecode: bytecode, linkReferences: {} },
      ...{ deployedLinkReferences: {}, immutableReferences: references },
    })
    await playAll(10, [valid], async (bytes) => {
      writeFileSync(join(folder, 'Token.json'), bytes)
      const artifacts = new ArtifactFolder(folder)
      await artifacts.refresh()
      await artifacts.createdBy(bytecode)
      await artifacts.deployedAs(`0x${'00'.repeat(100)}`)
    })
  })
})

describe('clients', () => {
  let devnet: Devnet
  beforeAll(async () => {
    devnet = createDevnet({ port: 0, frozen: true, tickInterval: 50 })
    await devnet.start()
  })
  afterAll(() => devnet.stop())

  const REQUESTS = [
    '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x0000000000000000000000000000000000000001","latest"]}',
    '[{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"},{"jsonrpc":"2.0","id":2,"method":"eth_call","params":[{"to":"0x0000000000000000000000000000000000000004","data":"0x1234"},"latest",{}]}]',
    '{"jsonrpc":"2.0","id":"a","method":"preconf_faults","params":[{"rules":[{"kind":"corruptAnswer","method":"eth_gasPrice","result":{"a":[]}}]}]}',
    '{"jsonrpc":"2.0","id":3,"method":"eth_subscribe","params":["logs",{"topics":[null,["0x12"]]}]}',
  ]

  /** Expects one or more answers, whose errors are named. */
  function expectAnswers(text: string): void {
    const answers: { error?: { code: number; message: string } }[] = [JSON.parse(text)].flat()
    for (const { error } of answers) {
      if (error === undefined) continue
      expect(error.code).not.toBe(-32603)
      expectPrintable(error.message)
    }
  }

  async function expectAlive(): Promise<void> {
    const [from] = devnet.accounts
    const params = [{ from: from?.address, to: from?.address }]
    await devnet.provider.request({ method: 'preconf_faults', params: [{ rules: [] }] })
    const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params })
    const found = { method: 'eth_getTransactionByHash', params: [hash as Hex] }
    expect(await devnet.provider.request(found)).toMatchObject({ from: from?.address })
  }

  test('bodies of HTTP', async () => {
    await playAll(11, REQUESTS, async (bytes) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(devnet.url, { method: 'POST', headers, body: bytes })
      const text = await response.text()
      if (response.status === 200 && text !== '') expectAnswers(text)
      else expect([200, 202, 204, 400, 413]).toContain(response.status)
    })
    await expectAlive()
  })

  test('frames of WebSockets', async () => {
    let socket: WebSocket | undefined
    await playAll(12, REQUESTS, async (bytes, random) => {
      if (socket?.readyState !== WebSocket.OPEN) {
        socket = new WebSocket(devnet.url.replace('http', 'ws'))
        socket.on('error', () => undefined)
        await once(socket, 'open')
      }
      const answered = Promise.withResolvers<string | undefined>()
      socket.once('close', () => answered.resolve(undefined))
      socket.on('message', (data) => {
        // A subscription of an earlier case may tell of something meanwhile.
        if (!String(data).includes('eth_subscription')) answered.resolve(String(data))
      })
      // In frames of a client that says it is text, whatever it is.
      socket.send(bytes, { binary: false })
      // What is a notification, or a batch of them, is not answered.
      socket.send('{"jsonrpc":"2.0","id":"last","method":"eth_chainId"}')
      const text = await answered.promise
      socket.removeAllListeners('message').removeAllListeners('close')
      if (text !== undefined) expectAnswers(text)
      if (random.once(3)) socket.terminate()
    })
    socket?.terminate()
    await expectAlive()
  })
})

describe('bodies without an end', () => {
  /** Writes until the client has enough; counts the bytes. */
  async function endless(beginning: string) {
    let sent = 0
    const piece = 'x'.repeat(1 << 16)
    const { url, server } = await serve((_, response) => {
      response.write(beginning)
      const more = () => {
        while (!response.destroyed) {
          sent += piece.length
          if (!response.write(piece)) {
            response.once('drain', more)
            return
          }
        }
      }
      more()
    })
    return { url, server, sent: () => sent }
  }

  /** What lies in the buffers of the system, on both sides. */
  const BUFFERED = 16 << 20

  test('error: of an upstream', async () => {
    const { url, sent } = await endless('{"jsonrpc":"2.0","id":1,"result":"')
    const options = { url, block: 'latest', cache: false } as const
    await expect(openUpstream(options, HASTY_TIME)).rejects.toThrow('an answer of more than 16 MiB')
    // Batches become smaller, and each item is asked for five times.
    expect(sent()).toBeLessThan(20 * ((16 << 20) + BUFFERED))
  })

  test('error: of the RPC of an added wallet chain', async () => {
    const { url, sent } = await endless('{"jsonrpc":"2.0","id":1,"result":"')
    // What this function uses of a session.
    const session = { rpcRequests: new Semaphore(4) } as unknown as Session
    const { signal } = new AbortController()
    await expect(postRequest(session, url, { method: 'eth_chainId' }, signal)).rejects.toThrow(
      'The RPC of the active chain does not answer eth_chainId.',
    )
    expect(sent()).toBeLessThan((8 << 20) + BUFFERED)
  })

  test('error: the state of the leader of a replica', async () => {
    const { url, server, sent } = await endless('{"jsonrpc":"2.0","id":1,"result":{"state":"')
    const sockets = new WebSocketServer({ server })
    onTestFinished(() => sockets.close())
    const { signal } = new AbortController()
    await expect(NodeFollower.connect(url.replace('http', 'ws'), signal)).rejects.toThrow(
      'gives an answer of more than 128 MiB',
    )
    expect(sent()).toBeLessThan((128 << 20) + BUFFERED)
  })

  test('error: a message of the leader of a replica', async () => {
    const leader = await createRpcChain()
    const result = await leader.call('preconf_replicaState')
    const { url, server, say } = await parrot()
    say(() => JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
    const sockets = new WebSocketServer({ server })
    onTestFinished(() => sockets.close())
    const closed = Promise.withResolvers<number>()
    sockets.on('connection', (socket) => {
      socket.on('close', closed.resolve)
      socket.send('x'.repeat(17 << 20))
    })
    const { signal } = new AbortController()
    const follower = await NodeFollower.connect(url.replace('http', 'ws'), signal)
    // Too big, in the words of RFC 6455.
    expect(await closed.promise).toBe(1009)
    follower.close()
  })
})
