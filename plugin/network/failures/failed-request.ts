import type { HookContext } from 'hardhat/types/hooks'
import type { Hex } from '../../../devnet/index.ts'
import { isObject, plainText, quantity } from '../../../devnet/pluginApi.ts'
import type { Ask } from '../../rpc-client.ts'
import { definedFields, environmentOf } from './block-environment.ts'
import { MAX_GAS, measured, type Trace, traced } from './measured-call.ts'
import { type Explanation, type ReplayedCall, replay } from './replay.ts'
import { type Failure, SolidityError } from './solidity-error.ts'

export interface FailureSource {
  readonly context: Pick<HookContext, 'artifacts' | 'network'>
  readonly networkName: string
  readonly ask: Ask
  /** True if the node deploys code of any size. Default: it has mainnet's limit */
  readonly allowsAnySize?: boolean | undefined
  /** True if `latest` is the newest tick on the node. Default: the newest block */
  readonly latestIsTicks?: boolean | undefined
  /** Called when something was executed again, which prints what its `console.log` prints. */
  readonly onReplay?: () => void
  /** Called instead if Hardhat's own network could not bear it, with a sentence that says so. */
  readonly onRefusal?: (reason: string) => void
  /**
   * Maximum gas used by a call for it to be executed again. Default: 3 million, because Hardhat's
   * own network keeps every step
   */
  readonly maxGas?: number
}

/**
 * Executes a call or a transaction again, only to print what Hardhat's own network prints of it.
 * Never rejects.
 */
export async function replayed(source: FailureSource, find: FindExecution): Promise<void> {
  await attempt(async () => {
    const execution = await find()
    if (execution !== undefined) await explanationOf(source, execution)
  })
}

/** Never rejects: whatever goes wrong with an explanation, the caller has the node's own answer. */
export async function attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** A call or a transaction that a tracer can execute again. */
interface Execution {
  readonly trace: Trace
  readonly request: Readonly<Record<string, unknown>>
  /** Number, tag or hash of the block that it ran in, as requests name it. */
  readonly block: unknown
  readonly blockOverrides?: unknown
  readonly hash?: Hex
}

type FindExecution = () => Promise<Execution | undefined> | Execution | undefined

/**
 * The error of a failure, with the Solidity frames that Hardhat's own network gives it.
 *
 * @param find - finds what has failed
 * @returns `undefined` if the failure cannot be explained: the project has no build info, the call
 * used too much gas, or it fails otherwise, or not at all, when it is executed again
 * @throws whatever goes wrong; see {@link attempt}
 */
export async function explain(
  source: FailureSource,
  failure: Failure,
  find: FindExecution,
): Promise<SolidityError | undefined> {
  // The first replay reads them. Without any it would explain nothing.
  if ((await source.context.artifacts.getAllBuildInfoIds()).size === 0) return undefined
  const execution = await find()
  if (execution === undefined) return undefined
  const explanation = await explanationOf(source, execution, failure.data)
  if (explanation?.data !== failure.data) return undefined
  return new SolidityError({ ...failure, transactionHash: execution.hash }, explanation)
}

/** With so little gas, no code can nest more than 200 calls, or cost that network much memory. */
const HARMLESS_GAS = 41_000

/** Gas that such a call may use: calls inside it have enough, though each leaves a 64th. */
const LITTLE_GAS = 31_000

/** @param data - the revert bytes that are to be explained. Default: whatever it ends with */
async function explanationOf(
  source: FailureSource,
  execution: Execution,
  data: Hex = '0x',
): Promise<Explanation | undefined> {
  const { ask, context, networkName, allowsAnySize = false, maxGas = MAX_GAS } = source
  const isTick = source.latestIsTicks === true && execution.block === 'latest'
  const named = isTick ? 'pending' : execution.block
  const [{ prestate, call }, environment, chainId] = await Promise.all([
    traced(ask, execution.trace, { onlyTopCall: true }),
    environmentOf(ask, named, execution.blockOverrides),
    ask('eth_chainId'),
  ])
  const { baseFee } = environment
  const request = { ...replayable(execution.request), gas: call.gas }
  const planned: ReplayedCall = {
    request,
    prestate,
    named,
    block: { ...environment, baseFee: baseFee && (maxGasPrice(request) < baseFee ? 0n : baseFee) },
    // A transaction ran under the chain id that it is signed for, which may be another now.
    chainId: Number(plainText(execution.request.chainId ?? chainId)),
    allowsAnySize,
    onReplay: source.onReplay,
  }
  // Without bytes to compare, a lack of gas might pass for the failure.
  if (data !== '0x' && Number(call.gasUsed) <= LITTLE_GAS) {
    const gas = quantity(BigInt(HARMLESS_GAS))
    const cheap = { ...planned, request: { ...request, gas } }
    const explanation = await replay(context.network, networkName, cheap)
    if (explanation?.data === data) return explanation
  }
  // A node does not trace what takes too long or nests too much.
  const found = await measured(ask, planned).catch(() => undefined)
  if (found !== undefined && found.gasUsed <= maxGas) {
    return await replay(context.network, networkName, found)
  }
  source.onRefusal?.(TOO_LARGE)
  return undefined
}

const TOO_LARGE =
  "no Solidity stack trace: it uses too much gas, or nests calls too deep, to be executed again on Hardhat's own network"

/**
 * The execution of a request, which is one of `EXPLAINED_METHODS`, as the node has got it.
 *
 * @param hash - of its transaction, if the node has told it. Default: it is looked for
 * @returns `undefined` if there is none
 */
export async function executionOf(
  ask: Ask,
  request: { readonly method: string; readonly params?: unknown },
  hash?: Hex,
): Promise<Execution | undefined> {
  const { method } = request
  const params: unknown[] = Array.isArray(request.params) ? request.params : []
  if (method === 'eth_call') return callOf(params, 'latest')
  if (method === 'eth_estimateGas') return callOf(params, 'pending')
  const sent = hash ?? (await sentHash(ask, method, params))
  if (sent !== undefined) return await transactionOf(ask, sent)
  // The node has refused to send what fails.
  return method === 'eth_sendTransaction' ? callOf([params[0]], 'pending') : undefined
}

/** @param blockTag - of the method, if the parameters name no block */
export function callOf(params: readonly unknown[], blockTag: string): Execution | undefined {
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
export async function transactionOf(ask: Ask, hash: Hex): Promise<Execution | undefined> {
  const transaction = await ask('eth_getTransactionByHash', hash)
  if (!isObject(transaction)) return undefined
  // A node that shows receipts at the seal tells the block before it only there.
  const placed =
    transaction.blockNumber === null
      ? await ask('preconf_getTransactionReceipt', hash)
      : transaction
  if (!isObject(placed) || typeof placed.blockNumber !== 'string') return undefined
  return {
    trace: (tracer) => ['debug_traceTransaction', hash, tracer],
    request: transaction,
    block: placed.blockNumber,
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
        BigInt(plainText(value)) === BigInt(one.value),
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
function maxGasPrice({ gasPrice, maxFeePerGas }: Readonly<Record<string, unknown>>): bigint {
  return BigInt(plainText(gasPrice ?? maxFeePerGas ?? 0))
}
