// Deploys, then at once runs a test on a fork of the chain, which uses what was deployed.
import { createCounter, foundry, url } from './support.ts'

foundry('forge', ['test', '--fork-url', url], { COUNTER: createCounter() })
