// Asks the node how a call went of a contract that the transaction before it has deployed.
import assert from 'node:assert/strict'
import { cast, createCounter, key, pendingNonce } from './support.ts'

const counter = createCounter()
const sign = ['--private-key', key, '--nonce', pendingNonce()]
const sent = cast('send', '--json', ...sign, counter, 'increase()')
const receipt: { transactionHash: string; gasUsed: string } = JSON.parse(sent)
const tracer = '{"tracer":"callTracer","tracerConfig":{"withLog":true}}'
const traced = cast('rpc', 'debug_traceTransaction', receipt.transactionHash, tracer)
const { gasUsed, logs }: { gasUsed: string; logs: unknown[] } = JSON.parse(traced)
assert.equal(gasUsed, receipt.gasUsed)
assert.equal(logs.length, 1)
// The number of increments, which the pending block knows.
const count = JSON.stringify({ to: counter, input: cast('sig', 'count()') })
const read = cast('rpc', 'debug_traceCall', count, 'pending', tracer)
const { output }: { output: string } = JSON.parse(read)
assert.equal(BigInt(output), 1n)
