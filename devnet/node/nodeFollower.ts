import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Chain } from '../chain/chain.ts'
import type { Clocks } from '../clock/clocks.ts'
import { Scheduler } from '../engine/scheduler.ts'
import { forkLimits } from '../options/forkLimits.ts'
import type { Options } from '../options/options.ts'
import { restoreOnto } from '../persistence/dump/restoreOnto.ts'
import { JsonFields } from '../persistence/jsonFields.ts'
import { ChainFileError, DevnetError, OptionError, reasonOf } from '../primitives/errors.ts'
import { boundedText, LongBodyError } from '../primitives/foreign.ts'
import { fromHex } from '../primitives/hex.ts'
import { isObject, parseForeign } from '../primitives/json.ts'
import { runPaced } from '../primitives/paced.ts'
import { warn } from '../primitives/warn.ts'
import { InvalidBlockError } from '../protocol/block.ts'
import { type StreamPosition, StreamReader } from '../stream/raw/streamReader.ts'
import type { StateBytes } from './loadChain.ts'

/** Keeps a node's chain as that of another node, by its flashblock stream. */
export class NodeFollower {
  readonly #url: string
  readonly #signal: AbortSignal
  /** State of the followed node at the start. */
  readonly state: FollowedState
  #connection: Connection

  private constructor(
    url: string,
    signal: AbortSignal,
    connection: Connection,
    state: FollowedState,
  ) {
    this.#url = url
    this.#signal = signal
    this.#connection = connection
    this.state = state
  }

  /**
   * Connects to the stream, and gets the state of its node.
   *
   * @param signal - ends the connection when aborted
   * @throws {OptionError}
   */
  static async connect(url: string, signal: AbortSignal): Promise<NodeFollower> {
    const { connection, state } = await connect(url, signal)
    return new NodeFollower(url, signal, connection, state)
  }

  /** Ends the connection of a node that does not start. */
  close(): void {
    this.#connection.close()
  }

  /** Follows until the node stops, over lost connections and other chains; never rejects. */
  async run(chain: Chain, clocks: Clocks): Promise<void> {
    let position: StreamPosition | undefined = this.state.position
    // Only the first attempt to fetch missing messages is made without a pause.
    let isFirst = true
    while (!this.#signal.aborted) {
      const { problem, isGap, hasApplied } = await this.#read(chain, clocks, position)
      this.#connection.close()
      if (this.#signal.aborted) return
      warn(`${problem}; connecting to ${this.#url} again`)
      await chain
        .writeNow((writer) => writer.forget())
        .catch((error) => this.#reportDefect(chain, error))
      const isAtOnce = isGap && (isFirst || hasApplied)
      position = await this.#restart(chain, clocks, isAtOnce ? 0 : FIRST_PAUSE)
      isFirst = false
    }
  }

  /** Reads until something is wrong. */
  async #read(chain: Chain, clocks: Clocks, position: StreamPosition | undefined): Promise<End> {
    const reader = new StreamReader(chain, this.#url, position)
    let hasApplied = false
    const end = (problem: string, isGap = false): End => ({ problem, isGap, hasApplied })
    for (;;) {
      const message = await this.#connection.next()
      if (message === undefined) return end('the connection was closed')
      try {
        const { ticks } = chain.pending
        const effect = await reader.read(message)
        if (chain.pending.ticks > ticks) clocks.faults?.afterTick()
        hasApplied ||= effect === 'applied'
        if (effect === 'gap' || effect === 'lost') {
          return end('messages of the stream are missing', true)
        }
      } catch (error) {
        if (error instanceof InvalidBlockError) return end(`a block of the stream ${error.message}`)
        if (error instanceof ChainFileError || error instanceof DevnetError) {
          return end(error.message)
        }
        this.#reportDefect(chain, error)
        return end('a message of the stream could not be read')
      }
    }
  }

  /**
   * Connects again, as often as it takes, and loads the other node's state.
   *
   * @param first - ms before the first attempt
   */
  async #restart(chain: Chain, clocks: Clocks, first: number): Promise<StreamPosition | undefined> {
    const fresh = { accounts: [], balance: 0n, timestamp: Math.floor(clocks.now / 1000) }
    let reported: string | undefined
    for (let pause = first; ; pause = Math.min(2 * pause || FIRST_PAUSE, LONGEST_PAUSE)) {
      let connection: Connection | undefined
      try {
        if (pause > 0) await sleep(pause, undefined, { signal: this.#signal, ref: false })
        const followed = await connect(this.#url, this.#signal)
        const { state } = followed
        connection = followed.connection
        const { base } = await restoreOnto(chain, state, fresh, this.#signal)
        const schedule = chain.engine.schedule.withLimits(forkLimits(state.limits))
        await chain.writeNow((writer) => writer.load({ ...base, schedule }))
        this.#connection = connection
        warn(`follows ${this.#url} again, from block ${base.history.head.number}`)
        return state.position
      } catch (error) {
        connection?.close()
        if (this.#signal.aborted) return undefined
        const reason = reasonOf(error)
        if (reason !== reported) warn(`${reason.replace(/\.$/, '')}; trying again`)
        reported = reason
      }
    }
  }

  /** Of this node's code; a job that the end of the node has cut short is none. */
  #reportDefect(chain: Chain, error: unknown): void {
    if (!this.#signal.aborted) chain.onInternalError(error)
  }
}

/** A node cannot be followed: it does not answer, or lacks what a replica needs. */
function cannotFollow(url: string, reason: string, cause?: unknown): OptionError {
  return new OptionError(
    `Cannot follow ${url}: ${reason}. Want the flashblock stream of a pending-node, on the port of its JSON-RPC.`,
    { cause },
  )
}

/** The state of the node that is followed, and where its stream goes on. */
interface FollowedState extends StateBytes {
  readonly position: StreamPosition
  /** As the options of these names; `undefined`: those of the hardforks. */
  readonly limits: Pick<Options, 'codeSizeLimit' | 'transactionGasCap'>
}

/** ms before another attempt to connect: the first, and the most, as nodes of Base wait. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1_000, 10_000]

/** ms that the other node has to answer. */
const PATIENCE = 30_000

/** ms without a message or a ping after which the connection counts as lost. */
const SILENCE = 90_000

/** Bytes of the other node's state: it is compressed, and its text some ten times as long. */
const LARGEST_STATE = 128 << 20

/** Bytes of one message: a tick has less than a block, of which the largest has some MB. */
const LARGEST_MESSAGE = 16 << 20

/** Characters of unread messages at which the connection is read no further for now. */
const MOST_UNREAD = 32 << 20

/** A connection to a stream; keeps the messages that nobody has read yet. */
class Connection {
  readonly #socket: WebSocket
  readonly #messages: string[] = []
  #unread = 0
  #wake = Promise.withResolvers<void>()
  #isClosed = false

  private constructor(socket: WebSocket) {
    this.#socket = socket
    const silence = setTimeout(() => socket.terminate(), SILENCE).unref()
    socket.on('ping', () => silence.refresh())
    socket.on('message', (data) => {
      silence.refresh()
      const message = String(data)
      this.#messages.push(message)
      this.#unread += message.length
      if (this.#unread > MOST_UNREAD) socket.pause()
      this.#wake.resolve()
    })
    socket.once('close', () => {
      clearTimeout(silence)
      this.#isClosed = true
      this.#wake.resolve()
    })
  }

  /** @throws {Error} if it cannot be opened */
  static async open(url: string, signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted()
    const socket = new WebSocket(url, {
      handshakeTimeout: PATIENCE,
      perMessageDeflate: false,
      maxPayload: LARGEST_MESSAGE,
    })
    const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
    // Stays on after the opening: an unhandled error would end the process; `close` follows.
    socket.on('error', reject)
    socket.once('open', resolve)
    socket.once('unexpected-response', async (_request, response) => {
      const status = `unexpected server response: ${response.statusCode}`
      reject(new Error(await refusalIn(response).catch(() => status)))
      socket.terminate()
    })
    const connection = new Connection(socket)
    const end = () => socket.terminate()
    signal.addEventListener('abort', end, { once: true })
    // A replica may connect many times.
    socket.once('close', () => signal.removeEventListener('abort', end))
    await opened
    return connection
  }

  /** The next message; `undefined` once the connection has closed. */
  async next(): Promise<string | undefined> {
    while (this.#messages.length === 0 && !this.#isClosed) {
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
    }
    const message = this.#messages.shift()
    this.#unread -= message?.length ?? 0
    if (this.#socket.isPaused && this.#unread <= MOST_UNREAD) this.#socket.resume()
    return message
  }

  close(): void {
    this.#socket.terminate()
  }
}

/** Reason why a stream is not read any further. */
interface End {
  readonly problem: string
  /** True if messages are missing. */
  readonly isGap: boolean
  /** True if a message before that could be applied. */
  readonly hasApplied: boolean
}

/** Reason why a node has refused a connection, in its words, which come in one piece. */
async function refusalIn(response: IncomingMessage): Promise<string> {
  for await (const body of response) {
    const refusal = parseForeign(Buffer.from(body).toString())
    if (isObject(refusal) && typeof refusal.message === 'string') return refusal.message
  }
  throw new Error('no message')
}

async function connect(url: string, signal: AbortSignal) {
  let connection: Connection
  try {
    connection = await Connection.open(url, signal)
  } catch (error) {
    throw cannotFollow(url, reasonOf(error), error)
  }
  try {
    // After the connection: whatever the state lacks comes as a message.
    return { connection, state: await fetchState(url, signal) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** @throws {OptionError} */
async function fetchState(url: string, signal: AbortSignal): Promise<FollowedState> {
  const node = new URL(url)
  const rpc = `${node.protocol.replace('ws', 'http')}//${node.host}/`
  let text: string
  try {
    const response = await fetch(rpc, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"preconf_replicaState"}',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    })
    text = await boundedText(response.body, LARGEST_STATE)
  } catch (error) {
    const problem = error instanceof LongBodyError ? `gives ${error.message}` : 'does not answer'
    throw cannotFollow(url, `${rpc} ${problem}`, error)
  }
  try {
    const answer = JsonFields.parse(`the answer of ${rpc}`, text)
    return readState(await runPaced(answer, new Scheduler()), url)
  } catch (error) {
    if (!(error instanceof ChainFileError)) throw error
    throw cannotFollow(url, error.message.replace(/\.$/, ''), error)
  }
}

function readState(answer: JsonFields, url: string): FollowedState {
  const error = answer.object('error')
  if (error !== undefined) throw cannotFollow(url, `its node says: ${error.text('message')}`)
  const result = answer.requiredObject('result')
  const limit = (name: string) => {
    const value = result.number(name)
    return value === undefined ? undefined : Number(value)
  }
  return {
    label: `the state of ${url}`,
    bytes: fromHex(result.requiredBytes('state')),
    position: { payloadId: result.requiredBytes('payloadId', 8), index: result.integer('index') },
    limits: {
      codeSizeLimit: limit('codeSizeLimit'),
      transactionGasCap: limit('transactionGasCap'),
    },
  }
}
