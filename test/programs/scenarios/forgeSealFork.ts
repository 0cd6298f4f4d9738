// Deploys, seals, then runs a test on a fork of the chain, which uses what was deployed.
import { cast, createCounter, foundry, url } from './support.ts'

const counter = createCounter()
cast('rpc', 'preconf_seal')
foundry('forge', ['test', '--fork-url', url], { COUNTER: counter })
