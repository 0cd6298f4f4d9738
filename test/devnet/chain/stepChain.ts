import type { Cheat } from '../../../devnet/chain/cheats.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { type Hex, toHex } from '../../../devnet/primitives/hex.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import { WITNESS_CODE } from '../../support/witness.ts'
import { createRpcChain, hex, type RpcChain } from '../rpc/methods/rpcChain.ts'

export const WITNESS: Hex = '0x00000000000000000000000000000000000717e5'
export const NOBODY: Hex = `0x${'ab'.repeat(20)}`
export const OTHER: Hex = `0x${'cd'.repeat(20)}`

/** A chain with a witness, whose clocks stand still unless `options` say otherwise. */
export async function createStepChain(options: OptionsInput = {}) {
  return stepChain(await createRpcChain(options))
}

/** Shorthands for a chain; installs the witness if the chain is new. */
export async function stepChain(node: RpcChain) {
  const { call, account, chain, clocks } = node
  const cheat = (cheat: Cheat) => chain.write((writer) => writer.cheat(cheat))
  if (chain.head.number === 0) {
    await cheat({ kind: 'setCode', address: WITNESS, code: WITNESS_CODE })
  }
  return {
    ...node,
    cheat,
    /** Sends wei from an account; a call of the witness by default. The next tick takes it. */
    send: (from: number | Hex, request: object = {}) =>
      call<Hex>('eth_sendTransaction', {
        from: typeof from === 'number' ? account(from).address : from,
        to: WITNESS,
        gas: '0x30d40',
        ...request,
      }),
    tick: () => clocks.advanceTicks(1),
    drop: (...hashes: Hex[]) => chain.write((writer) => writer.drop(new Set(hashes), 'dropped')),
    balance: async (address: Hex, block = 'pending') =>
      BigInt(await call<Hex>('eth_getBalance', address, block)),
    nonce: async (address: Hex, block = 'pending') =>
      Number(await call<Hex>('eth_getTransactionCount', address, block)),
    places: () => chain.pending.steps.map(({ after, cheat }) => [after, cheat.kind]),
    executed: () => chain.pending.executed.map(({ transaction }) => transaction.hash),
    traces: (block: string) => call('debug_traceBlockByNumber', block, CALLS),
  }
}

export type StepChain = Awaited<ReturnType<typeof stepChain>>

const CALLS = { tracer: 'callTracer', tracerConfig: { withLog: true } }

/** Gas and logs of the pre-confirmed transactions; {@link traced} has to find the same. */
export const outcomes = ({ chain }: StepChain) =>
  chain.pending.executed.map(({ gasUsed, logs }) => ({
    gasUsed: hex(gasUsed),
    data: logs.map(([, , data]) => toHex(data)),
  }))

/** Gas and logs that a replay of a block finds. */
export async function traced(node: StepChain, block: string) {
  const traces = await node.call<{ result: { gasUsed: Hex; logs?: { data: Hex }[] } }[]>(
    'debug_traceBlockByNumber',
    block,
    CALLS,
  )
  return traces.map(({ result: { gasUsed, logs = [] } }) => ({
    gasUsed,
    data: logs.map(({ data }) => data),
  }))
}

/** What two chains must have in common of a block. */
export const sealedAs = ({ hash, steps }: SealedBlock) => ({ hash, steps })

export const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** A block with steps of each kind between its transactions. */
export async function playSteps(node: StepChain): Promise<void> {
  await node.send(0)
  await node.tick()
  await node.cheat({ kind: 'setBalance', address: WITNESS, balance: 100n })
  await node.cheat({ kind: 'setStorage', address: WITNESS, slot: word(0), value: word(50) })
  await node.send(1, { value: '0x1' })
  await node.tick()
  await node.cheat({ kind: 'addBalance', address: WITNESS, amount: 10n })
  await node.cheat({ kind: 'setNonce', address: NOBODY, nonce: 9n })
  await node.cheat({ kind: 'setCode', address: NOBODY, code: '0x6002' })
  await node.send(2, { value: '0x2' })
  await node.tick()
  await node.cheat({ kind: 'setCode', address: NOBODY, code: '0x' })
  await node.cheat({ kind: 'setStorage', address: WITNESS, slot: word(0), value: word(0) })
}

/** The steps of {@link playSteps}, each with the number of transactions before it. */
export const STEPS = [
  [1, 'setBalance'],
  [1, 'setStorage'],
  [2, 'addBalance'],
  [2, 'setNonce'],
  [2, 'setCode'],
  [3, 'setCode'],
  [3, 'setStorage'],
]
