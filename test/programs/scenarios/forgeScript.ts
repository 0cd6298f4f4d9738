// A script that sends, on a chain on which nothing waits for its seal.
import { increaseScript, key } from './support.ts'

increaseScript('--private-key', key)
