import { pad, toHex } from 'viem'
import type { FormattedLog } from '../../../devnet/json/receiptForm.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { createRpcChain, type RpcChain } from '../rpc/methods/rpcChain.ts'

/** Emits a log with its calldata as topic, and one without topics. */
export const EMITTER_CODE = '0x5f355f5fa15f5fa000'
export const EMITTER: Hex = `0x${'e1'.repeat(20)}`

/** A number as the topic of {@link EmitterChain.emit}. */
export const topicOf = (number: number): Hex => pad(toHex(number))

/** Block number and topic of logs; those without a topic are left out. */
export const summary = (logs: readonly FormattedLog[]) =>
  logs
    .filter(({ topics }) => topics.length > 0)
    .map(({ blockNumber, topics }) => [Number(blockNumber), Number(topics[0])])

/** A chain with a contract that emits what it is told to. */
export interface EmitterChain extends RpcChain {
  /** Sends a transaction with two logs: of topic `number`, and of none. Answers its hash. */
  emit(number: number, account?: number): Promise<Hex>
  tick(): Promise<unknown>
  seal(): Promise<unknown>
  /** As {@link RpcChain.call}, of `eth_getFilterChanges`. */
  changes<Item>(id: Hex): Promise<Item[]>
}

export async function createEmitterChain(options: OptionsInput = {}): Promise<EmitterChain> {
  const node = await createRpcChain(options)
  const { call, account } = node
  await call('hardhat_setCode', EMITTER, EMITTER_CODE)
  return {
    ...node,
    emit: (number, from = 0) =>
      call<Hex>('eth_sendTransaction', {
        from: account(from).address,
        to: EMITTER,
        data: topicOf(number),
        gas: '0x186a0',
        gasPrice: '0x12a05f200',
      }),
    tick: () => call('preconf_advance', { ticks: 1 }),
    seal: () => call('preconf_seal'),
    changes: (id) => call('eth_getFilterChanges', id),
  }
}
