import { Scheduler } from '../../engine/scheduler.ts'
import { isPending, PENDING_HASH } from '../../json/blockRef.ts'
import {
  type BlockContext,
  findBlock,
  type RemoteBlocks,
  type RemoteLogQuery,
  requireBlock,
} from '../../json/resolveBlock.ts'
import {
  DevnetError,
  ErrorCode,
  InvalidParamsError,
  RefusedError,
} from '../../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { isObject, stringifyJson } from '../../primitives/json.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import { runPaced } from '../../primitives/paced.ts'
import { RlpError, RlpFields, readRlpItem, readRlpList } from '../../primitives/rlpReader.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { Upstream, UpstreamBlock } from '../../upstream/types.ts'
import { type Caller, type RpcMethod, takesDecimals } from '../method.ts'
import type { FeeHistory } from '../queries/feeHistory.ts'
import { sentBefore } from '../sending/send.ts'
import { type FeeQuery, joinFees } from './joinFees.ts'
import { RemoteLogSearch } from './remoteLogSearch.ts'

/** A request whose parameters nobody has read. */
interface BorderRequest {
  /** The method by the name that the client gave. */
  readonly name: string
  /** The parameters as the client sent them. */
  readonly list: readonly unknown[]
  readonly method: RpcMethod<never>
  readonly caller: Caller
}

/** What the schemas of blocks read. */
type BlockValue = BlockReference | Hex | undefined

/** What the border needs of an upstream. */
export interface BorderUpstream extends Pick<Upstream, 'request'> {
  readonly block: Pick<UpstreamBlock, 'number' | 'hash'> & {
    /** Default: the upstream is asked for it. */
    readonly json?: UpstreamBlock['json'] | undefined
  }
}

export interface BorderParameters {
  readonly context: Pick<BlockContext, 'chain' | 'options'>
  readonly upstream: BorderUpstream
}

/** Maximum number of hashes of upstream's blocks whose numbers are remembered. */
const MOST_NUMBERS = 10_000

/**
 * Answers requests on a forked chain: blocks up to the fork block are upstream's, the state of the
 * fork block and whatever comes later is this node's, and upstream's later blocks do not exist.
 */
export class Border implements RemoteBlocks {
  /** Number of the fork block. */
  readonly last: number
  readonly #hash: Hex
  readonly #context: Pick<BlockContext, 'chain' | 'options'>
  #upstream: BorderUpstream
  /** The form in which the upstream takes the hash of a block; `undefined` if it took none yet. */
  #hashForm: number | undefined
  /** Numbers of upstream's blocks by hash. Such a number never changes. */
  readonly #numbers = new Map<Hex, number>()

  constructor({ context, upstream }: BorderParameters) {
    this.last = Number(upstream.block.number)
    this.#hash = upstream.block.hash
    this.#context = context
    this.#upstream = upstream
  }

  /**
   * Answers a request by {@link RpcMethod.remote | the rule} of its method.
   *
   * @param own - answers it from this node's own chain
   * @throws {DevnetError} what the upstream answers
   * @throws {RefusedError} if the answer would be a proof of an own block
   * @throws {UpstreamError} if the upstream does not answer
   */
  answer(request: BorderRequest, own: () => unknown): unknown {
    const { list, method } = request
    const rule = typeof method.remote === 'function' ? method.remote(list) : method.remote
    if (rule === undefined || rule === 'in part') return own()
    const isOfBlock = rule === 'state' || rule === 'block' || rule === 'proof'
    const at = isOfBlock ? (method.params?.blockAt ?? -1) : 0
    const decimals = takesDecimals(this.#context.options)
    let value: unknown
    try {
      // Only what decides: the upstream may take what this node does not know.
      value = method.params?.readOne(list, at, { decimals })
    } catch (error) {
      if (error instanceof InvalidParamsError) return own()
      throw error
    }
    // The schemas at these places have read it.
    if (isOfBlock) return this.#answerOfBlock(request, value as BlockValue, rule, own)
    if (rule === 'transaction') return this.#answerOfTransaction(request, value as Hex, own)
    return this.#hasParentHere(value as Hex) ? own() : this.#pass(request)
  }

  /** Asks another upstream with the same block from now on, also what the one before still owes. */
  readFrom(upstream: BorderUpstream): void {
    this.#upstream = upstream
    this.#hashForm = undefined
  }

  /** Passes a request on, and returns its undecoded result. @throws {DevnetError} */
  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const upstream = this.#upstream
    try {
      return await upstream.request(method, params, signal)
    } catch (error) {
      if (!(error instanceof UpstreamError) || upstream === this.#upstream) throw error
      return await this.ask(method, params, signal)
    }
  }

  /** As {@link ask}, for a transaction or receipt; `null` if its block is after the fork block. */
  async askForTransaction(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const answer = await this.ask(method, params, signal)
    return this.#isPlacedHere(answer) ? answer : null
  }

  numberOf(reference: BlockReference = { tag: 'latest' }): number | undefined {
    if ('number' in reference) return Number(reference.number)
    if ('hash' in reference && reference.hash === this.#hash) return this.last
    if ('tag' in reference && reference.tag === 'earliest') return 0
    const block = findBlock(this.#context, reference)
    if (block === undefined) return undefined
    return isPending(block) ? Number(block.environment.number) : block.number
  }

  async logs(query: RemoteLogQuery): Promise<readonly unknown[] | undefined> {
    const { blocks, signal } = query
    const search = new RemoteLogSearch({ request: (...asked) => this.ask(...asked) }, query)
    if ('first' in blocks) {
      const logs = await search.range(blocks.first, blocks.last)
      this.#checkForkBlock(logs)
      return logs
    }
    const { hash } = blocks
    const number = this.numberOf({ hash, requireCanonical: false })
    if (hash === PENDING_HASH || (number !== undefined && number > this.last)) return undefined
    const logs = search.block(hash)
    // Whether they are shown is decided first.
    logs.catch(() => undefined)
    return (await this.#isUpstreams(hash, signal)) ? logs : undefined
  }

  /**
   * The fees of blocks, of which at least the oldest is upstream's.
   *
   * @param own - those of the blocks after the fork block, the one after the newest included
   */
  async fees(query: FeeQuery, own: FeeHistory | undefined): Promise<unknown> {
    const { count, newest, percentiles, signal } = query
    const params = [quantity(count), quantity(newest), percentiles]
    const older = await this.ask('eth_feeHistory', params, signal)
    return own === undefined ? older : joinFees(older, own, percentiles.length > 0)
  }

  #answerOfBlock(
    request: BorderRequest,
    value: BlockValue,
    rule: 'state' | 'block' | 'proof',
    own: () => unknown,
  ): unknown {
    const { list, method, name } = request
    const reference = typeof value === 'string' ? { hash: value, requireCanonical: false } : value
    const number = this.numberOf(reference)
    if (number === undefined && reference !== undefined && 'hash' in reference) {
      return this.#answerOfHash(request, reference.hash, own)
    }
    const isPassedOn =
      number !== undefined && (rule === 'state' ? number < this.last : number <= this.last)
    if (!isPassedOn) return rule === 'proof' ? this.#refuseProof(name, reference) : own()
    const at = method.params?.blockAt ?? -1
    if (number === this.last) return this.#answerOfForkBlock(request, at)
    if (reference === undefined || 'hash' in reference) return this.#pass(request)
    // What counts as `earliest` is for the upstream to say, since it may have dropped blocks.
    const isEarliest = 'tag' in reference && reference.tag === 'earliest'
    return this.#pass(isEarliest ? request : { ...request, list: list.with(at, quantity(number)) })
  }

  /** Asks by hash: by number, the upstream may have another block now. */
  async #answerOfForkBlock(request: BorderRequest, at: number): Promise<unknown> {
    const { json } = this.#upstream.block
    const isBlock = request.name === 'eth_getBlockByNumber' || request.name === 'eth_getBlockByHash'
    if (isBlock && request.list[1] !== true && json !== undefined) return json
    const name = request.name.replace(/By(Block)?Number/, 'By$1Hash')
    const answer = await (name.includes('Hash')
      ? this.#pass({ ...request, name, list: withParameter(request.list, at, this.#hash) })
      : this.#passByReference(request, at))
    // There need not be a transaction or uncle at an index.
    if (answer === null && !name.endsWith('AndIndex')) throw new ForkBlockGoneError(this)
    return answer
  }

  /** Names the fork block in the first form that the upstream takes. */
  async #passByReference(request: BorderRequest, at: number): Promise<unknown> {
    const { list, caller } = request
    const named = (block: unknown) =>
      this.#pass({ ...request, list: withParameter(list, at, block) })
    const forms = [{ blockHash: this.#hash }, this.#hash]
    let refusal: unknown
    for (let form = this.#hashForm ?? 0; form < forms.length; form++) {
      try {
        const answer = await named(forms[form])
        this.#hashForm = form
        return answer
      } catch (error) {
        if (!this.#mayTakeAnotherForm(error)) throw error
        refusal ??= error
      }
    }
    const number = quantity(this.last)
    const [answer, block] = await Promise.all([
      named(number),
      this.ask('eth_getBlockByNumber', [number, false], caller.signal),
    ]).catch((error: unknown) => {
      throw error instanceof UpstreamError ? error : (refusal ?? error)
    })
    if (!isObject(block) || block.hash !== this.#hash) throw new ForkBlockGoneError(this)
    this.#hashForm = forms.length
    return answer
  }

  /** Nodes refuse a form in their own words, but once one was taken, only as wrong parameters. */
  #mayTakeAnotherForm(error: unknown): boolean {
    if (!(error instanceof DevnetError) || error instanceof UpstreamError) return false
    if (error.code === ErrorCode.methodNotFound || error.code === REVERTED) return false
    return this.#hashForm === undefined || error.code === ErrorCode.invalidParams
  }

  /** Answers for the block with a hash that is not one of this node's. */
  async #answerOfHash(request: BorderRequest, hash: Hex, own: () => unknown): Promise<unknown> {
    if (hash === PENDING_HASH) return own()
    const answer = this.#pass(request)
    // Whether it is shown is decided first.
    answer.catch(() => undefined)
    const block = request.name === 'eth_getBlockByHash' ? answer : undefined
    return (await this.#isUpstreams(hash, request.caller.signal, block)) ? answer : own()
  }

  async #answerOfTransaction(
    request: BorderRequest,
    hash: Hex,
    own: () => unknown,
  ): Promise<unknown> {
    const { chain } = this.#context
    const { caller, list, name } = request
    await sentBefore(chain)
    if (chain.findTransaction(hash) !== undefined) return own()
    const answer = this.#pass(request)
    answer.catch(() => undefined)
    const placed = SHOW_THEIR_BLOCK.has(name)
      ? await answer
      : await this.ask('eth_getTransactionByHash', list.slice(0, 1), caller.signal)
    return this.#isPlacedHere(placed) ? answer : own()
  }

  /** Whether a transaction or receipt of the upstream is in a block up to the fork block. */
  #isPlacedHere(placed: unknown): boolean {
    const number = isObject(placed) ? toNumber(placed.blockNumber) : undefined
    return number !== undefined && number <= this.last
  }

  /**
   * Whether upstream has the block with this hash, and it is not after the fork block.
   *
   * @param asked - the answer to `eth_getBlockByHash`, if it was asked for already
   */
  async #isUpstreams(
    hash: Hex,
    signal: AbortSignal | undefined,
    asked?: Promise<unknown>,
  ): Promise<boolean> {
    const known = hash === this.#hash ? this.last : this.#numbers.get(hash)
    if (known !== undefined) return known <= this.last
    const block = await (asked ?? this.ask('eth_getBlockByHash', [hash, false], signal))
    const number = isObject(block) ? toNumber(block.number) : undefined
    if (number === undefined) return false
    const [oldest] = this.#numbers.keys()
    if (this.#numbers.size >= MOST_NUMBERS && oldest !== undefined) this.#numbers.delete(oldest)
    this.#numbers.set(hash, number)
    return number <= this.last
  }

  async #pass({ name, list, caller }: BorderRequest): Promise<unknown> {
    const answer = await this.ask(name, list, caller.signal)
    if (typeof answer !== 'object' || answer === null) return answer
    // These are looked at, and none is long.
    if (SHOW_THEIR_BLOCK.has(name) || name === 'eth_getBlockByHash') return answer
    // A trace or a list may be so long that to encode it at once would hold up the ticks.
    const scheduler = new Scheduler()
    scheduler.begin({ signal: caller.signal })
    return new JsonText(await runPaced(stringifyJson(answer), scheduler))
  }

  /** @throws {BlockNotFoundError} if there is no such block */
  #refuseProof(name: string, reference: BlockReference | undefined): never {
    requireBlock(this.#context, reference)
    throw new RefusedError(
      `${name} needs a state root that commits to the whole state, and blocks after the fork block ${this.last} have none: this node knows only the part that was read. Ask for block ${quantity(this.last)} or an older one, which the upstream answers`,
    )
  }

  #hasParentHere(rlp: Hex): boolean {
    const parent = parentHashOf(fromHex(rlp))
    // What cannot be decoded is refused here.
    if (parent === undefined || parent === this.#hash) return true
    return this.#context.chain.history.byHash(parent) !== undefined
  }

  /** @throws {ForkBlockGoneError} if the logs are those of another block in its place */
  #checkForkBlock(logs: readonly unknown[]): void {
    for (const log of logs) {
      if (!isObject(log) || toNumber(log.blockNumber) !== this.last) continue
      const { blockHash = this.#hash } = log
      if (blockHash !== this.#hash) throw new ForkBlockGoneError(this)
    }
  }
}

/** Code of an execution that reverted. */
const REVERTED = 3

/** The upstream no longer has the fork block: code -32001. */
class ForkBlockGoneError extends DevnetError {
  override name = 'ForkBlockGoneError'
  constructor({ last }: Pick<Border, 'last'>) {
    super(
      ErrorCode.resourceNotFound,
      `upstream no longer has the fork block ${last}, or has replaced it: reset to a newer block`,
    )
  }
}

/** Methods whose answers name the block of the transaction. */
const SHOW_THEIR_BLOCK: ReadonlySet<string> = new Set([
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
])

/** The list with another value at an index, which may be behind its end. */
function withParameter(list: readonly unknown[], at: number, value: unknown): readonly unknown[] {
  const changed = [...list]
  changed[at] = value
  return changed
}

/** A quantity in an answer; `undefined` if it is none. */
function toNumber(value: unknown): number | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? Number(value) : undefined
}

/** The first field of the header; `undefined` if the bytes are not the RLP of a block. */
function parentHashOf(bytes: Uint8Array): Hex | undefined {
  try {
    const [header] = readRlpList(bytes, readRlpItem(bytes, 0, bytes.length), 'the block')
    if (header === undefined) return undefined
    return toHex(new RlpFields(bytes, readRlpList(bytes, header, 'a header')).bytes('parent', 32))
  } catch (error) {
    if (error instanceof RlpError) return undefined
    throw error
  }
}
