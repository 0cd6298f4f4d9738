import { isBytes, quantity } from '../primitives/hex.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import { isStateGone, isUnknownMethod, type RpcFailure } from './answers.ts'
import type { BatchClient } from './batchClient.ts'
import { askPending, askUpTo } from './pendingBlock.ts'
import { FailureAnswer, type FailureChoice, NoAnswer } from './question.ts'
import { accountAnswer, numberAnswer } from './stateAnswers.ts'
import { STATE_ATTEMPTS, StateGoneError } from './stateClient.ts'
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
  origin: string,
  client: BatchClient,
  accountInfo: boolean | undefined,
): Promise<Start> {
  const { transaction, block: chosen, onWarning } = options
  const standing =
    transaction !== undefined
      ? await askUpTo(client, origin, transaction).catch((error: unknown) => {
          throw startError(error, `the block of transaction ${transaction}`, origin)
        })
      : chosen === 'pending'
        ? await askPending(client, origin, onWarning).catch((error: unknown) => {
            throw startError(error, 'its newest blocks', origin)
          })
        : undefined
  const wanted = standing?.parent ?? (await absolute(chosen, origin, client))
  const reference = typeof wanted === 'bigint' ? quantity(wanted) : wanted
  const asksByHash = isBytes(wanted, 32)
  const [chainId, block, probe, config] = await Promise.allSettled([
    client.ask({ method: 'eth_chainId', params: [], read: numberAnswer }),
    client.ask({
      method: asksByHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
      params: [reference, false],
      read: readBlock,
      onFailure: patience,
    }),
    probeState(client, asksByHash ? { blockHash: wanted } : reference, accountInfo),
    client.ask({ method: 'eth_config', params: [], read: (config) => config }),
  ])
  if (chainId.status === 'rejected') throw startError(chainId.reason, 'eth_chainId', origin)
  if (REFUSED_CHAINS.includes(chainId.value)) {
    throw new UpstreamError(
      `${origin} is zkSync Era (chain ${chainId.value}), whose contracts are not EVM code: no chain can stand on it.`,
    )
  }
  if (block.status === 'rejected') throw startError(block.reason, `block ${wanted}`, origin)
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
    if (!(reason instanceof FailureAnswer)) throw startError(reason, 'state', origin)
    if (isStateGone(reason.failure)) throw await goneError(block.value, origin, client)
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
  origin: string,
  client: BatchClient,
): Promise<UpstreamOptions['block']> {
  if (isBytes(choice, 32)) return `0x${choice.slice(2).toLowerCase()}`
  if (typeof choice !== 'bigint') return choice
  if (choice >= 0n) return choice
  const latest = await latestNumber(client).catch((error: unknown) => {
    throw startError(error, 'eth_blockNumber', origin)
  })
  if (latest + choice < 0n) {
    throw new UpstreamError(`${origin} has only ${latest} blocks, not ${-choice}.`)
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
  const onFailure = patience
  if (accountInfo === false) {
    await client.ask({ method: 'eth_getBalance', params, read: numberAnswer, onFailure })
    return undefined
  }
  try {
    await client.ask({ method: 'eth_getAccountInfo', params, read: accountAnswer, onFailure })
    return true
  } catch (error) {
    if (error instanceof FailureAnswer && isUnknownMethod(error.failure)) return false
    throw error
  }
}

/** Behind a load balancer, another server may have the block. */
function patience(failure: RpcFailure): FailureChoice {
  return isStateGone(failure) ? { attempts: STATE_ATTEMPTS } : 'tell'
}

async function goneError(
  { number }: UpstreamBlock,
  origin: string,
  client: BatchClient,
): Promise<UpstreamError> {
  const latest = await latestNumber(client).catch(() => undefined)
  const age = latest === undefined ? '' : ` (${latest - number} blocks old)`
  return new UpstreamError(
    `${origin} has block ${number}, but not its state any more${age}: take a newer block, or an archive node.`,
  )
}

/** The error of a start that did not get what a chain begins with. */
export async function openingError(
  error: UpstreamError,
  block: UpstreamBlock,
  origin: string,
  client: BatchClient | undefined,
): Promise<UpstreamError> {
  // Offline, the error is that of the cache.
  if (client === undefined) return error
  // Ask again: the first batch does not show whether the state or the whole block is gone.
  if (error instanceof StateGoneError) return await goneError(block, origin, client)
  return new UpstreamError(`${origin}: ${error.message}.`, { transient: error.transient })
}

/** The error for a start that failed. */
function startError(error: unknown, what: string, origin: string): unknown {
  if (!(error instanceof NoAnswer || error instanceof FailureAnswer)) return error
  const transient = error instanceof NoAnswer && error.transient
  return new UpstreamError(`${origin} did not give ${what}: ${error.message}.`, { transient })
}
