import { isBytes, quantity } from '../primitives/hex.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import { isStateGone, isUnknownMethod, type RpcFailure } from './client/answers.ts'
import type { BatchClient } from './client/batchClient.ts'
import { FailureAnswer, NoAnswer } from './client/question.ts'
import { askPending, askUpTo } from './pendingBlock.ts'
import { accountAnswer, numberAnswer } from './state/stateAnswers.ts'
import { STATE_ATTEMPTS, StateGoneError } from './state/stateClient.ts'
import type { UpstreamBlock, UpstreamOptions, UpstreamPending } from './types.ts'
import { readBlock } from './upstreamBlock.ts'

const ZERO_ADDRESS = `0x${'00'.repeat(20)}`

/** zkSync Era and its testnet, whose contracts are not EVM code. */
const REFUSED_CHAINS = [324n, 300n]

export interface Start {
  readonly chainId: bigint
  readonly block: UpstreamBlock
  readonly pending?: UpstreamPending | undefined
  /** The answer to `eth_config`; `undefined` if there is none. */
  readonly config: unknown
  /** True if it knows `eth_getAccountInfo`; `undefined` if it was not asked. */
  readonly accountInfo?: boolean | undefined
}

/** The first batch; a negative number and `pending` need one before it. */
export async function firstAnswers(
  options: UpstreamOptions,
  client: BatchClient,
  accountInfo: boolean | undefined,
): Promise<Start> {
  const { origin } = client
  const { transaction, block: chosen, onWarning } = options
  const standing =
    transaction !== undefined
      ? await askUpTo(client, transaction).catch(
          notGiven(`the block of transaction ${transaction}`, client),
        )
      : chosen === 'pending'
        ? await askPending(client, onWarning).catch(notGiven('its newest blocks', client))
        : undefined
  const wanted = standing?.parent ?? (await absolute(chosen, client))
  const reference = typeof wanted === 'bigint' ? quantity(wanted) : wanted
  const asksByHash = isBytes(wanted, 32)
  const [chainId, block, probe, config] = await Promise.allSettled([
    client.ask({ method: 'eth_chainId', params: [], read: numberAnswer }),
    client.ask({
      method: asksByHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
      params: [reference, false],
      read: readBlock,
      attemptsOn,
    }),
    probeState(client, asksByHash ? { blockHash: wanted } : reference, accountInfo),
    client.ask({ method: 'eth_config', params: [], read: (config) => config }),
  ])
  if (chainId.status === 'rejected') return notGiven('eth_chainId', client)(chainId.reason)
  if (REFUSED_CHAINS.includes(chainId.value)) {
    throw new UpstreamError(
      `${origin} is zkSync Era (chain ${chainId.value}), whose contracts are not EVM code: no chain can stand on it.`,
    )
  }
  if (block.status === 'rejected') return notGiven(`block ${wanted}`, client)(block.reason)
  if (block.value === undefined) {
    throw new UpstreamError(`${origin} does not have block ${wanted}.`)
  }
  const { number, hash } = block.value
  const isOther = isBytes(wanted)
    ? hash !== wanted
    : typeof wanted === 'bigint' && number !== wanted
  const next = standing?.pending?.header.number ?? number + 1n
  if (isOther || next !== number + 1n) {
    const given = isOther ? `for block ${wanted}` : `as the one before block ${next}`
    throw new UpstreamError(
      `${origin} contradicts itself: it gives block ${number} (${hash}) ${given}.`,
    )
  }
  if (probe.status === 'rejected') {
    const { reason } = probe
    if (!(reason instanceof FailureAnswer)) return notGiven('state', client)(reason)
    if (isStateGone(reason.failure)) throw await goneError(block.value, client)
  }
  return {
    chainId: chainId.value,
    block: block.value,
    pending: standing?.pending,
    config: config.status === 'fulfilled' ? config.value : undefined,
    accountInfo: probe.status === 'fulfilled' ? probe.value : undefined,
  }
}

/** The number that a negative one means; anything else is itself. */
async function absolute(
  choice: UpstreamOptions['block'],
  client: BatchClient,
): Promise<UpstreamOptions['block']> {
  if (isBytes(choice, 32)) return `0x${choice.slice(2).toLowerCase()}`
  if (typeof choice !== 'bigint') return choice
  if (choice >= 0n) return choice
  const latest = await latestNumber(client).catch(notGiven('eth_blockNumber', client))
  if (latest + choice < 0n) {
    throw new UpstreamError(`${client.origin} has only ${latest} blocks, not ${-choice}.`)
  }
  return latest + choice
}

function latestNumber(client: BatchClient): Promise<bigint> {
  return client.ask({ method: 'eth_blockNumber', params: [], read: numberAnswer })
}

/**
 * Asks for any state at the block.
 *
 * @param accountInfo - whether accounts can be had in one answer, as far as it is known
 * @returns the same, as far as it is known now
 */
async function probeState(
  client: BatchClient,
  reference: unknown,
  accountInfo: boolean | undefined,
): Promise<boolean | undefined> {
  const params = [ZERO_ADDRESS, reference]
  if (accountInfo === false) {
    await client.ask({ method: 'eth_getBalance', params, read: numberAnswer, attemptsOn })
    return undefined
  }
  try {
    await client.ask({ method: 'eth_getAccountInfo', params, read: accountAnswer, attemptsOn })
    return true
  } catch (error) {
    if (error instanceof FailureAnswer && isUnknownMethod(error.failure)) return false
    throw error
  }
}

/** Behind a load balancer, another server may have the block. */
function attemptsOn(failure: RpcFailure): number {
  return isStateGone(failure) ? STATE_ATTEMPTS : 1
}

async function goneError({ number }: UpstreamBlock, client: BatchClient): Promise<UpstreamError> {
  const latest = await latestNumber(client).catch(() => undefined)
  const age = latest === undefined ? '' : ` (${latest - number} blocks old)`
  return new UpstreamError(
    `${client.origin} has block ${number}, but not its state any more${age}: take a newer block, or an archive node.`,
  )
}

/** The error of a start that did not get what a chain begins with. */
export async function openingError(
  error: UpstreamError,
  block: UpstreamBlock,
  client: BatchClient | undefined,
): Promise<UpstreamError> {
  // Offline, the error is that of the cache.
  if (client === undefined) return error
  // Ask again: the first batch does not show whether the state or the whole block is gone.
  if (error instanceof StateGoneError) return await goneError(block, client)
  return new UpstreamError(`${client.origin}: ${error.message}.`, { transient: error.transient })
}

/** Throws the error of a start that failed. */
function notGiven(what: string, { origin }: BatchClient): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NoAnswer)) throw error
    const { message, transient } = error
    throw new UpstreamError(`${origin} did not give ${what}: ${message}.`, { transient })
  }
}
