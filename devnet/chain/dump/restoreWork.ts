import type { Engine } from '../../engine/engine.ts'
import type { ForkRules } from '../../engine/forks.ts'
import type { StateDiff } from '../../state/types.ts'
import type { SealedBlock } from '../block.ts'
import { fromHex } from '../bytes.ts'
import type { NextBlockChoices, StandingChoices } from '../chainState.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import type { SavedWork } from '../origin.ts'
import type { ChainTransaction } from '../transaction.ts'
import type { TransactionReader } from './transactionReader.ts'

/**
 * What the chain was doing when it was saved.
 *
 * @param own - `pending_node` of the dump
 * @throws {ChainFileError}
 */
export async function restoreWork(
  own: JsonFields,
  head: SealedBlock,
  cheatDiffs: readonly StateDiff[],
  engine: Engine,
  reader: TransactionReader,
): Promise<SavedWork> {
  const pending = own.requiredObject('pending')
  const timestamp = pending.requiredNumber('timestamp')
  const rules = engine.schedule.at(head.header.number + 1n, timestamp)
  const executed: { transaction: ChainTransaction; tick: number }[] = []
  for (const entry of pending.objects('transactions')) {
    const transaction = await restoreSigned(entry, rules, reader)
    executed.push({ transaction, tick: Number(entry.requiredNumber('tick')) })
  }
  const mempool: ChainTransaction[] = []
  for (const entry of own.objects('mempool')) {
    mempool.push(await restoreSigned(entry, rules, reader))
  }
  const next = readNext(own.requiredObject('next'))
  // Without transactions and with time going on, the block that opened then would be sealed with a time long past.
  const isFixed = executed.length > 0 || own.requiredObject('clock').has('stopped')
  return {
    firstHead: Math.min(Number(own.requiredNumber('first_head')), head.number),
    cheatDiffs,
    standing: readStanding(own.requiredObject('standing'), Number(own.requiredNumber('chain_id'))),
    next,
    pending: {
      timestamp: isFixed ? timestamp : undefined,
      ticks: Number(pending.requiredNumber('ticks')),
      executed,
    },
    mempool,
  }
}

function restoreSigned(
  json: JsonFields,
  rules: ForkRules,
  reader: TransactionReader,
): Promise<ChainTransaction> {
  const raw = fromHex(json.requiredBytes('raw'))
  return reader.read(raw, json.bytes('impersonated_sender', 20), rules)
}

function readNext(json: JsonFields): NextBlockChoices {
  const timestamp = json.number('timestamp')
  const baseFeePerGas = json.number('base_fee', 256)
  const prevRandao = json.bytes('prevrandao', 32)
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
    ...(prevRandao === undefined ? {} : { prevRandao: fromHex(prevRandao) }),
  }
}

function readStanding(json: JsonFields, chainId: number): StandingChoices {
  return {
    coinbase: fromHex(json.requiredBytes('coinbase', 20)),
    gasLimit: json.requiredNumber('gas_limit'),
    chainId,
    timestampInterval: json.number('timestamp_interval'),
    minGasPrice: json.number('min_gas_price', 256) ?? 0n,
    impersonated: new Set(json.bytesList('impersonated', 20)),
    impersonateAll: json.flag('impersonate_all'),
  }
}
