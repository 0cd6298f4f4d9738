import { createHre, type OpenConnection, opened } from '../../plugin/network/stage.ts'

/** Hardhat's own network and one of the plugin's, in this process, each as it is by default. */
export interface Networks extends AsyncDisposable {
  readonly theirs: OpenConnection
  readonly ours: OpenConnection
}

/** @param network - the plugin's */
export async function openNetworks(network: 'instant' | 'pending'): Promise<Networks> {
  const own = { type: 'edr-simulated', chainType: 'l1', blockGasLimit: 60_000_000 } as const
  const hre = await createHre({ own })
  const theirs = opened(await hre.network.create({ network: 'own' }))
  const ours = opened(await hre.network.create({ network }))
  return {
    theirs,
    ours,
    async [Symbol.asyncDispose]() {
      await Promise.all([theirs.close(), ours.close()])
    },
  }
}

/** What a connection answers: the result, or that it refuses. */
export type Answer = { readonly result: unknown } | { readonly refused: string }

/** Takes the result of a request, or why it is refused. */
export async function answer(
  { rpc }: OpenConnection,
  method: string,
  params: readonly unknown[],
): Promise<Answer> {
  try {
    // A copy: Hardhat writes what it fills in into what it is given.
    return { result: await rpc(method, ...structuredClone(params)) }
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) }
  }
}
