// Replays a call of a contract that the transaction before it has deployed.
import { cast, createCounter, foundry, key, pendingNonce } from './support.ts'

const counter = createCounter()
const sign = ['--private-key', key, '--nonce', pendingNonce()]
const sent = cast('send', '--json', ...sign, counter, 'increase()')
const receipt: { transactionHash: string; gasUsed: string } = JSON.parse(sent)
const printed = foundry('cast', ['run', receipt.transactionHash])
const gas = /Gas used: (\d+)/.exec(printed)?.[1]
if (Number(gas) !== Number(receipt.gasUsed)) throw new Error('another gas than in the receipt')
