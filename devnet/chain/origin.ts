import type { Engine } from '../engine/engine.ts'
import { VersionedStore } from '../state/versionedStore.ts'
import { createGenesis, type GenesisParameters } from './genesis.ts'
import { History } from './history.ts'

/** What a chain goes on from: its sealed blocks with their states. */
export interface ChainOrigin {
  readonly store: VersionedStore
  readonly history: History
}

/** The genesis block of a devnet. */
export function createOrigin(genesis: GenesisParameters, engine: Engine): ChainOrigin {
  const store = new VersionedStore(engine.codes)
  return { store, history: new History(createGenesis(genesis, engine, store)) }
}
