// Deploys, seals what is pre-confirmed, and runs a script that sends.
import { cast, createCounter, increaseScript, key } from './support.ts'

createCounter()
cast('rpc', 'preconf_seal')
increaseScript('--private-key', key)
