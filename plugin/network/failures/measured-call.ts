import { plainText, quantity } from '../../../devnet/pluginApi.ts'
import type { Ask } from '../../rpc-client.ts'
import { overridesOfBlock } from './block-environment.ts'
import { type CallFrame, takesAllGas } from './failure-kinds.ts'
import { overridesOf, type Prestate, type ReplayedCall } from './replay.ts'

/** The request that traces an execution with a tracer. */
export type Trace = (tracer: object) => [method: string, ...params: unknown[]]

/** Gas that is too much for a replay by default, unless a failure took it. */
export const MAX_GAS = 3_000_000

/** For code that does not end by itself: mostly enough to reach its end. */
const LESS_GAS = 300_000

/** Price of a transaction per byte of its data, at most (EIP-7623). */
const BYTE_GAS = 40

/** Least price of the first use of a slot (EIP-2929, EIP-2930). */
const SLOT_GAS = 2000

/**
 * Limits of Hardhat's own network: it crashes over some 500 calls inside each other, and holds up
 * to 1 kB for each step and each call that the step is in. As each call costs 100 gas, it allows no
 * more than 200 inside each other.
 */
const MAX_COST = 2_000_000

/** Above it, that network cannot run a transaction by default, either (EIP-7825). */
const MOST_GAS = 2 ** 24

/**
 * A call with all that it reads, as the node executes it under exactly what Hardhat's own network
 * would execute it under: its calls may depend on any of that.
 *
 * @returns `undefined` if that network could not bear it
 */
export async function measured(
  ask: Ask,
  planned: ReplayedCall,
): Promise<(ReplayedCall & { readonly gasUsed: number }) | undefined> {
  const { prestate, named, block } = planned
  const overrides = {
    stateOverrides: overridesOf(prestate),
    blockOverrides: overridesOfBlock(block),
  }
  const run = async (gas: unknown) => {
    const request = { ...planned.request, gas }
    const trace: Trace = (tracer) => [
      'debug_traceCall',
      request,
      named,
      { ...tracer, ...overrides },
    ]
    const { prestate: read, call } = await traced(ask, trace, {})
    // A node that knows no overrides has read another state.
    return { ...planned, request, prestate: { ...read, ...prestate }, call }
  }
  let { call, ...found } = await run(planned.request.gas)
  if (Number(call.gasUsed) > MAX_GAS && isHalted(call)) {
    const length = plainText(planned.request.data ?? '').length / 2
    ;({ call, ...found } = await run(quantity(BigInt(LESS_GAS + BYTE_GAS * Math.ceil(length)))))
  }
  const gasUsed = Number(call.gasUsed)
  const slots = Object.values(found.prestate).flatMap(({ storage = {} }) => Object.keys(storage))
  const isBearable = gasUsed <= MOST_GAS && costOf(call) - SLOT_GAS * slots.length <= MAX_COST
  return isBearable ? { ...found, gasUsed } : undefined
}

/** True if most gas was not used, but taken by a failure that takes all. */
function isHalted({ error = '', calls = [] }: CallFrame): boolean {
  return takesAllGas(error) || calls.some(isHalted)
}

/** The gas of each call for its own steps, once for each call that it is in, and its data. */
function costOf({ type, gasUsed, input, output = '0x', calls = [] }: CallFrame, depth = 1): number {
  const inner = calls.reduce((sum, call) => sum + Number(call.gasUsed), 0)
  // A creation pays 200 gas for each byte of its code, of two digits.
  const deposit = type.startsWith('CREATE') ? 100 * output.length : 0
  const own = depth * Math.max(Number(gasUsed) - inner - deposit, 0) + input.length + output.length
  return calls.reduce((sum, call) => sum + costOf(call, depth + 1), own)
}

/** The state that an execution found, and its outermost call. */
export async function traced(
  ask: Ask,
  trace: Trace,
  callTracer: { readonly onlyTopCall?: boolean },
): Promise<{ prestate: Prestate; call: CallFrame }> {
  // geth defines the forms of these answers.
  type Both = { prestateTracer?: Prestate; callTracer?: CallFrame }
  const tracerConfig = { prestateTracer: PRESTATE, callTracer }
  const both = await ask(...trace({ tracer: 'muxTracer', tracerConfig })).then(
    (answer) => answer as Both,
    (): Both => ({}),
  )
  let { prestateTracer: prestate, callTracer: call } = both
  if (prestate === undefined || call === undefined) {
    // Not every node can run two tracers at once.
    ;[prestate, call] = await Promise.all([
      ask(...trace({ tracer: 'prestateTracer', tracerConfig: PRESTATE })) as Promise<Prestate>,
      ask(...trace({ tracer: 'callTracer', tracerConfig: callTracer })) as Promise<CallFrame>,
    ])
  }
  return { prestate, call }
}

const PRESTATE = { includeEmpty: true }
