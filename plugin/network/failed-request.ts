import type { HookContext } from 'hardhat/types/hooks'
import type { Hex } from '../../devnet/index.ts'
import { isObject } from '../../devnet/pluginApi.ts'
import type { Ask } from '../rpc-client.ts'
import { type BlockEnvironment, type Explanation, type PrestateAccount, replay } from './replay.ts'
import { type Failure, type SolidityError, solidityError } from './solidity-error.ts'

/** Where requests failed. */
export interface FailureSource {
  readonly context: Pick<HookContext, 'artifacts' | 'network'>
  readonly networkName: string
  /** Asks the node. */
  readonly ask: Ask
  /** Hardhat's name of the node's hardfork. Default: the newest that it knows */
  readonly hardfork: () => Promise<string | undefined>
  /** Called when something was executed again, which prints what its `console.log` prints. */
  readonly onReplay?: () => void
  /**
   * Gas that what is executed again may have used. Default: 3 million, because Hardhat's own
   * network keeps every step
   */
  readonly maxGas?: number
}

/**
 * The error of a failed call, estimate or send, with the Solidity frames that Hardhat's own network
 * gives it.
 *
 * @param request - as the node has got it; one of `EXPLAINED_METHODS`
 * @returns `undefined` if the failure cannot be explained: the project has no build info, the call
 * used too much gas, or it fails otherwise, or not at all, when it is executed again
 */
export async function explainRequest(
  source: FailureSource,
  request: { readonly method: string; readonly params?: unknown },
  failure: Failure,
): Promise<SolidityError | undefined> {
  const { method } = request
  const params: unknown[] = Array.isArray(request.params) ? request.params : []
  return await explain(source, failure, async () => {
    if (method === 'eth_call') return callOf(params, 'latest')
    if (method === 'eth_estimateGas') return callOf(params, 'pending')
    const hash = await sentHash(source.ask, method, params)
    if (hash !== undefined) return await transactionOf(source.ask, hash)
    // The node has refused to send what fails.
    return method === 'eth_sendTransaction' ? callOf([params[0]], 'pending') : undefined
  })
}

/** As {@link explainRequest}, for a transaction that a tick has executed. */
export async function explainTransaction(
  source: FailureSource,
  failure: Failure & { readonly transactionHash: Hex },
): Promise<SolidityError | undefined> {
  return await explain(source, failure, () => transactionOf(source.ask, failure.transactionHash))
}

/** Executes an `eth_call` again, only to print what Hardhat's own network prints of it. */
export async function replayCall(source: FailureSource, params: readonly unknown[]): Promise<void> {
  await explanationFor(source, () => callOf(params, 'latest'))
}

/** As {@link replayCall}, for a transaction that a tick has executed. */
export async function replayTransaction(source: FailureSource, hash: Hex): Promise<void> {
  await explanationFor(source, () => transactionOf(source.ask, hash))
}

/** A call or a transaction that a tracer can execute again. */
interface Execution {
  readonly trace: (tracer: object) => [method: string, ...params: unknown[]]
  readonly request: Readonly<Record<string, unknown>>
  /** Number, tag or hash of the block that it ran in, as requests name it. */
  readonly block: unknown
  readonly blockOverrides?: unknown
  readonly hash?: Hex
}

type FindExecution = () => Promise<Execution | undefined> | Execution | undefined

async function explain(
  source: FailureSource,
  failure: Failure,
  find: FindExecution,
): Promise<SolidityError | undefined> {
  // The first replay reads them. Without any it would explain nothing.
  if ((await source.context.artifacts.getAllBuildInfoIds()).size === 0) return undefined
  const { execution, explanation } = await explanationFor(source, find)
  if (explanation?.data !== failure.data) return undefined
  return solidityError({ ...failure, transactionHash: execution?.hash }, explanation)
}

/** Never rejects. */
async function explanationFor(
  source: FailureSource,
  find: FindExecution,
): Promise<{ readonly execution?: Execution; readonly explanation?: Explanation | undefined }> {
  try {
    const execution = await find()
    if (execution === undefined) return {}
    return { execution, explanation: await explanationOf(source, execution) }
  } catch {
    // Whatever goes wrong here, the caller has the node's own answer.
    return {}
  }
}

const MAX_GAS = 3_000_000

/** INVALID takes all gas, however little was used before: 300,000, which is mostly enough. */
const INVALID_GAS = '0x493e0'

async function explanationOf(
  { ask, context, networkName, hardfork, onReplay, maxGas = MAX_GAS }: FailureSource,
  execution: Execution,
): Promise<Explanation | undefined> {
  const [{ prestate, gasUsed, error }, block, chainId] = await Promise.all([
    traced(ask, execution),
    environmentOf(ask, execution),
    ask('eth_chainId'),
  ])
  const isInvalid = error?.startsWith('invalid opcode') === true
  if (gasUsed > maxGas && !isInvalid) return undefined
  const request = replayable(execution.request)
  if (isInvalid) request.gas = INVALID_GAS
  return await replay(context.network, networkName, {
    request,
    prestate,
    block: {
      ...block,
      baseFee: block.baseFee && (offers(request) < block.baseFee ? 0n : block.baseFee),
    },
    chainId: Number(chainId),
    hardfork: await hardfork(),
    onReplay,
  })
}

type Prestate = Readonly<Record<string, PrestateAccount>>

const PRESTATE = { includeEmpty: true }
const TOP_CALL = { onlyTopCall: true }

/** The state that an execution found, the gas that it used, and why it failed, if it did. */
async function traced(
  ask: Ask,
  { trace }: Execution,
): Promise<{ prestate: Prestate; gasUsed: number; error: string | undefined }> {
  // geth defines the forms of these answers.
  type Call = { gasUsed: Hex; error?: string }
  type Both = { prestateTracer?: Prestate; callTracer?: Call }
  const tracerConfig = { prestateTracer: PRESTATE, callTracer: TOP_CALL }
  const both = await ask(...trace({ tracer: 'muxTracer', tracerConfig })).then(
    (answer) => answer as Both,
    (): Both => ({}),
  )
  let { prestateTracer: prestate, callTracer: call } = both
  if (prestate === undefined || call === undefined) {
    // Not every node can run two tracers at once.
    ;[prestate, call] = await Promise.all([
      ask(...trace({ tracer: 'prestateTracer', tracerConfig: PRESTATE })) as Promise<Prestate>,
      ask(...trace({ tracer: 'callTracer', tracerConfig: TOP_CALL })) as Promise<Call>,
    ])
  }
  return { prestate, gasUsed: Number(call.gasUsed), error: call.error }
}

/** @param blockTag - of the method, if the parameters name no block */
function callOf(params: readonly unknown[], blockTag: string): Execution | undefined {
  const [request, block = blockTag, stateOverrides, blockOverrides] = params
  if (!isObject(request)) return undefined
  return {
    trace: (tracer) => [
      'debug_traceCall',
      request,
      block,
      { ...tracer, stateOverrides, blockOverrides },
    ],
    request,
    block,
    blockOverrides,
  }
}

/** @returns `undefined` if the node has not executed it */
async function transactionOf(ask: Ask, hash: Hex): Promise<Execution | undefined> {
  const transaction = await ask('eth_getTransactionByHash', hash)
  if (!isObject(transaction) || typeof transaction.blockNumber !== 'string') return undefined
  return {
    trace: (tracer) => ['debug_traceTransaction', hash, tracer],
    request: transaction,
    block: transaction.blockNumber,
    hash,
  }
}

/** In how many blocks, from the newest on, a failed send is looked for: sends may overtake it. */
const MAX_BLOCKS = 8

/** The hash of a transaction that was sealed at once and failed; `undefined` if it was not sent. */
async function sentHash(
  ask: Ask,
  method: string,
  [sent]: readonly unknown[],
): Promise<Hex | undefined> {
  // The methods of geth and these fields of its blocks have these forms.
  type Sent = { hash: Hex; from: string; to: string | null; input: string; value: Hex }
  type Block = { number: Hex; transactions: Sent[] }
  if (method === 'eth_sendRawTransaction') return (await ask('web3_sha3', sent)) as Hex
  if (!isObject(sent)) return undefined
  const { from, to = null, value = '0x0' } = sent
  const input = sent.input ?? sent.data ?? '0x'
  const lower = (text: unknown) => (typeof text === 'string' ? text.toLowerCase() : text)
  let tag: string = 'latest'
  for (let count = 0; count < MAX_BLOCKS; count++) {
    const block = (await ask('eth_getBlockByNumber', tag, true)) as Block
    const found = block.transactions.findLast(
      (one) =>
        (from === undefined || lower(from) === lower(one.from)) &&
        lower(to) === lower(one.to) &&
        lower(input) === lower(one.input) &&
        BigInt(String(value)) === BigInt(one.value),
    )
    if (found !== undefined) return await failedHash(ask, found.hash)
    if (BigInt(block.number) === 0n) return undefined
    tag = `0x${(BigInt(block.number) - 1n).toString(16)}`
  }
  return undefined
}

async function failedHash(ask: Ask, hash: Hex): Promise<Hex | undefined> {
  const receipt = await ask('eth_getTransactionReceipt', hash)
  return isObject(receipt) && receipt.status === '0x0' ? hash : undefined
}

async function environmentOf(
  ask: Ask,
  { block: named, blockOverrides }: Execution,
): Promise<BlockEnvironment> {
  const block = (await blockOf(ask, named)) ?? (await ask('eth_getBlockByNumber', 'pending', false))
  const fields: Record<string, unknown> = {
    ...(isObject(block) && block),
    ...(isObject(blockOverrides) && definedFields(blockOverrides)),
  }
  const quantity = (value: unknown) => BigInt(String(value ?? 0))
  const { baseFeePerGas, difficulty } = fields
  // The node has answered with these fields, or taken them as overrides.
  return {
    number: quantity(fields.number),
    timestamp: quantity(fields.time ?? fields.timestamp),
    gasLimit: quantity(fields.gasLimit),
    baseFee: baseFeePerGas === undefined ? undefined : quantity(baseFeePerGas),
    coinbase: (fields.feeRecipient ?? fields.miner) as Hex,
    prevRandao:
      quantity(difficulty) > 0n ? undefined : ((fields.prevRandao ?? fields.mixHash) as Hex),
  }
}

function definedFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}

/** `undefined` or null for a block that is not sealed. */
async function blockOf(ask: Ask, named: unknown): Promise<unknown> {
  const { blockHash, blockNumber } = isObject(named) ? named : { blockNumber: named }
  if (blockHash === undefined) return await ask('eth_getBlockByNumber', blockNumber, false)
  return await ask('eth_getBlockByHash', blockHash, false)
}

/** Fields of a call that Hardhat's own network takes as they are. */
const CALL_FIELDS = ['from', 'to', 'gas', 'value', 'accessList', 'blobVersionedHashes']

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** A call, or a transaction as the node shows it, as a call of Hardhat's own network. */
function replayable(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice, authorizationList } = request
  // A transaction with a maximum is shown with the price that it pays, too.
  const fees = maxFeePerGas == null ? { gasPrice } : { maxFeePerGas, maxPriorityFeePerGas }
  const isDelegating = Array.isArray(authorizationList) && authorizationList.length > 0
  return {
    from: ZERO_ADDRESS,
    ...definedFields({
      ...Object.fromEntries(CALL_FIELDS.map((name) => [name, request[name]])),
      data: request.input ?? request.data,
      ...fees,
      authorizationList: isDelegating ? authorizationList : undefined,
    }),
  }
}

/** The most that a call pays per gas, in wei: under the base fee, it runs with a base fee of 0. */
function offers({ gasPrice, maxFeePerGas }: Readonly<Record<string, unknown>>): bigint {
  return BigInt(String(gasPrice ?? maxFeePerGas ?? 0))
}
