import { isPending, PENDING_HASH } from '../../json/blockRef.ts'
import {
  type BlockContext,
  findBlock,
  type RemoteBlocks,
  type RemoteLogQuery,
  requireBlock,
} from '../../json/resolveBlock.ts'
import { InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { RlpError, RlpFields, readRlpItem, readRlpList } from '../../primitives/rlpReader.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'
import { readOptions } from '../method.ts'
import type { FeeHistory } from '../queries/feeHistory.ts'
import { RemoteLogSearch } from './remoteLogSearch.ts'
import { type BorderRequest, type BorderUpstream, UpstreamRequests } from './upstreamRequests.ts'

/** Outputs of the schemas of blocks. */
type BlockValue = BlockReference | Hex | undefined

/**
 * Answers requests on a forked chain: blocks up to the fork block are upstream's, the state of the
 * fork block and whatever comes later is this node's, and upstream's later blocks do not exist.
 */
export class Border implements RemoteBlocks {
  readonly last: number
  readonly upstream: UpstreamRequests
  readonly #context: Pick<BlockContext, 'chain' | 'options'>

  constructor(context: Pick<BlockContext, 'chain' | 'options'>, upstream: BorderUpstream) {
    this.upstream = new UpstreamRequests(upstream)
    this.last = this.upstream.last
    this.#context = context
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
    const options = readOptions(method, this.#context.options)
    let value: unknown
    try {
      // Reads only the deciding parameter: the upstream may accept others than this node.
      value = method.params?.readOne(list, at, options)
    } catch (error) {
      if (error instanceof InvalidParamsError) return own()
      throw error
    }
    // The casts are safe: the method's schema has read this parameter.
    if (isOfBlock) return this.#answerOfBlock(request, value as BlockValue, rule, own)
    if (rule === 'transaction') return this.#answerOfTransaction(request, value as Hex, own)
    return this.#hasParentHere(value as Hex) ? own() : this.upstream.pass(request)
  }

  numberOf(reference: BlockReference = { tag: 'latest' }): number | undefined {
    if ('number' in reference) return Number(reference.number)
    if ('hash' in reference && reference.hash === this.upstream.hash) return this.last
    if ('tag' in reference && reference.tag === 'earliest') return 0
    const block = findBlock(this.#context, reference)
    if (block === undefined) return undefined
    return isPending(block) ? Number(block.environment.number) : block.number
  }

  async logs(query: RemoteLogQuery): Promise<readonly unknown[] | undefined> {
    const { blocks, signal } = query
    const { upstream } = this
    const search = new RemoteLogSearch({ request: (...asked) => upstream.ask(...asked) }, query)
    if ('first' in blocks) {
      const logs = await search.range(blocks.first, blocks.last)
      upstream.checkForkBlock(logs)
      return logs
    }
    const { hash } = blocks
    const number = this.numberOf({ hash, requireCanonical: false })
    if (hash === PENDING_HASH || (number !== undefined && number > this.last)) return undefined
    const logs = search.block(hash)
    // An error counts only if the logs are returned, which the next line decides.
    logs.catch(() => undefined)
    return (await upstream.has(hash, signal)) ? logs : undefined
  }

  /**
   * The fees of blocks, of which at least the oldest is upstream's.
   *
   * @param own - those of the blocks after the fork block, the one after the newest included
   */
  async fees(query: FeeQuery, own: FeeHistory | undefined): Promise<unknown> {
    const { count, newest, percentiles, signal } = query
    const params = [quantity(count), quantity(newest), percentiles]
    const older = await this.upstream.ask('eth_feeHistory', params, signal)
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
    if (number === this.last) {
      return this.upstream.passForkBlock(request, at, typeof value === 'string')
    }
    if (reference === undefined || 'hash' in reference) return this.upstream.pass(request)
    // The upstream decides what `earliest` is, since it may have dropped blocks.
    const isEarliest = 'tag' in reference && reference.tag === 'earliest'
    return this.upstream.pass(
      isEarliest ? request : { ...request, list: list.with(at, quantity(number)) },
    )
  }

  /** Answers for the block with a hash that is not one of this node's. */
  async #answerOfHash(request: BorderRequest, hash: Hex, own: () => unknown): Promise<unknown> {
    if (hash === PENDING_HASH) return own()
    const { caller, list, method, name } = request
    const { upstream } = this
    const isBlock = method.answers === 'block'
    const answer = isBlock ? upstream.ask(name, list, caller.signal) : upstream.pass(request)
    // An error counts only if the answer is returned, which the next line decides.
    answer.catch(() => undefined)
    return (await upstream.has(hash, caller.signal, isBlock ? answer : undefined)) ? answer : own()
  }

  async #answerOfTransaction(
    request: BorderRequest,
    hash: Hex,
    own: () => unknown,
  ): Promise<unknown> {
    const { chain } = this.#context
    const { caller, list, method, name } = request
    await chain.sent()
    if (chain.findTransaction(hash) !== undefined) return own()
    const { upstream } = this
    // A transaction and a receipt name their block, a trace does not.
    const namesBlock = method.answers !== undefined
    const answer = namesBlock ? upstream.ask(name, list, caller.signal) : upstream.pass(request)
    answer.catch(() => undefined)
    const placed = namesBlock
      ? await answer
      : await upstream.ask('eth_getTransactionByHash', list.slice(0, 1), caller.signal)
    return upstream.isPlaced(placed) ? answer : own()
  }

  /** @throws {DevnetError} if there is no such block */
  #refuseProof(name: string, reference: BlockReference | undefined): never {
    requireBlock(this.#context, reference)
    throw new RefusedError(
      `${name} needs a state root that commits to the whole state, and blocks after the fork block ${this.last} have none: this node knows only the part that was read. Ask for block ${quantity(this.last)} or an older one, which the upstream answers`,
    )
  }

  #hasParentHere(rlp: Hex): boolean {
    const parent = parentHashOf(fromHex(rlp))
    // Bytes that cannot be decoded are refused by this node.
    if (parent === undefined || parent === this.upstream.hash) return true
    return this.#context.chain.history.byHash(parent) !== undefined
  }
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

/** The part of an `eth_feeHistory` request that is upstream's. */
interface FeeQuery {
  /** Number of blocks. */
  readonly count: number
  /** Number of the newest of them. */
  readonly newest: number
  readonly percentiles: readonly number[]
  readonly signal: AbortSignal
}

/**
 * Joins the fees of upstream's blocks up to the fork block with those of the blocks after it. The
 * first own base fee takes the place of the one that the upstream foresees.
 *
 * @param older - upstream's answer
 * @throws {RefusedError} if it is not one, or leaves out rewards that were asked for
 */
function joinFees(older: unknown, own: FeeHistory, rewards: boolean): unknown {
  const fields = isObject(older) ? older : {}
  const ratios = listOf(fields, 'gasUsedRatio')
  const count = ratios.length
  // Upstreams before Cancun leave out what concerns blobs.
  const blobFees = fields.baseFeePerBlobGas ?? new Array(count + 1).fill('0x0')
  const blobRatios = fields.blobGasUsedRatio ?? new Array(count).fill(0)
  const upToFork = (name: string, value = fields[name]) =>
    listOf({ [name]: value }, name).slice(0, count)
  return {
    ...fields,
    baseFeePerGas: [...upToFork('baseFeePerGas'), ...own.baseFeePerGas],
    gasUsedRatio: [...ratios, ...own.gasUsedRatio],
    baseFeePerBlobGas: [...upToFork('baseFeePerBlobGas', blobFees), ...own.baseFeePerBlobGas],
    blobGasUsedRatio: [...upToFork('blobGasUsedRatio', blobRatios), ...own.blobGasUsedRatio],
    ...(rewards ? { reward: [...upToFork('reward'), ...(own.reward ?? [])] } : undefined),
  }
}

function listOf(fields: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const list = fields[name]
  if (Array.isArray(list)) return list
  throw new RefusedError(`upstream answered eth_feeHistory without a list in ${name}`)
}
