import type { EVM, PrecompileFunc } from '@ethereumjs/evm'
import type { Crypto } from '../crypto.ts'
import type { FixedCommon } from '../library/fixedCommon.ts'
import { type CalledPrecompile, toPrecompileHalt } from '../library/libraryWords.ts'
import { type PrecompileOutcome, runSimple } from '../precompiles/simplePrecompiles.ts'
import type { Scheduler } from '../scheduler.ts'

/** Simple precompiles, and the library's, some quickened. It is loaded when one is first called. */
export class Precompiles {
  readonly #crypto: Crypto
  readonly #common: () => Promise<FixedCommon>
  readonly #scheduler: Scheduler
  #evm: EVM | undefined

  /** @param common - makes the library's form of the rules */
  constructor(crypto: Crypto, common: () => Promise<FixedCommon>, scheduler: Scheduler) {
    this.#crypto = crypto
    this.#common = common
    this.#scheduler = scheduler
  }

  /** @param number - 1 is ECRECOVER */
  run(
    number: number,
    data: Uint8Array,
    gas: number,
  ): PrecompileOutcome | Promise<PrecompileOutcome> {
    const simple = runSimple(number, data, gas, this.#crypto)
    if (simple !== undefined) return simple
    const evm = this.#evm
    if (evm === undefined) {
      return this.#scheduler.untimed(this.#load()).then((loaded) => {
        this.#evm = loaded
        return this.run(number, data, gas)
      })
    }
    const precompile = evm.precompiles.get(number.toString(16).padStart(40, '0'))
    if (precompile === undefined) throw new Error(`No precompile ${number}`)
    const gasLimit = BigInt(gas)
    const result = precompile({ data, gasLimit, common: evm.common, _EVM: evm })
    const ended = (done: Result) => toOutcome(done, { address: number, data })
    return result instanceof Promise ? result.then(ended) : ended(result)
  }

  async #load(): Promise<EVM> {
    const [common, { createEVM }, { offloadPrecompiles }] = await Promise.all([
      this.#common(),
      import('@ethereumjs/evm'),
      import('../workers/heavyPrecompiles.ts'),
    ])
    const evm = await createEVM({ common })
    // The EVM's listener is not needed, and would keep it in memory.
    common.events.removeAllListeners('hardforkChanged')
    const rules = { chainId: Number(common.chainId()), hardfork: common.hardfork() }
    offloadPrecompiles(evm.precompiles, rules, this.#scheduler)
    return evm
  }
}

type Result = Awaited<ReturnType<PrecompileFunc>>

function toOutcome(
  { executionGasUsed, returnValue, exceptionError }: Result,
  called: CalledPrecompile,
): PrecompileOutcome {
  return {
    gasUsed: Number(executionGasUsed),
    output: returnValue,
    failure: exceptionError && toPrecompileHalt(exceptionError, called),
  }
}
