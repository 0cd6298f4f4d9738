// Deploys with `forge create`, then at once runs a script that sends.
import { createCounter, increaseScript, key } from './support.ts'

createCounter()
increaseScript('--private-key', key)
