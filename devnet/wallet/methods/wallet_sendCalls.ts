import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { DevnetError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import type { BatchCall } from '../core/batches.ts'
import { sendTransaction } from '../core/sendTransaction.ts'
import { WalletErrorCode } from '../core/walletErrors.ts'
import type { WalletContext, WalletMethod } from '../core/walletMethod.ts'
import {
  account,
  chainId,
  list,
  must,
  readParams,
  requireAccount,
  senderOf,
} from '../core/walletParams.ts'
import { bytes, quantity, transactionFields } from '../core/walletTransaction.ts'

/** Calls in one batch, which are all shown to the person. */
const MOST_CALLS = 100
/** Of an id: 4,096 bytes in hexadecimal. */
const LONGEST_ID = 8194

const CAPABILITIES = z.record(
  z.string(),
  z.looseObject({ optional: z.boolean(must('true or false')).optional() }, must('an object')),
  must('an object of capabilities'),
)

const PARAMS = list(
  [
    z.object(
      {
        version: z.string(must('a text')),
        chainId: chainId(),
        from: account().nullish(),
        atomicRequired: z.boolean(must('true or false')),
        calls: z
          .array(
            z.object(
              {
                to: account().nullish(),
                value: quantity().nullish(),
                data: bytes().nullish(),
                capabilities: CAPABILITIES.nullish(),
              },
              must('a call'),
            ),
            must('a list of calls'),
          )
          .min(1, must('a list with a call')),
        id: z
          .string(must('a text'))
          .max(LONGEST_ID, must(`at most ${LONGEST_ID} characters long`))
          .nullish(),
        capabilities: CAPABILITIES.nullish(),
      },
      must('an object that describes the calls'),
    ),
  ],
  'one object that describes the calls',
)

type Calls = z.output<typeof PARAMS>[0]

/** Sends calls one after the other (EIP-5792), none of which depends on the success of another. */
const method: WalletMethod = {
  async handle(context, params) {
    const { session, client } = context
    const [request] = readParams(PARAMS, params)
    const from = senderOf(context, request.from ?? undefined)
    check(context, request)
    const { chainId, calls } = request
    const chain = session.chains.find(chainId)
    const symbol = chain?.nativeCurrency.symbol ?? ''
    await context.ask({
      isChainBound: true,
      summary: {
        title: calls.length === 1 ? 'Send a call' : `Send ${calls.length} calls`,
        fields: [
          { label: 'From', value: from },
          { label: 'Network', value: `${chain?.chainName} (${BigInt(chainId)})` },
          ...calls.flatMap((call, index) =>
            transactionFields(call, symbol).map(({ label, value }) => ({
              label: calls.length === 1 ? label : `${index + 1}. ${label}`,
              value,
            })),
          ),
        ],
        warnings: calls.length === 1 ? [] : ['If one call fails, the others still happen.'],
      },
    })
    requireAccount(context, from)
    const id = request.id ?? toHex(randomBytes(32))
    // While one waited, another with its id may have been sent.
    checkId(context, id)
    const sent: BatchCall[] = []
    session.batches.begin(client.origin, id)
    for (const call of calls) {
      try {
        const { to, value, data } = call
        sent.push(await sendTransaction(session, chainId, from, { to, value, data }, client))
      } catch (error) {
        // The page has no batch to ask about where nothing at all was sent.
        if (sent.length === 0) {
          session.batches.forget(client.origin, id)
          throw error
        }
        sent.push(undefined)
      }
    }
    session.batches.add(client.origin, { id, chainId, calls: sent })
    return { id }
  },
}

export default method

/** @throws {DevnetError} with the codes of EIP-5792 */
function check({ session, client }: WalletContext, request: Calls): void {
  const { chainId, atomicRequired, calls, id } = request
  if (session.chains.active !== chainId) {
    throw new DevnetError(
      WalletErrorCode.unsupportedChain,
      `Chain ${chainId} is not the active one: switch to it with wallet_switchEthereumChain first`,
    )
  }
  if (atomicRequired) {
    const message = 'The wallet cannot make calls all or none: set atomicRequired to false'
    throw new DevnetError(WalletErrorCode.atomicityUnsupported, message)
  }
  if (calls.length > MOST_CALLS) {
    const message = `The batch has ${calls.length} calls, at most ${MOST_CALLS} are taken`
    throw new DevnetError(WalletErrorCode.batchTooLarge, message)
  }
  for (const { capabilities } of [request, ...calls]) {
    for (const [name, { optional }] of Object.entries(capabilities ?? {})) {
      if (optional === true) continue
      const message = `The wallet does not support the capability ${name.slice(0, 100)}`
      throw new DevnetError(WalletErrorCode.unsupportedCapability, message)
    }
  }
  if (id !== null && id !== undefined) checkId({ session, client }, id)
}

/** @throws {DevnetError} code 5720 */
function checkId({ session, client }: Pick<WalletContext, 'session' | 'client'>, id: string): void {
  if (!session.batches.has(client.origin, id)) return
  throw new DevnetError(WalletErrorCode.duplicateBatch, 'There is a batch with this id already')
}
