import { shorten } from '../../primitives/errors.ts'
import { type Hex, isSameHex, quantity } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { BlockCache } from '../cache/blockCache.ts'
import { notRecorded } from '../cache/recording.ts'
import { isStateGone, isUnknownMethod, type RpcFailure, WRONG_REQUEST } from '../client/answers.ts'
import type { BatchClient } from '../client/batchClient.ts'
import {
  ADDRESS_FORMS,
  type Address,
  type AddressForm,
  type Capabilities,
} from '../client/capabilities.ts'
import { FailureAnswer, NoAnswer } from '../client/question.ts'
import type { UpstreamBlock } from '../types.ts'
import { blockHashAnswer, numberAnswer } from './stateAnswers.ts'

/** Attempts if a server does not have the block: behind a load balancer, another one may. */
export const STATE_ATTEMPTS = 3
/** Attempts on all other errors. */
const ERROR_ATTEMPTS = 5

export interface StateClientParameters {
  readonly chainId: bigint
  readonly block: Pick<UpstreamBlock, 'number' | 'hash'>
  /** `undefined` in offline mode, and if a recording is played. */
  readonly client: BatchClient | undefined
  /** Answers alone if there is no client. */
  readonly cache: BlockCache
  /** Is changed when something is learned. */
  readonly capabilities: Capabilities
}

/**
 * Asks for values of the fork block's state, in the form of address that the upstream takes, and
 * says in errors what is the matter with the upstream.
 */
export class StateClient {
  readonly #parameters: StateClientParameters
  #form: AddressForm
  /** Forms that were not tried yet. */
  readonly #otherForms: AddressForm[]
  /** True if the form has brought an answer. */
  #isProved = false
  /** The reason why the state is gone, while it is being looked for. */
  #reason: Promise<string> | undefined

  constructor(parameters: StateClientParameters) {
    const { block, client, capabilities } = parameters
    this.#parameters = parameters
    this.#form = capabilities.addressForm ?? ADDRESS_FORMS[0]
    // Kept even if a form is known: another node may answer at the same origin by now.
    this.#otherForms = ADDRESS_FORMS.filter((form) => form !== this.#form)
    const { number, hash } = block
    client?.guard({
      method: 'eth_getBlockByNumber',
      params: [quantity(number), false],
      check(result) {
        const fault = faultOf(isObject(result) ? result.hash : undefined, hash)
        if (fault !== undefined) throw new Error(fault)
      },
    })
  }

  /** True if the upstream has answered to a value in the present form of address. */
  get isProved(): boolean {
    return this.#isProved
  }

  /** Form of the block in requests. */
  get address(): Address {
    return { parameter: this.#parameter(this.#form), isGuarded: this.#form === 'number' }
  }

  /**
   * Asks for a value, in the best form of address that the upstream takes.
   *
   * @param params - without the block
   * @param what - the value, in words
   * @throws {UpstreamError}
   */
  async ask<Value>(
    method: string,
    params: readonly unknown[],
    read: (result: unknown) => Value,
    what: string,
  ): Promise<Value> {
    const client = this.#clientFor(what)
    for (;;) {
      const form = this.#form
      try {
        const value = await client.ask({
          method,
          params: [...params, this.#parameter(form)],
          read,
          attemptsOn: (failure) => this.#attemptsOn(failure),
          isGuarded: form === 'number',
        })
        this.#learn(form)
        return value
      } catch (error) {
        if (!this.#triesNextForm(form, error)) throw await this.#explained(error, what)
      }
    }
  }

  /** The block parameter: EIP-1898 without `requireCanonical`, which RSKj refuses. */
  #parameter(form: AddressForm): unknown {
    const { hash, number } = this.#parameters.block
    if (form === 'hashObject') return { blockHash: hash }
    return form === 'hash' ? hash : quantity(number)
  }

  #learn(form: AddressForm): void {
    if (this.#isProved || form !== this.#form) return
    this.#isProved = true
    this.#parameters.capabilities.addressForm = form
  }

  /** True if another form may help, which is then the form of all reads. */
  #triesNextForm(form: AddressForm, error: unknown): boolean {
    if (!(error instanceof FailureAnswer) || isUnknownMethod(error.failure)) return false
    // Another read has switched the form meanwhile: try again with that one.
    if (form !== this.#form) return true
    if (this.#isProved) return false
    const next = this.#otherForms.shift()
    if (next === undefined) return false
    this.#form = next
    return true
  }

  #attemptsOn(failure: RpcFailure): number {
    if (isUnknownMethod(failure)) return 1
    if (isStateGone(failure)) return STATE_ATTEMPTS
    return !this.#isProved || WRONG_REQUEST.includes(failure.code) ? 1 : ERROR_ATTEMPTS
  }

  #clientFor(what: string): BatchClient {
    const { client, cache, block } = this.#parameters
    const { recording } = cache
    if (client !== undefined) return client
    if (recording !== undefined) throw notRecorded(recording, `${what} at block ${block.number}`)
    throw new UpstreamError(
      `the cache does not hold ${what} at block ${block.number}, and the upstream is not asked in offline mode: run once without it`,
    )
  }

  async #explained(error: unknown, what: string): Promise<unknown> {
    const start = `upstream did not give ${what} at block ${this.#parameters.block.number}`
    if (!(error instanceof NoAnswer)) return error
    if (!(error instanceof FailureAnswer)) {
      return new UpstreamError(`${start}: ${error.message}`, { transient: error.transient })
    }
    const { failure, attempts } = error
    const message = shorten(error.message, LONGEST_MESSAGE)
    if (isUnknownMethod(failure)) return new UnknownMethodError(`${start}: ${message}`)
    if (isStateGone(failure)) {
      const why = await this.#whyGone()
      const text = `${start}: ${why} (${message})`
      return why === GONE ? new StateGoneError(text) : new UpstreamError(text)
    }
    const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
    return new UpstreamError(`${start}: ${message}, ${tries}`, {
      transient: !WRONG_REQUEST.includes(failure.code),
    })
  }

  /** True if the chain, the block or only its state is gone. Reads that fail together ask once. */
  #whyGone(): Promise<string> {
    this.#reason ??= this.#findReason().finally(() => {
      this.#reason = undefined
    })
    return this.#reason
  }

  async #findReason(): Promise<string> {
    const client = this.#clientFor('the block')
    try {
      const [chainId, hash] = await Promise.all([
        client.ask({ method: 'eth_chainId', params: [], read: numberAnswer }),
        client.ask({
          method: 'eth_getBlockByNumber',
          params: [quantity(this.#parameters.block.number), false],
          read: (result) => (result === null ? undefined : blockHashAnswer(result)),
        }),
      ])
      if (chainId !== this.#parameters.chainId) {
        return `it is chain ${chainId} now, and no longer ${this.#parameters.chainId}: set another URL with anvil_setRpcUrl, or reset`
      }
      return faultOf(hash, this.#parameters.block.hash) ?? GONE
    } catch (error) {
      // The state is gone all the same; the error behind this one says no more.
      if (!(error instanceof NoAnswer)) throw error
      return GONE
    }
  }

  /** The hash that a block has there now. @throws {UpstreamError} */
  async blockHash(number: bigint, what: string): Promise<Hex> {
    const client = this.#clientFor(what)
    try {
      return await client.ask({
        method: 'eth_getBlockByNumber',
        params: [quantity(number), false],
        read: blockHashAnswer,
        attemptsOn: (failure) => this.#attemptsOn(failure),
        isGuarded: true,
      })
    } catch (error) {
      throw await this.#explained(error, what)
    }
  }
}

/** Characters of the upstream's own words in a message. */
const LONGEST_MESSAGE = 300

const GONE =
  'it does not have the state of this block any more: reset to a newer block, or use an archive node'

/** The problem with the hash that the fork block has now; `undefined` if it is the wanted one. */
function faultOf(found: unknown, wanted: Hex): string | undefined {
  if (isSameHex(found, wanted)) return undefined
  if (typeof found !== 'string')
    return 'it does not have the block any more: reset to another block'
  return `it has replaced the block by ${found}: reset to a block that it has`
}

/** The upstream has the block, but not its state any more. */
export class StateGoneError extends UpstreamError {
  override name = 'StateGoneError'
}

/** The upstream does not have a method. */
export class UnknownMethodError extends UpstreamError {
  override name = 'UnknownMethodError'
}
