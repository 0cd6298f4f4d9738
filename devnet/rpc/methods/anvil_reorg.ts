import type { ReorgRequest } from '../../chain/reorg.ts'
import { ampleGas } from '../../execution/estimate.ts'
import { executionTarget } from '../../execution/executionTarget.ts'
import { data, params, quantity64OrNumber } from '../../json/params.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { DevnetError, InvalidParamsError } from '../../primitives/errors.ts'
import { fromHex } from '../../primitives/hex.ts'
import { at, listOf, mapped, optional, type Reader, refuse } from '../../primitives/reader.ts'
import { defaultGas } from '../../protocol/blockGas.ts'
import { type ChainTransaction, toChainTransaction } from '../../protocol/transaction.ts'
import { addressKey, addressKeyFromHex } from '../../state/keys.ts'
import type { AddressKey } from '../../state/types.ts'
import type { RpcContext } from '../context.ts'
import { callTasks } from '../heavy/callTasks.ts'
import { type Caller, defineMethod } from '../method.ts'
import { type GasRequest, ownTransaction } from '../sending/transactionRequest.ts'
import { defaultAccount } from '../sending/unlockedAccounts.ts'

/** A transaction of a new block. */
interface Placed<Transaction> {
  /** Signed, or a request that the node signs. */
  readonly transaction: Uint8Array | Transaction
  /** 0 is the first new block. */
  readonly index: number
}

const SIGNED = mapped(data(), (raw) => fromHex(raw))

const PLACED: Reader<Placed<CallRequest>> = (given, context) => {
  if (!Array.isArray(given) || given.length !== 2) {
    return refuse(context, given, 'a list of a transaction and a block index')
  }
  const [transaction, index] = given
  return {
    transaction:
      typeof transaction === 'string'
        ? at(context, 0, SIGNED, transaction)
        : at(context, 0, callRequest(), transaction),
    index: Number(at(context, 1, quantity64OrNumber(), index)),
  }
}

/**
 * Replaces the newest blocks by others, which are empty but for the given transactions. Those of
 * the abandoned blocks are dropped, as on anvil.
 */
export default defineMethod({
  params: params(quantity64OrNumber(), optional(listOf(PLACED, 'a list of transactions'))),
  browser: false,
  async handle(context, [asked, placed = []], caller) {
    const { chain, clocks } = context
    const depth = Number(asked)
    const beyond = placed.find(({ index }) => index >= depth)
    // As on anvil, errors of the depth take precedence.
    if (beyond !== undefined && depth <= chain.head.number) {
      // The message is anvil's.
      throw new InvalidParamsError(
        `Block number for reorg tx will exceed the reorged chain height. Block number ${beyond.index} must not exceed (depth-1) ${depth - 1}`,
      )
    }
    const list: Placed<GasRequest>[] = []
    for (const { transaction, index } of placed) {
      const isSigned = transaction instanceof Uint8Array
      const ready = isSigned ? transaction : await withGas(context, transaction, depth, caller)
      list.push({ transaction: ready, index })
    }
    await clocks.reorg({ depth, requeues: false, fill: await makeTransactions(context, list) })
    return null
  },
})

/**
 * Adds gas to a request: its need on the newest block that stays, plus half of what exceeds a
 * transfer, because others may run before it. If it fails there: the default gas of a send.
 */
async function withGas(
  { chain, heavy, options }: RpcContext,
  request: CallRequest,
  depth: number,
  { signal }: Caller,
): Promise<GasRequest> {
  const most = defaultGas(chain.pending.environment)
  const common = chain.history.byNumber(chain.head.number - depth)
  if (request.gas !== undefined || common === undefined) {
    return { ...request, gas: request.gas ?? most }
  }
  const { rules } = chain.pending.environment
  const target = { ...executionTarget(chain, common), rules }
  const gasCap = BigInt(options.callGasLimit)
  const limits = { signal, timeout: options.simulateTimeout }
  try {
    const args = { block: target.block, request, gasCap }
    const gas = await heavy.run(callTasks.estimateGas, target, args, limits)
    return { ...request, gas: ampleGas(gas, chain.pending.environment) }
  } catch (error) {
    if (signal.aborted || !(error instanceof DevnetError)) throw error
    return { ...request, gas: most }
  }
}

/** Makes the transactions of the new blocks, each with its sender's next nonce. */
async function makeTransactions(
  context: RpcContext,
  placed: readonly Placed<GasRequest>[],
): Promise<NonNullable<ReorgRequest['fill']>> {
  const { chain } = context
  const { engine } = chain
  const executor = await engine.executor(chain.pending.environment.rules)
  const sorted = placed.toSorted((a, b) => a.index - b.index)
  return (common) => {
    const state = chain.store.view(common.version)
    const nonces = new Map<AddressKey, bigint>()
    const make = (transaction: Uint8Array | GasRequest): ChainTransaction => {
      if (transaction instanceof Uint8Array) {
        return toChainTransaction(executor.identify(executor.decodeSent(transaction)))
      }
      const from = transaction.from ?? defaultAccount(context)
      const key = addressKeyFromHex(from)
      const nonce = transaction.nonce ?? nonces.get(key) ?? state.account(key)?.nonce ?? 0n
      const own = ownTransaction(context, { ...transaction, from, nonce })
      const { raw, sender, impersonated } = own
      return toChainTransaction({
        ...executor.identify(executor.decode(raw), sender),
        impersonated,
      })
    }
    const contents = new Map<number, ChainTransaction[]>()
    for (const { transaction, index } of sorted) {
      const made = make(transaction)
      const key = addressKey(made.from)
      // On a fork, this loads the account before anything changes.
      state.account(key)
      nonces.set(key, made.nonce + 1n)
      const number = common.number + 1 + index
      contents.set(number, [...(contents.get(number) ?? []), made])
    }
    return contents
  }
}
