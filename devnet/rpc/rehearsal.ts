import { signTransaction } from '../engine/signing.ts'
import { EMPTY_BYTES } from '../primitives/bytes.ts'
import { DevnetError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import type { RpcContext } from './context.ts'
import type { Dispatch } from './dispatch.ts'
import type { Caller } from './method.ts'
import ethCall from './methods/eth_call.ts'
import ethSendRawTransaction from './methods/eth_sendRawTransaction.ts'

/** Signs the transaction that is refused. */
const KEY = new Uint8Array(32).fill(1)

const NOWHERE = new Uint8Array(20)

const NOBODY: Caller = {
  signal: new AbortController().signal,
  origin: undefined,
  subscribe: () => undefined,
}

/** wei. Nobody has as much and the gas besides. */
const EVERYTHING = 2n ** 256n - 1n

/** What a client asks for first, by its library and its tests. */
const FIRST_METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_sendRawTransaction',
  'eth_sendTransaction',
]

/** Init code that reads a slot, hashes 32 bytes of memory, calls address 4 and returns 32 bytes. */
const PROGRAM = '0x600154600052602060002060206000602060006000600462ffffff5af150601f60206000f3'

/**
 * Loads the EVM and the usual methods ahead of use, and goes through a call and a send once: code
 * that runs for the first time in a process takes 2 to 5 ms. Nobody notices: the call changes
 * nothing, and the transaction is refused. A forked chain only loads, because its upstream would be
 * asked. If a request was quicker, nothing is left to do.
 *
 * @throws {Error} if something does not load
 */
export async function rehearse(
  context: RpcContext,
  dispatch: Pick<Dispatch, 'load'>,
): Promise<void> {
  const { chain } = context
  const isQuicker = chain.engine.loaded(chain.pending.environment.rules) !== undefined
  await chain.warmUp()
  if (isQuicker) return
  await dispatch.load(FIRST_METHODS)
  if (chain.origin !== undefined) return
  for (const part of [call, sendInVain]) {
    await part(context).catch((error: unknown) => {
      // Refused, as planned, or the node is stopping.
      if (!(error instanceof DevnetError)) throw error
    })
  }
}

async function call(context: RpcContext): Promise<void> {
  const values = ethCall.params?.read([{ data: PROGRAM }, 'latest'], { decimals: false })
  // The cast is safe: the method's own schema has read the values.
  await ethCall.handle(context, values as never, NOBODY)
}

async function sendInVain(context: RpcContext): Promise<void> {
  // It would take what is waiting before it refuses.
  if (context.options.readOwnWrites) return
  const { chainId, crypto } = context.chain.engine
  const transaction: TransactionFields = {
    type: 2,
    from: NOWHERE,
    to: NOWHERE,
    nonce: 0n,
    gasLimit: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 0n,
    maxFeePerBlobGas: 0n,
    value: EVERYTHING,
    data: EMPTY_BYTES,
    accessList: [],
    blobVersionedHashes: [],
    authorizationList: [],
  }
  const raw = signTransaction(transaction, BigInt(chainId), KEY, crypto)
  const values = ethSendRawTransaction.params?.read([toHex(raw)], { decimals: false })
  // As in `call`.
  await ethSendRawTransaction.handle(context, values as never, NOBODY)
}
