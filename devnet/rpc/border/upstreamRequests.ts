import { Scheduler } from '../../engine/scheduler.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { type Hex, isSameHex, quantity, quantityFrom } from '../../primitives/hex.ts'
import { isObject, stringifyJson } from '../../primitives/json.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import { runPaced } from '../../primitives/paced.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { Upstream, UpstreamBlock } from '../../upstream/types.ts'
import type { Caller, RpcMethod } from '../method.ts'

/** A request whose parameters nobody has read. */
export interface BorderRequest {
  /** The method by the name that the client gave. */
  readonly name: string
  /** The parameters as the client sent them. */
  readonly list: readonly unknown[]
  readonly method: RpcMethod<never>
  readonly caller: Caller
}

export interface BorderUpstream extends Pick<Upstream, 'request'> {
  readonly block: Pick<UpstreamBlock, 'number' | 'hash'> & {
    /** Default: the upstream is asked for it. */
    readonly json?: UpstreamBlock['json'] | undefined
  }
}

/** Maximum number of hashes of upstream's blocks whose numbers are remembered. */
const MOST_NUMBERS = 10_000

/** Code of an execution that reverted. */
const REVERTED = 3

/** Asks the upstream of a forked chain for what is in its blocks up to the fork block. */
export class UpstreamRequests {
  /** Number and hash of the fork block. */
  readonly last: number
  readonly hash: Hex
  #upstream: BorderUpstream
  /** The form in which the upstream takes the hash of a block; `undefined` if it took none yet. */
  #hashForm: number | undefined
  /** Numbers of upstream's blocks by hash. Such a number never changes. */
  readonly #numbers = new Map<Hex, bigint>()

  constructor(upstream: BorderUpstream) {
    this.last = Number(upstream.block.number)
    this.hash = upstream.block.hash
    this.#upstream = upstream
  }

  /** Asks another upstream with the same block from now on, also what the one before still owes. */
  readFrom(upstream: BorderUpstream): void {
    this.#upstream = upstream
    this.#hashForm = undefined
  }

  /**
   * Passes a request on, and returns its undecoded result.
   *
   * @throws {DevnetError} what the upstream answers; if it lacks the method, with a hint
   */
  async ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const upstream = this.#upstream
    try {
      return await upstream.request(method, params, signal)
    } catch (error) {
      if (error instanceof UpstreamError && upstream !== this.#upstream) {
        return await this.ask(method, params, signal)
      }
      if (!(error instanceof DevnetError) || error.code !== ErrorCode.methodNotFound) throw error
      throw new DevnetError(
        error.code,
        `the upstream does not know ${method}, and blocks up to the fork block ${this.last} are its own: ${error.message}`,
        { cause: error },
      )
    }
  }

  /** As {@link ask}, for a transaction or receipt; `null` if its block is after the fork block. */
  async askForTransaction(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const answer = await this.ask(method, params, signal)
    return this.isPlaced(answer) ? answer : null
  }

  /** As {@link ask}, but returns objects and lists as text. */
  async pass({ name, list, caller: { signal } }: BorderRequest): Promise<unknown> {
    const answer = await this.ask(name, list, signal)
    if (typeof answer !== 'object' || answer === null) return answer
    // A trace or a list may be so long that to encode it at once would hold up the ticks.
    return new JsonText(await runPaced(stringifyJson(answer), new Scheduler({ signal })))
  }

  /**
   * As {@link pass}, for a request about the fork block. Asks by hash: by number, the upstream may
   * have another block now.
   *
   * @param at - index of the parameter that names the block
   * @param isHash - whether that parameter is always a hash
   * @throws {DevnetError} if the upstream has another block in its place
   */
  async passForkBlock(request: BorderRequest, at: number, isHash: boolean): Promise<unknown> {
    const { list, method, name } = request
    const { json } = this.#upstream.block
    // The node has the fork block with the hashes of its transactions.
    if (method.answers === 'block' && list[1] !== true && json !== undefined) return json
    const { byHash = isHash ? name : undefined } = method
    const answer = await (byHash === undefined
      ? this.#passByReference(request, at)
      : this.pass({ ...request, name: byHash, list: withParameter(list, at, this.hash) }))
    if (answer === null && !method.mayLack) throw forkBlockGone(this)
    return answer
  }

  /**
   * The fork block with the hashes of its transactions.
   *
   * @throws {DevnetError} if the upstream does not have it any more
   */
  async forkBlock(signal?: AbortSignal): Promise<unknown> {
    const { json } = this.#upstream.block
    const block = json ?? (await this.ask('eth_getBlockByHash', [this.hash, false], signal))
    if (block === null) throw forkBlockGone(this)
    return block
  }

  /** True if a transaction or receipt of the upstream is in a block up to the fork block. */
  isPlaced(placed: unknown): boolean {
    const number = isObject(placed) ? quantityFrom(placed.blockNumber) : undefined
    return number !== undefined && number <= this.last
  }

  /**
   * True if upstream has the block with this hash, and it is not after the fork block.
   *
   * @param asked - the block with this hash, if it was asked for already
   */
  async has(
    hash: Hex,
    signal: AbortSignal | undefined,
    asked?: Promise<unknown>,
  ): Promise<boolean> {
    const known = hash === this.hash ? this.last : this.#numbers.get(hash)
    if (known !== undefined) return known <= this.last
    const block = await (asked ?? this.ask('eth_getBlockByHash', [hash, false], signal))
    const number = isObject(block) ? quantityFrom(block.number) : undefined
    if (number === undefined) return false
    const [oldest] = this.#numbers.keys()
    if (this.#numbers.size >= MOST_NUMBERS && oldest !== undefined) this.#numbers.delete(oldest)
    this.#numbers.set(hash, number)
    return number <= this.last
  }

  /** @throws {DevnetError} if the logs are those of another block in its place */
  checkForkBlock(logs: readonly unknown[]): void {
    for (const log of logs) {
      if (!isObject(log) || Number(quantityFrom(log.blockNumber)) !== this.last) continue
      const { blockHash = this.hash } = log
      if (!isSameHex(blockHash, this.hash)) throw forkBlockGone(this)
    }
  }

  /** Names the fork block in the first form that the upstream takes. */
  async #passByReference(request: BorderRequest, at: number): Promise<unknown> {
    const { list, caller } = request
    const named = (block: unknown) =>
      this.pass({ ...request, list: withParameter(list, at, block) })
    const forms = [{ blockHash: this.hash }, this.hash]
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
    if (!isObject(block) || !isSameHex(block.hash, this.hash)) throw forkBlockGone(this)
    this.#hashForm = forms.length
    return answer
  }

  /** Nodes refuse a form in their own words, but once one was taken, only as wrong parameters. */
  #mayTakeAnotherForm(error: unknown): boolean {
    if (!(error instanceof DevnetError) || error instanceof UpstreamError) return false
    if (error.code === ErrorCode.methodNotFound || error.code === REVERTED) return false
    return this.#hashForm === undefined || error.code === ErrorCode.invalidParams
  }
}

/** The upstream no longer has the fork block. */
function forkBlockGone({ last }: Pick<UpstreamRequests, 'last'>): DevnetError {
  return new DevnetError(
    ErrorCode.resourceNotFound,
    `upstream no longer has the fork block ${last}, or has replaced it: reset to a newer block`,
  )
}

/** The list with another value at an index, which may be behind its end. */
function withParameter(list: readonly unknown[], at: number, value: unknown): readonly unknown[] {
  const changed = [...list]
  changed[at] = value
  return changed
}
