import { getContractAddress, type Hex } from 'viem'
import { expect, test } from 'vitest'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import type { Chain } from '../../../devnet/chain/chain.ts'
import type { Execution } from '../../../devnet/engine/types.ts'
import { withMachine } from '../../../devnet/execution/machineLease.ts'
import { readValue } from '../../../devnet/json/params.ts'
import { traceConfig } from '../../../devnet/json/schemas/traceConfig.ts'
import { toHex } from '../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import { bloomHex } from '../../../devnet/protocol/bloom.ts'
import type { ExecutedTransaction } from '../../../devnet/protocol/receipt.ts'
import { openTracedBlock, tracedBlock } from '../../../devnet/tracing/tracedBlock.ts'
import { TraceRun } from '../../../devnet/tracing/traceRun.ts'
import { seeds } from '../../support/longRuns.ts'
import { stateChanges } from '../../support/stateChanges.ts'
import { RandomTraffic } from '../chain/randomTraffic.ts'
import { createTracingChain, type StructLogs, type TracedFrame } from './harness.ts'

const ALL_TRACERS = {
  tracer: 'muxTracer',
  tracerConfig: {
    callTracer: { withLog: true },
    erc7562Tracer: { withLog: true },
    flatCallTracer: {},
    prestateTracer: { diffMode: true },
    '4byteTracer': null,
    noopTracer: null,
  },
}
const STEPS = { enableMemory: true, enableReturnData: true }

/** A chain with random traffic in sealed blocks and in the pending one. */
async function createTraffic(seed: number) {
  const node = await createTracingChain()
  const { chain, clocks } = node
  const traffic = new RandomTraffic(seed, node.accounts.slice(0, 5), 31337)
  const [deployer = '0x'] = traffic.addresses
  const targets = {
    token: getContractAddress({ from: deployer, nonce: 0n }),
    playground: getContractAddress({ from: deployer, nonce: 1n }),
  }
  const submit = (raw: Hex) => chain.submit(Buffer.from(raw.slice(2), 'hex'))
  for (const raw of await traffic.deployments()) await submit(raw)
  await clocks.advanceTicks(1)
  for (let step = 0; step < 50; step++) {
    await submit(await traffic.next(targets))
    if (traffic.random.once(3)) await clocks.advanceTicks(1)
    if (traffic.random.once(12)) await clocks.seal()
  }
  await clocks.advanceTicks(1)
  const sealed = Array.from({ length: chain.head.number }, (_, index) =>
    chain.history.byNumber(index + 1),
  ).filter((block) => block !== undefined)
  return { ...node, blocks: [...sealed, chain.pending] as (SealedBlock | PendingView)[] }
}

/** The logs of a frame and those inside it, in the order in which they were emitted. */
function logsOf({
  logs = [],
  calls = [],
}: TracedFrame): NonNullable<TracedFrame['logs']>[number][] {
  const inside = [...calls]
  const all = logs.flatMap((log) => [
    ...inside.splice(0, Number(log.position) - (calls.length - inside.length)).flatMap(logsOf),
    log,
  ])
  return [...all, ...inside.flatMap(logsOf)]
}

function expectReceipt(frame: TracedFrame, executed: ExecutedTransaction): void {
  const { transaction, success, gasUsed, contractAddress, logs, firstLogIndex } = executed
  const created = contractAddress === undefined ? undefined : toHex(contractAddress)
  expect(frame).toMatchObject({
    type: transaction.to === undefined ? 'CREATE' : 'CALL',
    from: transaction.sender,
    gas: `0x${transaction.gasLimit.toString(16)}`,
    gasUsed: `0x${gasUsed.toString(16)}`,
    value: `0x${transaction.value.toString(16)}`,
  })
  expect(frame.error === undefined).toBe(success)
  if (success) expect(frame.to).toBe(transaction.to === undefined ? created : toHex(transaction.to))
  expect(logsOf(frame).map(({ position, ...log }) => log)).toEqual(
    logs.map(([address, topics, data], index) => ({
      address: toHex(address),
      topics: topics.map(toHex),
      data: toHex(data),
      index: `0x${(firstLogIndex + index).toString(16)}`,
    })),
  )
}

test.each(seeds(10))('traces agree with the receipts, seed %i', async (seed) => {
  const { chain, blocks, traceBlock, traceSent } = await createTraffic(seed)
  const { pending, head } = chain
  let failures = 0
  let count = 0
  for (const block of blocks) {
    const frames = await traceBlock<TracedFrame>(block, {
      tracer: 'callTracer',
      tracerConfig: { withLog: true },
    })
    const steps = await traceBlock<StructLogs>(block)
    expect(frames.map(({ txHash }) => txHash)).toEqual(
      block.executed.map(({ transaction }) => transaction.hash),
    )
    for (const [index, executed] of block.executed.entries()) {
      const { hash } = executed.transaction
      const frame = frames[index]?.result
      if (frame === undefined) throw new Error(`No frame ${index}`)
      expectReceipt(frame, executed)
      // One by one it is as in its block.
      const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
      if (index % 5 === 0) expect(await traceSent(hash, config)).toEqual(frame)
      const { structLogs, ...summary } = steps[index]?.result ?? { structLogs: [] }
      expect(summary).toEqual({
        gas: Number(executed.gasUsed),
        failed: !executed.success,
        // What failed for another reason than a revert has no output either.
        returnValue: frame.output ?? '0x',
      })
      count += structLogs.length
      if (!executed.success) failures++
    }
  }
  // Otherwise the traffic would not say much.
  expect(failures).toBeGreaterThan(3)
  expect(count).toBeGreaterThan(5000)
  expect(chain.pending).toBe(pending)
  expect(chain.head).toBe(head)
})

interface Outcome {
  readonly executions: readonly (Execution & { readonly bloom: string })[]
  readonly changes: readonly string[]
}

/** Executes the transactions of a block, traced as `config` says, or not at all. */
async function play(
  chain: Chain,
  block: SealedBlock | PendingView,
  config?: object,
): Promise<Outcome> {
  const { engine, blockHashes } = chain
  const traced = tracedBlock(chain, block)
  const { rules, parentState, context } = traced
  return withMachine({ engine, rules, state: parentState, blockHashes }, async (lease) => {
    const { executor, machine } = lease
    openTracedBlock(machine.overlay, traced)
    const executions: (Execution & { readonly bloom: string })[] = []
    let logCount = 0
    for (const { tx } of traced.transactions) {
      const run = () => executor.run(machine, tx, context)
      const { execution } =
        config === undefined
          ? { execution: await run() }
          : await new TraceRun({ ...readValue(traceConfig(), config), maxSize: 1e9 }).trace(lease, {
              tx,
              block: context,
              location: undefined,
              logCount,
              run,
            })
      // The bits of a bloom have no order.
      const bloom = bloomHex(execution.bloomBits)
      executions.push({ ...execution, bloomBits: '', bloom })
      logCount += execution.logs.length
    }
    return { executions, changes: stateChanges(machine.overlay, parentState) }
  })
}

test.each(seeds(10))('a traced execution does what an untraced one does, seed %i', async (seed) => {
  const { chain, blocks } = await createTraffic(seed)
  for (const block of blocks) {
    const untraced = await play(chain, block)
    expect(untraced.executions.map(({ gasUsed, success }) => ({ gasUsed, success }))).toEqual(
      block.executed.map(({ gasUsed, success }) => ({ gasUsed, success })),
    )
    for (const config of [STEPS, ALL_TRACERS]) {
      expect(await play(chain, block, config)).toEqual(untraced)
    }
  }
})
