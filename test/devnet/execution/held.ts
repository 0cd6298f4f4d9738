import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Machine } from '../../../devnet/engine/machine.ts'
import type { TestChain } from '../../support/chain.ts'

setFlagsFromString('--expose-gc')
export const collectGarbage: () => void = runInNewContext('gc')

/**
 * Counts what executions hold: versions of the state, and machines that are neither idle nor
 * collected.
 */
export async function countHeld({ chain: { store }, engine }: Pick<TestChain, 'chain' | 'engine'>) {
  const executor = await engine.executor()
  let versions = 0
  const machines: WeakRef<Machine>[] = []
  const idle = new Set<Machine>()
  const stock = {
    retain: store.retain.bind(store),
    release: store.release.bind(store),
    acquire: executor.acquire.bind(executor),
    giveBack: executor.release.bind(executor),
  }
  // No spies: these keep what they see.
  store.retain = (version) => {
    stock.retain(version)
    versions++
  }
  store.release = (version) => {
    stock.release(version)
    versions--
  }
  executor.acquire = async (...parameters) => {
    const machine = await stock.acquire(...parameters)
    idle.delete(machine)
    machines.push(new WeakRef(machine))
    return machine
  }
  executor.release = (machine) => {
    idle.add(machine)
    stock.giveBack(machine)
  }
  const countLost = () =>
    machines.filter((reference) => {
      const machine = reference.deref()
      return machine !== undefined && !idle.has(machine)
    }).length
  return {
    versions: () => versions,
    taken: () => machines.length,
    /** Machines that are still referenced although they were not given back. */
    async lost() {
      for (let round = 0; round < 20 && countLost() > 0; round++) {
        await turn()
        collectGarbage()
      }
      return countLost()
    },
  }
}
