import { afterAll, beforeAll } from 'vitest'
import * as blocks from './blocks.ts'
import { Duel } from './duel.ts'
import { createEdrPeer } from './edrPeer.ts'
import { createOwnPeer } from './ownPeer.ts'
import type { Hardfork, PeerOptions } from './peer.ts'
import { deploy } from './sends.ts'
import { World } from './world.ts'

/** Both nodes start as `hardhat node`. */
const OPTIONS: Omit<PeerOptions, 'hardfork'> = {
  chainId: 31337,
  timestamp: 1_800_000_000,
  baseFee: 1_000_000_000n,
  gasLimit: 60_000_000,
}

/** How many of the dev accounts take part: few, so that they meet each other. */
const SIGNERS = 6

export interface ArenaParameters {
  readonly seed: number
  /** Default: `osaka`, the newest that Hardhat 3.17 knows. */
  readonly hardfork?: Hardfork
  /** The command that runs the same again. */
  readonly again: string
}

/** Both nodes, with the contracts of the traffic deployed; they stop after `use`. */
export async function withArena(
  { seed, hardfork = 'osaka', again }: ArenaParameters,
  use: (world: World) => Promise<void>,
): Promise<void> {
  const options = { ...OPTIONS, hardfork }
  const ours = await createOwnPeer(options)
  try {
    const theirs = await createEdrPeer(options)
    try {
      const duel = new Duel(ours, theirs, again)
      const world = new World(duel, seed, ours.accounts.slice(0, SIGNERS), options)
      await blocks.open(world)
      await deploy(world)
      await blocks.seal(world)
      await use(world)
    } finally {
      await theirs.stop()
    }
  } finally {
    await ours.stop()
  }
}

/** As {@link withArena}, for all tests of a file. */
export function useArena(again: string): () => World {
  let world: World | undefined
  let over: Promise<void>
  const done = Promise.withResolvers<void>()
  beforeAll(
    () =>
      new Promise<void>((resolve, reject) => {
        over = withArena({ seed: 1, again }, (made) => {
          world = made
          resolve()
          return done.promise
        })
        over.catch(reject)
      }),
  )
  afterAll(async () => {
    done.resolve()
    await over
  })
  return () => {
    if (world === undefined) throw new Error('Both nodes start before the tests')
    return world
  }
}
