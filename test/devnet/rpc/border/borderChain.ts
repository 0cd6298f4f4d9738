import type { OptionsInput } from '../../../../devnet/options/options.ts'
import { DevnetError } from '../../../../devnet/primitives/errors.ts'
import { fromHex, type Hex, quantity } from '../../../../devnet/primitives/hex.ts'
import { Border } from '../../../../devnet/rpc/border/border.ts'
import type { BorderUpstream } from '../../../../devnet/rpc/border/upstreamRequests.ts'
import { createEmitterChain, type EmitterChain } from '../../stream/emitterChain.ts'

/** Number of the fork block. */
export const FORK = 3

/** Answers of the upstream by method; a function gets the parameters, an error is thrown. */
export type Answers = Record<string, unknown>

/** A chain of 5 blocks, of which the first ones, up to {@link FORK}, are passed off as upstream's. */
export interface BorderChain extends EmitterChain {
  /** What the upstream was asked, as `[method, ...params]`. */
  readonly asked: (readonly unknown[])[]
  readonly answers: Answers
  /** The answer to `eth_getBlockByHash` of the fork block. */
  readonly json: Readonly<Record<string, unknown>>
  readonly forkHash: Hex
}

/** @param options - of the chain; its clocks stand still */
export async function createBorderChain(
  answers: Answers = {},
  options: OptionsInput = {},
): Promise<BorderChain> {
  const chain = await createEmitterChain(options)
  const hashes: Hex[] = [chain.chain.head.hash]
  for (let number = 1; number <= 5; number++) {
    await chain.emit(number)
    await chain.tick()
    await chain.seal()
    hashes.push(chain.chain.head.hash)
  }
  const forkHash = hashes[FORK] ?? '0x'
  const json = { number: quantity(FORK), hash: forkHash, l1Fee: '0x7e', transactions: ['0x01'] }
  const asked: (readonly unknown[])[] = []
  const upstream = {
    block: { number: BigInt(FORK), hash: forkHash, json },
    async request(method: string, params: readonly unknown[], signal?: AbortSignal) {
      signal?.throwIfAborted()
      asked.push([method, ...params])
      if (!(method in answers)) {
        throw new DevnetError(-32601, `upstream does not know ${method}`)
      }
      const answer = answers[method]
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer(...params) : answer
    },
  }
  setBorder(chain, upstream)
  return { ...chain, asked, answers, json, forkHash }
}

/** Puts a border before an upstream into the context of a chain. */
export function setBorder({ context }: EmitterChain, upstream: BorderUpstream): void {
  // Requests look for a border on forked chains only. This one is none: it has its own state, and no
  // figures of an upstream.
  const origin = { number: upstream.block.number, hash: fromHex(upstream.block.hash) }
  Object.defineProperty(context.chain, 'origin', { value: origin, configurable: true })
  Object.defineProperties(context.fork, {
    border: { value: new Border(context, upstream), configurable: true },
    status: { value: () => undefined, configurable: true },
  })
}

/** The hash of an own block. */
export function hashOf({ chain }: EmitterChain, number: number): Hex {
  const hash = chain.history.byNumber(number)?.hash
  if (hash === undefined) throw new Error(`No block ${number}`)
  return hash
}

/** A hash that this node does not have. */
export const hashAt = (number: number): Hex => `0x${number.toString(16).padStart(64, 'f')}`
