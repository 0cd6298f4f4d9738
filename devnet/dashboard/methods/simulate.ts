import { checksumAddress } from '../../json/formatPool.ts'
import { DevnetError } from '../../primitives/errors.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import { assetChanges } from '../../rpc/naming/assetChanges.ts'
import { type Ask, type SimulatedCall, simulateCalls } from '../../rpc/naming/simulatedCalls.ts'
import { readTokenUnit } from '../../rpc/naming/tokenFacts.ts'
import { addressIn, ETHER, SYSTEM } from '../../rpc/naming/tokenMoves.ts'
import { knownCall, SEND_PARAMS, transactionRequest } from '../contractCalls.ts'
import type { Event } from '../naming.ts'
import { askOwn } from '../ownView.ts'
import { defineQuery } from '../query.ts'

/** Number of events that are decoded. */
const MOST_EVENTS = 100

/** Runs a transaction on the pending state, and keeps nothing of it. */
export default defineQuery(SEND_PARAMS, async (dashboard, params, { signal }) => {
  const { context } = dashboard.node
  const { keccak256 } = context.chain.engine.crypto
  const { naming } = dashboard.work(signal)
  const found = await knownCall(dashboard, naming, params.address, params)
  const ask = askOwn(context, signal)
  const request = transactionRequest(params, found.data)
  const { failure, logs, returnData, gasUsed } = await simulated(ask, request, signal)
  // The third topic of an approval is the spender.
  await naming.nameAll(logs.flatMap(({ topics }) => topics.slice(2, 3).map(addressIn)))
  const checksum = (address: Hex) => checksumAddress(address, keccak256)
  const describe = (address: Hex) => naming.names[address] ?? checksum(address)
  const unitOf = async (asset: Hex) =>
    asset === ETHER
      ? { decimals: 18, symbol: 'ETH' }
      : readTokenUnit((data) =>
          // It need not be a token, and has no code yet if the simulation creates it.
          ask('eth_call', { to: asset, data }, 'pending').catch(() => undefined),
        )
  const assets = await assetChanges({ checksum, describe, unitOf }, params.from, logs)
  const emitted = logs.filter(({ address }) => address !== ETHER && address !== SYSTEM)
  const events: Event[] = []
  for (const [index, { address, topics, data }] of emitted.slice(0, MOST_EVENTS).entries()) {
    events.push(
      await naming.event(
        [fromHex(address), topics.map((one) => fromHex(one)), fromHex(data)],
        index,
      ),
    )
  }
  const { message = '', data = '0x' } = failure ?? {}
  return {
    /** `null` if it succeeds. */
    failure: failure === undefined ? null : await naming.failure(message, data, found.abi),
    /** `null` if it fails, or if they do not fit. */
    returns:
      failure === undefined ? await naming.outputs(found.entry, returnData, params.address) : null,
    gasUsed,
    /** Number of the pending block. */
    block: Number(context.chain.pending.environment.number),
    /** One line for each asset that the sender gains, loses or allows others to spend. */
    assets,
    events,
    omittedEvents: emitted.length - events.length,
    names: naming.names,
  }
})

async function simulated(ask: Ask, request: object, signal: AbortSignal): Promise<SimulatedCall> {
  const nothing: SimulatedCall = { failure: undefined, logs: [], returnData: '0x', gasUsed: 0 }
  try {
    const [call = nothing] = await simulateCalls(ask, [request])
    return call
  } catch (error) {
    if (signal.aborted || !(error instanceof DevnetError)) throw error
    // The node runs no such call, for lack of funds, say.
    return { ...nothing, failure: { message: error.message } }
  }
}
