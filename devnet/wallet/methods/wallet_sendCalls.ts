import { randomBytes } from 'node:crypto'
import { DevnetError, RefusedError, shorten } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import {
  flag,
  listOf,
  nullish,
  type Output,
  objectOf,
  optional,
  recordOf,
  text,
} from '../../primitives/reader.ts'
import { type CallNames, standardNames } from '../../rpc/naming/contractNames.ts'
import { askToUpgrade, atomicStatus, sendAtomically } from '../core/atomicSend.ts'
import type { ExecutedCall } from '../core/batchExecutor.ts'
import {
  calldata,
  chainText,
  describeTogether,
  describeTransaction,
} from '../core/describeTransaction.ts'
import type { Facts } from '../core/facts.ts'
import type { RequestContext } from '../core/requestContext.ts'
import { sendCall } from '../core/sendTransaction.ts'
import { askToSend } from '../core/simulation.ts'
import type { WalletMethod } from '../core/types.ts'
import { WalletErrorCode } from '../core/walletErrors.ts'
import {
  ACCOUNT,
  BYTES,
  CHAIN_ID,
  list,
  QUANTITY,
  readParams,
  senderOf,
} from '../core/walletParams.ts'

/** Of EIP-5792. */
const VERSION = '2.0.0'
/** Maximum number of calls in one batch, since the prompt shows them all. */
const MAX_CALLS = 100
/** 4,096 bytes in hexadecimal, with `0x`. */
const MAX_ID_LENGTH = 8194

const CAPABILITIES = recordOf(
  objectOf({ fields: { optional: optional(flag()) } }),
  'an object of capabilities',
)

const CALL = objectOf({
  fields: {
    to: nullish(ACCOUNT),
    value: nullish(QUANTITY),
    data: nullish(BYTES),
    capabilities: nullish(CAPABILITIES),
  },
  what: 'a call',
})

const CALLS = objectOf({
  fields: {
    version: text(),
    chainId: CHAIN_ID,
    from: nullish(ACCOUNT),
    atomicRequired: flag(),
    calls: listOf(CALL, 'a list of calls', { min: 1, length: 'a list with a call' }),
    id: nullish(
      text('a string', { max: MAX_ID_LENGTH, length: `at most ${MAX_ID_LENGTH} characters long` }),
    ),
    capabilities: nullish(CAPABILITIES),
  },
  what: 'an object that describes the calls',
})

const PARAMS = list([CALLS], 'one object that describes the calls')

/**
 * Sends calls (EIP-5792): in one transaction if the wallet supports that for the account, or
 * upgrades it as the calls ask for it; otherwise one by one, stopping early only if the first
 * cannot be sent.
 */
export default {
  async handle(context, params) {
    const { session, client } = context
    const [request] = readParams(PARAMS, params, session.wallet.settings)
    const from = senderOf(context, request.from)
    check(context, request)
    const { chainId, calls } = request
    const isAtomic = await makeAtomic(context, request, from)
    const { wallet } = session
    const chain = session.chains.find(chainId)
    const symbol = chain?.nativeCurrency.symbol ?? ''
    const summarize = (names: readonly CallNames[], facts: Facts) => {
      const described = calls.map((call, index) => {
        const own = names[index] ?? standardNames(wallet.naming, calldata(call))
        return describeTransaction(wallet, call, own, facts, symbol, calls.length)
      })
      return {
        title: calls.length === 1 ? 'Send a call' : `Send ${calls.length} calls`,
        detail: describeTogether(described),
        fields: [
          { label: 'From', value: wallet.describe(from) },
          { label: 'Network', value: chainText(chain, chainId) },
          ...(isAtomic ? [{ label: 'Together', value: 'All calls happen, or none' }] : []),
          ...described.flatMap(({ fields }, index) =>
            fields.map(({ label, ...field }) => ({
              label: calls.length === 1 ? label : `${index + 1}. ${label}`,
              ...field,
            })),
          ),
        ],
        warnings: [
          ...(calls.length === 1 || isAtomic
            ? []
            : ['If one call fails, the others still happen.']),
          ...new Set(described.flatMap(({ warnings }) => warnings)),
        ],
      }
    }
    await askToSend(context, { from, transactions: calls, isAtomic, summarize })
    const id = request.id ?? toHex(randomBytes(32))
    // Another batch may have taken the id while the user was asked.
    checkId(context, id)
    session.batches.begin(client.origin, id)
    try {
      const sent = isAtomic
        ? [await sendAtomically(context, from, calls.map(executed))]
        : await sendEach(context, from, request)
      const { origin } = client
      session.batches.add({ session: session.name, origin, id, chainId, sent, isAtomic })
    } catch (error) {
      session.batches.forget(client.origin, id)
      throw error
    }
    return { id }
  },
} satisfies WalletMethod

/** @throws {DevnetError} if not even the first call could be sent: there is no batch then */
async function sendEach(
  context: RequestContext,
  from: Hex,
  { chainId, calls }: Output<typeof CALLS>,
): Promise<(Hex | undefined)[]> {
  const sent: (Hex | undefined)[] = []
  for (const { to, value, data } of calls) {
    try {
      sent.push(await sendCall(context, chainId, from, { to, value, data }))
    } catch (error) {
      if (sent.length === 0) throw error
      sent.push(undefined)
    }
  }
  return sent
}

/**
 * Decides whether calls are sent in one transaction. Asks the user to upgrade the account if they
 * must be, and that is what is missing.
 *
 * @throws {DevnetError} code 5750 if the user refuses, 5760 if it is not possible
 */
async function makeAtomic(
  context: RequestContext,
  { chainId, atomicRequired, calls }: Output<typeof CALLS>,
  from: Hex,
): Promise<boolean> {
  const status = await atomicStatus(context, chainId, from)
  const creates = calls.some(({ to }) => to === undefined)
  if (!atomicRequired) return status === 'supported' && !creates
  if (status === 'unsupported') {
    const message = 'The wallet cannot execute calls atomically: set atomicRequired to false'
    throw new DevnetError(WalletErrorCode.atomicityUnsupported, message)
  }
  if (creates) {
    const message =
      'The wallet cannot create contracts atomically: send each creation alone, with atomicRequired false'
    throw new DevnetError(WalletErrorCode.atomicityUnsupported, message)
  }
  if (status === 'ready') await askToUpgrade(context, from)
  return true
}

function executed({ to, value, data }: Output<typeof CALL>): ExecutedCall {
  if (to === undefined) throw new Error('Contract creations cannot be sent atomically')
  return { to, value: value ?? '0x0', data: data ?? '0x' }
}

/** @throws {DevnetError} with the codes of EIP-5792 */
function check(context: RequestContext, request: Output<typeof CALLS>): void {
  const { chainId, calls, id, version } = request
  if (version !== VERSION) {
    // As in MetaMask.
    const message = `Version not supported: Got ${shorten(version, 100)}, expected ${VERSION}`
    throw new RefusedError(message)
  }
  if (context.session.chains.active !== chainId) {
    const hint = 'switch to it with wallet_switchEthereumChain first'
    const message = `Chain ${chainId} is not the active one: ${hint}`
    throw new DevnetError(WalletErrorCode.unsupportedChain, message)
  }
  if (calls.length > MAX_CALLS) {
    const message = `The batch has ${calls.length} calls, at most ${MAX_CALLS} are allowed`
    throw new DevnetError(WalletErrorCode.batchTooLarge, message)
  }
  for (const { capabilities } of [request, ...calls]) {
    for (const [name, { optional }] of Object.entries(capabilities ?? {})) {
      if (optional === true) continue
      const message = `The wallet does not support the capability ${name.slice(0, 100)}`
      throw new DevnetError(WalletErrorCode.unsupportedCapability, message)
    }
  }
  if (id !== undefined) checkId(context, id)
}

/** @throws {DevnetError} code 5720 if the id is taken */
function checkId({ session, client }: RequestContext, id: string): void {
  if (!session.batches.has(client.origin, id)) return
  throw new DevnetError(WalletErrorCode.duplicateBatch, 'There already is a batch with this id')
}
