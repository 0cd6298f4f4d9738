import { EVMError, type PrecompileFunc } from '@ethereumjs/evm'
import { quickenPrecompiles } from '../precompiles/quickPrecompiles.ts'
import type { Scheduler } from '../scheduler.ts'
import type { PrecompileJob, PrecompileResult } from './precompile.worker.ts'
import { startWorker } from './startWorker.ts'
import { ThreadEndedError, ThreadPool } from './threadPool.ts'

/** Estimates the ms that a precompile takes for an input, on a slow core. */
type Weight = (data: Uint8Array) => number

/** Weights by address (40 digits). Other precompiles take at most a few ms for any input. */
const weights: ReadonlyMap<string, Weight> = new Map<string, Weight>([
  [at(0x05), modexpWeight],
  [at(0x08), ({ length }) => (length / 192) * 2.5],
  [at(0x09), (data) => readNumber(data, 0, 4) / 25_000],
  [at(0x0c), ({ length }) => (length / 160) * 0.6],
  [at(0x0e), ({ length }) => (length / 288) * 1],
  [at(0x0f), ({ length }) => (length / 384) * 2.4],
])

/** Estimated ms that a precompile takes for this input; 0 if negligible. Exported for its test. */
export function precompileWeight(address: string, data: Uint8Array): number {
  return weights.get(address)?.(data) ?? 0
}

function at(number: number): string {
  return number.toString(16).padStart(40, '0')
}

/** Square and multiply: a step for each bit of the exponent, and each step shifts all its bits. */
function modexpWeight(data: Uint8Array): number {
  const [base = 0, exponent = 0, modulus = 0] = [0, 32, 64].map((at) => readNumber(data, at, 32))
  const words = Math.max(base, modulus) / 8
  return (8 * exponent * (400 + exponent / 10 + words * words * 8)) / 1e6
}

/** Reads a big-endian number; missing bytes count as zeros. */
function readNumber(data: Uint8Array, offset: number, length: number): number {
  let value = 0
  for (let index = 0; index < length; index++) value = value * 256 + (data[offset + index] ?? 0)
  return value
}

/** A precompile that is estimated to take at least this many ms is worth another thread. */
const HEAVY = 60

/** With less gas than this, no precompile can take {@link HEAVY} ms. */
const HEAVY_GAS = 100_000n

/** Shared by the whole process. Ticks have their own thread, so they do not wait for calls. */
const threads = { calls: precompileThread(), ticks: precompileThread() }

function precompileThread(): ThreadPool<PrecompileJob, PrecompileResult> {
  return new ThreadPool(() => startWorker('devnet/engine/workers/precompile'))
}

/**
 * Moves long runs of precompiles to another thread, because they cannot yield: 50 M gas of BLAKE2F
 * or pairings would block the event loop, and with it ticks and call timeouts, for ten seconds or
 * more.
 */
export function offloadPrecompiles(
  precompiles: Map<string, PrecompileFunc>,
  rules: { readonly chainId: number; readonly hardfork: string },
  scheduler: Scheduler,
): void {
  quickenPrecompiles(precompiles, (load) => scheduler.untimed(load))
  for (const address of weights.keys()) {
    const stock = precompiles.get(address)
    if (stock !== undefined) precompiles.set(address, offloaded(address, stock, rules, scheduler))
  }
}

function offloaded(
  address: string,
  stock: PrecompileFunc,
  { chainId, hardfork }: Parameters<typeof offloadPrecompiles>[1],
  scheduler: Scheduler,
): PrecompileFunc {
  return async (input) => {
    const { data, gasLimit } = input
    if (scheduler.isAlone || gasLimit < HEAVY_GAS || precompileWeight(address, data) < HEAVY)
      return stock(input)
    const job = { chainId, hardfork, address, data, gasLimit }
    const thread = scheduler.isUrgent ? threads.ticks : threads.calls
    try {
      const outcome = await scheduler.offload((signal) => thread.run(job, signal))
      const { error, ...result } = outcome
      return error === undefined ? result : { ...result, exceptionError: new EVMError(error) }
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error
      const result = await stock(input)
      // That run could not be interrupted, so the deadline may have passed.
      await scheduler.yieldIfDue()
      return result
    }
  }
}
