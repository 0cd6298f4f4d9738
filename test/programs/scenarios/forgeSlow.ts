// A script that waits for each of its transactions, and what it writes of them.
import { readFileSync } from 'node:fs'
import { increaseScript, key } from './support.ts'

increaseScript('--slow', '--private-key', key)
const file = 'broadcast/Increase.s.sol/31337/run-latest.json'
const { receipts }: { receipts: { blockHash: string }[] } = JSON.parse(readFileSync(file, 'utf8'))
if (receipts.length !== 3) throw new Error(`${receipts.length} receipts in ${file}`)
if (receipts.some(({ blockHash }) => /^0x0+$/.test(blockHash))) {
  throw new Error(`A receipt without the hash of its block in ${file}`)
}
