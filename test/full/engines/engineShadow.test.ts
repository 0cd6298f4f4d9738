import { afterEach, expect, test, vi } from 'vitest'
import { FastMachine } from '../../../devnet/engine/fast/fastMachine.ts'
import { Journal } from '../../../devnet/engine/fast/journal.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { TransactionRefused } from '../../../devnet/protocol/transactionRefused.ts'
import { Overlay } from '../../../devnet/state/overlay/overlay.ts'
import { BLOCK } from '../../devnet/engine/fast/randomWorld.ts'
import { CODE, createExecutionChain, NOBODY, returning } from '../../devnet/execution/harness.ts'
import { EngineShadow } from '../../support/engineShadow.ts'

/** The contract of EIP-7002. */
const WITHDRAWALS = fromHex('0x00000961ef480eb55e80d19ad83579a64c007002')

const shadow = EngineShadow.install()

afterEach(() => {
  vi.restoreAllMocks()
})

/** What the shadow has counted and found since it was last asked. */
function found() {
  const { compared } = shadow
  shadow.compared = 0
  return { compared, differences: shadow.differences.splice(0) }
}

test('default: calls, transactions and system calls are compared, and agree', async () => {
  const node = await createExecutionChain()
  await node.call({ to: CODE }, { state: { [CODE]: { code: returning('602a') } } })
  expect(found()).toEqual({ compared: 1, differences: [] })
  await node.send({ to: NOBODY, value: 5n })
  await node.tick()
  expect(found()).toEqual({ compared: 1, differences: [] })
  const executor = await node.engine.executor()
  await executor.use(node.chain.pending.state, node.chain.blockHashes, (machine) =>
    executor.systemCall(machine, WITHDRAWALS, BLOCK),
  )
  expect(found()).toEqual({ compared: 1, differences: [] })
})

test('an execution that nobody judges is told', async () => {
  const node = await createExecutionChain()
  const executor = await node.engine.executor()
  const system = {
    from: WITHDRAWALS,
    to: WITHDRAWALS,
    data: new Uint8Array(),
    gas: 100_000,
    stateGas: 0,
  }
  await executor.use(node.chain.pending.state, node.chain.blockHashes, async ({ fast }) =>
    fast?.systemCall(system, BLOCK, node.chain.blockHashes),
  )
  expect(found()).toEqual({
    compared: 0,
    differences: ['The fast engine has executed without its judge.'],
  })
  // Another method than these would have to be watched, too; `forget` executes nothing.
  expect(Object.getOwnPropertyNames(FastMachine.prototype).sort()).toEqual([
    'call',
    'constructor',
    'forget',
    'run',
    'systemCall',
  ])
})

test('a wrong result is told with where the engines part', async () => {
  const node = await createExecutionChain()
  const { call } = FastMachine.prototype
  vi.spyOn(FastMachine.prototype, 'call').mockImplementation(async function (
    this: FastMachine,
    ...parameters
  ) {
    const execution = await call.apply(this, parameters)
    return { ...execution, gasUsed: execution.gasUsed + 1n, returnData: Uint8Array.of(1) }
  })
  // The fast engine's answer is the one that counts.
  expect(await node.call({ to: NOBODY })).toBe('0x01')
  const { compared, differences } = found()
  expect(compared).toBe(1)
  expect(differences).toHaveLength(1)
  expect(differences[0]).toMatch(/gasUsed: "21001" \(fast\), "21000" \(library\)/)
  expect(differences[0]).toMatch(/returnData: "0x01" \(fast\), "0x" \(library\)/)
  expect(differences[0]).toContain(NOBODY)
})

test('a wrong state is told', async () => {
  const node = await createExecutionChain()
  const { writeAccount } = Overlay.prototype
  const { handOver } = Journal.prototype
  vi.spyOn(Journal.prototype, 'handOver').mockImplementation(function (
    this: Journal,
    ...parameters
  ) {
    const write = vi.spyOn(Overlay.prototype, 'writeAccount').mockImplementation(function (
      this: Overlay,
      key,
      nonce,
      balance,
      codeHash,
    ) {
      writeAccount.call(this, key, nonce, balance + 1n, codeHash)
    })
    handOver.apply(this, parameters)
    write.mockRestore()
  })
  await node.send({ to: NOBODY, value: 5n })
  await node.tick()
  const { differences } = found()
  expect(differences).toHaveLength(1)
  expect(differences[0]).toContain(`${NOBODY} 0 6 `)
  expect(differences[0]).toContain(`${NOBODY} 0 5 `)
})

test('an engine that refuses what the other executes is told', async () => {
  const node = await createExecutionChain()
  vi.spyOn(FastMachine.prototype, 'call').mockRejectedValue(new TransactionRefused('senderCode'))
  await expect(node.call({ to: NOBODY })).rejects.toThrow()
  const { differences } = found()
  expect(differences).toHaveLength(1)
  expect(differences[0]).toMatch(/refused: true \(fast\), none \(library\)/)
})
