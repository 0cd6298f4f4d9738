import type { NetworkHooks } from 'hardhat/types/hooks'
import type { ContractSource, Hex, KnownContract, TickTransaction } from '../../devnet/index.ts'
import { lazy, loadNaming } from '../../devnet/pluginApi.ts'
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
  readonly #contracts: ContractSource
  readonly #naming = lazy(() => loadNaming(this.#contracts))

  constructor(ask: Ask, contracts: ContractSource) {
    this.#ask = ask
    this.#contracts = contracts
  }

  async ofTransaction(transaction: TickTransaction): Promise<GasMeasurement | undefined> {
    const { hash, to, data, status, gasUsed, contractAddress } = transaction
    if (status !== 'success') return undefined
    if (contractAddress !== null) {
      return await this.#ofCreation(data, gasUsed, await this.#codeAt(contractAddress))
    }
    if (to === null || (await this.#codeAt(to)) === '0x') return undefined
    const frame = await this.#trace('debug_traceTransaction', hash, TRACER)
    return await this.#ofCall(to, gasUsed, frame)
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
    return await this.#ofCall(to as Hex, gasUsed, frame)
  }

  async #ofCreation(data: Hex, gas: number, code: Hex): Promise<GasMeasurement | undefined> {
    const [created] = await this.#contracts.createdBy(data)
    const contractFqn = fullNameOf(created)
    if (contractFqn === undefined) return undefined
    return { type: 'deployment', contractFqn, gas, runtimeSize: code.length / 2 - 1 }
  }

  async #ofCall(to: Hex, gas: number, frame: CallFrame): Promise<GasMeasurement | undefined> {
    const chain = proxyChain(frame)
    const { abiOf, findEntry, source } = await this.#naming()
    const found = await this.#contractAt(chain.at(-1) ?? to)
    const contractFqn = fullNameOf(found)
    if (found === undefined || contractFqn === undefined) return undefined
    const called = findEntry(source, abiOf([found]), 'function', frame.input)
    if (called === undefined) return undefined
    const proxies = await Promise.all(
      chain.map(async (one) => fullNameOf(await this.#contractAt(one))),
    )
    return {
      type: 'function',
      contractFqn,
      functionSig: called.signature,
      gas,
      proxyChain: proxies.map((name) => name ?? UNKNOWN),
    }
  }

  /** The contract whose code an account has, or delegates to (EIP-7702). */
  async #contractAt(address: Hex): Promise<KnownContract | undefined> {
    const code = await this.#codeAt(address)
    const delegate = /^0xef0100([0-9a-f]{40})$/.exec(code)?.[1]
    const own = delegate === undefined ? code : await this.#codeAt(`0x${delegate}`)
    return (await this.#contracts.deployedAs(own))[0]
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

/** `undefined` if nobody says which file declares it. */
function fullNameOf({ name, source }: Partial<KnownContract> = {}): string | undefined {
  return source === undefined ? undefined : `${source}:${name}`
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
