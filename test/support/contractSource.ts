import type { CompiledContract, ContractSource } from '../../devnet/index.ts'
import { artifact } from './solidity.ts'

/** What a compiler knows of a contract, if it only lays out its storage. */
export function withLayout(storageLayout: unknown): CompiledContract {
  return { deployedSourceMap: '', creationSourceMap: '', sources: new Map(), storageLayout }
}

/**
 * Finds contracts of test/support/contracts by their code, as a project's artifacts do.
 *
 * @param names - of the contracts; in a pair, the second one is shown
 */
export function sourceOf(
  ...names: readonly (string | readonly [string, string])[]
): ContractSource {
  const found = async (fits: (name: string) => boolean) =>
    names.flatMap((given) => {
      const [name, shown] = typeof given === 'string' ? [given, given] : given
      const { abi, bytecode, storageLayout } = artifact(name)
      return fits(name)
        ? [
            {
              name: shown,
              abi,
              initCodeLength: bytecode.length / 2 - 1,
              compiled: async () => withLayout(storageLayout),
            },
          ]
        : []
    })
  return {
    deployedAs: (code) => found((name) => artifact(name).deployedBytecode === code),
    createdBy: (code) => found((name) => code.startsWith(artifact(name).bytecode)),
    all: () => found(() => true),
  }
}
