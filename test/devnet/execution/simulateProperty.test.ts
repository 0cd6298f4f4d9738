import {
  getContractAddress,
  type Hex,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'
import { expect, test } from 'vitest'
import type { Execution } from '../../../devnet/engine/types.ts'
import type { BlockOverrides } from '../../../devnet/json/schemas/blockOverrides.ts'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import type { ExecutedTransaction, RawLog } from '../../../devnet/protocol/receipt.ts'
import { runs } from '../../support/longRuns.ts'
import { RandomTraffic } from '../chain/randomTraffic.ts'
import { createExecutionChain, type ExecutionChain, type SimulatedCallJson } from './harness.ts'

/** The call that a signed transaction makes, with everything that is in it but the signature. */
async function unsigned(raw: Hex): Promise<CallRequest> {
  // It was made by viem a moment ago.
  const serialized = raw as TransactionSerialized
  const from = await recoverTransactionAddress({ serializedTransaction: serialized })
  const transaction = parseTransaction(serialized)
  const { to, gas, value, nonce, data, maxFeePerGas } = transaction
  return {
    from: lower(from),
    to: to == null ? undefined : lower(to),
    gas,
    value,
    data,
    nonce: BigInt(nonce ?? 0),
    gasPrice: transaction.gasPrice,
    maxFeePerGas,
    // viem leaves out zeros.
    maxPriorityFeePerGas:
      maxFeePerGas === undefined ? undefined : (transaction.maxPriorityFeePerGas ?? 0n),
    ...('accessList' in transaction && transaction.accessList !== undefined
      ? {
          accessList: transaction.accessList.map(({ address, storageKeys }) => ({
            address: lower(address),
            storageKeys,
          })),
        }
      : {}),
    ...('authorizationList' in transaction && transaction.authorizationList !== undefined
      ? {
          authorizationList: transaction.authorizationList.map((one) => ({
            address: lower(one.address),
            chainId: BigInt(one.chainId),
            nonce: BigInt(one.nonce),
            r: BigInt(one.r ?? 0),
            s: BigInt(one.s ?? 0),
            yParity: BigInt(one.yParity ?? 0),
          })),
        }
      : {}),
  }
}

const lower = (hex: Hex) => hex.toLowerCase() as Hex

/** The environment of the pending block, as overrides of a simulated one. */
function likePending({ chain }: ExecutionChain): BlockOverrides {
  const { timestamp, coinbase, prevRandao, gasLimit } = chain.pending.environment
  return { time: timestamp, feeRecipient: toHex(coinbase), prevRandao: toHex(prevRandao), gasLimit }
}

/** What ticks execute, with what each transaction returned. */
async function watchExecutions({ engine }: ExecutionChain): Promise<WeakMap<object, Execution>> {
  const executor = await engine.executor()
  const run = executor.run.bind(executor)
  const executions = new WeakMap<object, Execution>()
  executor.run = async (machine, tx, block, options) => {
    const execution = await run(machine, tx, block, options)
    executions.set(tx, execution)
    return execution
  }
  return executions
}

/** What a receipt and a simulated call must have in common. */
function ofReceipt(
  executed: ExecutedTransaction,
  first: ExecutedTransaction,
  execution?: Execution,
) {
  return {
    status: executed.success ? '0x1' : '0x0',
    gasUsed: numberToHex(executed.gasUsed),
    returnData: toHex(execution?.returnData ?? new Uint8Array(0)),
    logs: executed.logs.map(([address, topics, data]: RawLog, index) => ({
      address: toHex(address),
      topics: topics.map(toHex),
      data: toHex(data),
      transactionIndex: numberToHex(executed.index - first.index),
      logIndex: numberToHex(executed.firstLogIndex - first.firstLogIndex + index),
    })),
  }
}

function ofCall({ status, gasUsed, returnData, logs }: SimulatedCallJson) {
  return {
    status,
    gasUsed,
    returnData,
    logs: logs.map(({ address, topics, data, transactionIndex, logIndex }) => ({
      address,
      topics,
      data,
      transactionIndex,
      logIndex,
    })),
  }
}

const ROUNDS = runs(60)

const CASES = [
  // A delegation may use up the nonce of whom it is from (EIP-7702), and let his next transaction
  // wait for another tick: sent one by one, they keep their order.
  { seed: 1, delegations: true },
  { seed: 2, delegations: true },
  { seed: 3, delegations: false },
]

test.each(CASES)(
  'property: simulated on pending, then sent, the same: seed $seed',
  async ({ seed, delegations }) => {
    const node = await createExecutionChain()
    const executions = await watchExecutions(node)
    const hardfork = delegations ? 'bpo2' : 'cancun'
    const traffic = new RandomTraffic(seed, node.accounts, node.options.chainId, hardfork)
    const { random } = traffic
    const send = async (raws: readonly Hex[]) => {
      for (const raw of raws) {
        await node.chain.submit(fromHex(raw))
        if (delegations) await node.tick()
      }
      await node.tick()
    }
    await send(await traffic.deployments())
    await node.seal()
    const [deployer] = traffic.addresses
    const targets = {
      token: getContractAddress({ from: deployer ?? '0x', nonce: 0n }),
      playground: getContractAddress({ from: deployer ?? '0x', nonce: 1n }),
    }
    const next = async (count: number) => {
      const raws: Hex[] = []
      for (let index = 0; index < count; index++) raws.push(await traffic.next(targets))
      return raws
    }
    let compared = 0
    for (let round = 0; round < ROUNDS; round++) {
      // Now and then there is something pre-confirmed already.
      if (random.once(2)) await send(await next(random.below(5)))
      const { pending } = node.chain
      const raws = await next(1 + random.below(20))
      const calls = await Promise.all(raws.map(unsigned))
      const simulate = (validation: boolean) => {
        const overrides = likePending(node)
        // With validation it follows from the block before, as that of the pending block did.
        const { baseFeePerGas } = pending.environment
        const blockOverrides = validation ? overrides : { ...overrides, baseFeePerGas }
        const payload = { validation, blockStateCalls: [{ blockOverrides, calls }] }
        return node.simulate(payload, { format: { errors: 'string' } })
      }
      const simulated = await simulate(true)
      const bytes = JSON.stringify(simulated)
      expect(JSON.stringify(await simulate(true))).toBe(bytes)
      expect(JSON.stringify(await simulate(false))).toBe(bytes)
      expect(node.chain.pending).toBe(pending)

      await send(raws)
      await node.seal()
      const { head } = node.chain
      const executed = head.executed.slice(pending.executed.length)
      const [first] = executed
      const [block] = simulated
      if (first === undefined || block === undefined) throw new Error('Something was executed')
      expect(executed).toHaveLength(raws.length)
      expect(block.calls.map(ofCall)).toEqual(
        executed.map((one) => ofReceipt(one, first, executions.get(one.transaction))),
      )
      expect(block).toMatchObject({
        number: numberToHex(head.number),
        parentHash: toHex(head.header.parentHash),
        timestamp: numberToHex(head.header.timestamp),
        baseFeePerGas: numberToHex(head.header.baseFeePerGas ?? 0n),
      })
      if (pending.executed.length === 0) {
        expect(block).toMatchObject({
          gasUsed: numberToHex(head.header.gasUsed),
          logsBloom: toHex(head.header.logsBloom),
          receiptsRoot: toHex(head.header.receiptsRoot),
        })
      }
      compared += executed.length
    }
    expect(compared).toBeGreaterThan(ROUNDS * 5)
    expect(node.chain.dropped).toEqual([])
  },
)
