import type { NetworkHooks } from 'hardhat/types/hooks'
import type { Hex, TickTransaction } from '../../devnet/index.ts'
import type { ArtifactFolder } from '../artifacts/artifact-folder.ts'
import { createContractNames, type FindNames, type NamedCall } from '../artifacts/contract-names.ts'
import type { Ask } from '../rpc-client.ts'
import { callOf } from './failures/failed-request.ts'
import type { CallFrame } from './failures/failure-kinds.ts'

/** Parts of Hardhat's gas statistics. */
export type GasMeasurement = Parameters<NetworkHooks['onGasMeasurement']>[1]

/**
 * Measures the gas of transactions and calls, as Hardhat's own network does: one number for each
 * that succeeds, under the contract and the function that it calls. Contracts without an artifact,
 * and calls of no function, are left out.
 */
export class GasMeasurements {
  readonly #ask: Ask
  readonly #findNames: FindNames

  constructor(ask: Ask, artifacts: ArtifactFolder) {
    this.#ask = ask
    this.#findNames = createContractNames(ask, artifacts)
  }

  async ofTransaction(transaction: TickTransaction): Promise<GasMeasurement | undefined> {
    const { hash, to, data, status, gasUsed, contractAddress } = transaction
    if (status !== 'success') return undefined
    if (contractAddress !== null) {
      return await this.#ofCreation(data, gasUsed, await this.#codeAt(contractAddress))
    }
    if (to === null || (await this.#codeAt(to)) === '0x') return undefined
    const frame = await this.#trace('debug_traceTransaction', hash, TRACER)
    return await this.#ofCall({ to, data }, gasUsed, frame)
  }

  /**
   * The measurement of an `eth_call` that has succeeded.
   *
   * @param params - of the request
   */
  async ofRequest(params: unknown): Promise<GasMeasurement | undefined> {
    const call = callOf(Array.isArray(params) ? params : [], 'latest')
    if (call === undefined) return undefined
    const frame = await this.#trace(...call.trace(TRACER))
    const gasUsed = Number(frame.gasUsed)
    const { to } = call.request
    if (typeof to !== 'string')
      return await this.#ofCreation(frame.input, gasUsed, frame.output ?? '0x')
    // An address is hex.
    return await this.#ofCall({ to: to as Hex, data: frame.input }, gasUsed, frame)
  }

  async #ofCreation(data: Hex, gas: number, code: Hex): Promise<GasMeasurement | undefined> {
    const names = await this.#findNames({ to: null, data })
    if (names?.fullName === undefined) return undefined
    const runtimeSize = code.length / 2 - 1
    return { type: 'deployment', contractFqn: names.fullName, gas, runtimeSize }
  }

  async #ofCall(
    call: NamedCall,
    gas: number,
    frame: CallFrame,
  ): Promise<GasMeasurement | undefined> {
    const chain = proxyChain(frame)
    const names = await this.#findNames({ ...call, to: chain.at(-1) ?? call.to })
    if (names?.fullName === undefined || names.function === undefined) return undefined
    const proxies = await Promise.all(
      chain.map(async (to) => (await this.#findNames({ to, data: call.data }))?.fullName),
    )
    return {
      type: 'function',
      contractFqn: names.fullName,
      functionSig: names.function,
      gas,
      proxyChain: proxies.map((name) => name ?? UNKNOWN),
    }
  }

  async #codeAt(address: Hex): Promise<Hex> {
    // `eth_getCode` returns hex.
    return (await this.#ask('eth_getCode', address, 'pending')) as Hex
  }

  async #trace(...request: Parameters<Ask>): Promise<CallFrame> {
    // geth defines the form of the answer.
    return (await this.#ask(...request)) as CallFrame
  }
}

const TRACER = { tracer: 'callTracer' }

/** Hardhat's name for a contract without an artifact. */
const UNKNOWN = '<UnrecognizedContract>'

/**
 * Addresses from the outermost proxy to the implementation; empty if a call goes to no proxy. A
 * proxy is what makes a DELEGATECALL with its own selector and returns what that returns, as in
 * EDR.
 */
function proxyChain({ to, input, output, calls = [] }: CallFrame): Hex[] {
  if (to === undefined) return []
  const target = calls.find(
    (call) =>
      call.type === 'DELEGATECALL' &&
      selectorOf(call.input) === selectorOf(input) &&
      call.output === output,
  )
  if (target?.to === undefined) return []
  const rest = proxyChain(target)
  return [to, ...(rest.length === 0 ? [target.to] : rest)]
}

function selectorOf(input: Hex): string | undefined {
  return input.length < 10 ? undefined : input.slice(0, 10)
}
