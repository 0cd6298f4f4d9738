import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import { call } from '../../../devnet/execution/call.ts'
import { estimateGas } from '../../../devnet/execution/estimate.ts'
import { executionTarget } from '../../../devnet/execution/executionTarget.ts'
import type { SimulationLimits } from '../../../devnet/execution/simulate.ts'
import {
  checkSimulationSize,
  simulate,
  simulationBase,
} from '../../../devnet/execution/simulate.ts'
import type { BlockOverrides } from '../../../devnet/json/schemas/blockOverrides.ts'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import type {
  BlockStateCall,
  SimulationPayload,
} from '../../../devnet/json/schemas/simulationPayload.ts'
import type {
  AccountOverride,
  StateOverrides,
} from '../../../devnet/json/schemas/stateOverrides.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import {
  formatSimulatedBlock,
  type SimulationFormat,
} from '../../../devnet/rpc/heavy/formatSimulatedBlock.ts'
import { createTestChain } from '../../support/chain.ts'
import { artifact } from '../../support/solidity.ts'

export const GWEI = 10n ** 9n
export const ETHER = 10n ** 18n

/** Where tests lay code of their own. */
export const CODE: Hex = '0x00000000000000000000000000000000c0de0001'
export const OTHER: Hex = '0x00000000000000000000000000000000c0de0002'

/** An account that does not exist. */
export const NOBODY: Hex = '0x00000000000000000000000000000000000000dd'

export const GAS_CAP = 50_000_000n

const LIMITS: SimulationLimits = {
  blocks: 256,
  callsPerBlock: 5000,
  calls: 10_000,
  gas: GAS_CAP,
  // Only tests of the limit itself may depend on how long something takes.
  timeout: 60_000,
}

export interface CallChanges {
  readonly block?: SealedBlock | PendingView
  readonly state?: Readonly<Record<Hex, AccountOverride>>
  readonly header?: BlockOverrides
  readonly gasCap?: bigint
  readonly signal?: AbortSignal
  readonly timeout?: number
}

/** Overrides in the order of the addresses. */
export function overrides(accounts: Readonly<Record<Hex, AccountOverride>>): StateOverrides {
  // Object keys are typed as any text; these are the addresses given.
  const entries = Object.entries(accounts) as [Hex, AccountOverride][]
  return new Map(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Code that returns the one word that `code` leaves on the stack. */
export const returning = (code: string): Hex => `0x${code}5f5260205ff3`

/**
 * A chain in this process with everything of `devnet/execution` at hand, by default on the pending
 * block.
 */
export async function createExecutionChain(options: OptionsInput = {}) {
  const node = await createTestChain(options)
  const { chain, clocks } = node
  const account = (index = 0) => {
    const found = node.accounts[index]
    if (found === undefined) throw new Error(`There is no account ${index}`)
    return privateKeyToAccount(found.privateKey)
  }
  const from = account().address.toLowerCase() as Hex
  const parameters = (changes: CallChanges) => ({
    stateOverrides: changes.state && overrides(changes.state),
    blockOverrides: changes.header,
    gasCap: changes.gasCap ?? GAS_CAP,
    signal: changes.signal,
    timeout: changes.timeout,
  })
  const target = (changes: CallChanges) => executionTarget(chain, changes.block ?? chain.pending)
  let nextNonce = 0
  const send = async (fields: {
    to?: Hex | undefined
    data?: Hex
    value?: bigint
    gas?: bigint
    /** Default: one more than that of the last transaction sent. */
    nonce?: number
  }): Promise<Hex> => {
    const { to, data, value, gas = 5_000_000n, nonce = nextNonce } = fields
    nextNonce = nonce + 1
    return node.send(
      await account().signTransaction({
        type: 'eip1559',
        chainId: node.options.chainId,
        nonce,
        maxFeePerGas: 10n * GWEI,
        maxPriorityFeePerGas: 1n,
        gas,
        ...(to === undefined ? {} : { to }),
        ...(data === undefined ? {} : { data }),
        ...(value === undefined ? {} : { value }),
      }),
    )
  }
  return {
    ...node,
    account,
    from,
    send,
    tick: () => clocks.advanceTicks(1),
    seal: () => clocks.seal(),
    /** Deploys a contract of test/support/contracts and pre-confirms it. */
    deploy: async (name: string, args: readonly unknown[] = []) => {
      const { abi, bytecode } = artifact(name)
      const address = getContractAddress({ from, nonce: BigInt(nextNonce) }).toLowerCase() as Hex
      await send({ data: encodeDeployData({ abi, bytecode, args }) })
      await clocks.advanceTicks(1)
      const encode = (functionName: string, ...values: unknown[]): Hex =>
        encodeFunctionData({ abi, functionName, args: values })
      return { address, abi, encode }
    },
    call: async (request: CallRequest, changes: CallChanges = {}): Promise<Hex> =>
      (await call(chain, target(changes), request, parameters(changes))).returnData,
    estimate: (request: CallRequest, changes: CallChanges = {}): Promise<bigint> =>
      estimateGas(chain, target(changes), request, parameters(changes)),
    simulate: async (
      payload: SimulationPayload,
      changes: {
        block?: SealedBlock | PendingView
        limits?: Partial<SimulationLimits>
        format?: Partial<SimulationFormat>
        signal?: AbortSignal
      } = {},
    ): Promise<SimulatedBlockJson[]> => {
      const limits = { ...LIMITS, ...changes.limits }
      checkSimulationSize(payload, limits)
      const base = simulationBase(chain, changes.block ?? chain.pending)
      const blocks = await simulate(chain, base, payload, { limits, signal: changes.signal })
      return blocks.map(
        (block) =>
          // What comes out is compared with whole objects below.
          formatSimulatedBlock(block, {
            errors: 'object',
            ...changes.format,
          }) as SimulatedBlockJson,
      )
    },
  }
}

export type ExecutionChain = Awaited<ReturnType<typeof createExecutionChain>>

/** What {@link runOneBlock} takes beside the chain. */
export type OneBlock = [
  calls: CallRequest[],
  more?: {
    validation?: boolean
    state?: Record<Hex, AccountOverride>
    block?: BlockStateCall['blockOverrides']
    limits?: Partial<SimulationLimits>
  },
]

/** Simulates one block with these calls. */
export function runOneBlock(
  node: ExecutionChain,
  ...[calls, more = {}]: OneBlock
): Promise<SimulatedBlockJson[]> {
  return node.simulate(
    {
      ...(more.validation === undefined ? {} : { validation: more.validation }),
      blockStateCalls: [
        { calls, stateOverrides: overrides(more.state ?? {}), blockOverrides: more.block },
      ],
    },
    more.limits === undefined ? {} : { limits: more.limits },
  )
}

interface SimulatedLogJson {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly logIndex: Hex
  readonly [field: string]: unknown
}

export interface SimulatedCallJson {
  readonly status: '0x0' | '0x1'
  readonly returnData: Hex
  readonly gasUsed: Hex
  readonly maxUsedGas: Hex
  readonly logs: readonly SimulatedLogJson[]
  readonly error?: string | { readonly code: number; readonly message: string; readonly data?: Hex }
}

export interface SimulatedBlockJson {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
  readonly gasUsed: Hex
  readonly logsBloom: Hex
  readonly transactions: readonly unknown[]
  readonly calls: readonly SimulatedCallJson[]
  readonly [field: string]: unknown
}
