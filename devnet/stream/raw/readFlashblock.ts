import type { ListedStep, Opening, Slice } from '../../chain/replica.ts'
import { reservedFromJson } from '../../persistence/dump/blockJson.ts'
import { readCheat, readCodes, readDiff } from '../../persistence/dump/diffsText.ts'
import { hardforkFromJson, limitsFromJson } from '../../persistence/dump/forksJson.ts'
import { JsonFields } from '../../persistence/jsonFields.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import { type Paced, runAtOnce } from '../../primitives/paced.ts'
import type { Codes } from '../../state/codes.ts'

/** A message of a flashblock stream, as a replica reads it. */
export interface ReceivedFlashblock {
  readonly payloadId: Hex
  readonly index: number
  readonly slice: Slice
}

/**
 * Reads a message of a stream in profile `plain`.
 *
 * @param source - name of the stream in errors
 * @param codes - receives the codes that the message brings
 * @throws {ChainFileError} if a field is missing or malformed, or the hash of a code is wrong
 */
export function* readFlashblock(
  text: string,
  source: string,
  codes: Codes,
): Paced<ReceivedFlashblock> {
  const message = yield* JsonFields.parse(source, text)
  const base = message.object('base')
  const metadata = message.requiredObject('metadata')
  const senders = metadata.object('senders')
  const payloadId = message.requiredBytes('payload_id', 8)
  const index = message.integer('index')
  const diff = message.requiredObject('diff')
  yield* readCodes(metadata.objectOrEmpty('codes'), codes)
  return {
    payloadId,
    index,
    slice: {
      opening: base === undefined ? undefined : readOpening(base, metadata),
      transactions: diff.bytesList('transactions').map(fromHex),
      gasUsed: diff.requiredNumber('gas_used'),
      receiptsRoot: diff.requiredBytes('receipts_root', 32),
      steps: [...metadata.objects('steps')].map((step) => readStep(step, codes)),
      senders: new Map(
        senders?.names().map((hash) => [hash, senders.requiredBytes(hash, 20)] as const),
      ),
    },
  }
}

function readOpening(base: JsonFields, metadata: JsonFields): Opening {
  const reserved = metadata.object('reserved')
  return {
    parentHash: base.requiredBytes('parent_hash', 32),
    number: base.requiredNumber('block_number'),
    timestamp: base.requiredNumber('timestamp'),
    gasLimit: base.requiredNumber('gas_limit'),
    baseFeePerGas: base.requiredNumber('base_fee_per_gas', 256),
    coinbase: fromHex(base.requiredBytes('fee_recipient', 20)),
    prevRandao: fromHex(base.requiredBytes('prev_randao', 32)),
    parentBeaconBlockRoot: fromHex(base.requiredBytes('parent_beacon_block_root', 32)),
    chainId: Number(metadata.requiredNumber('chain_id')),
    limits: limitsFromJson(metadata, hardforkFromJson(metadata)),
    reserved: reserved === undefined ? undefined : reservedFromJson(reserved),
    isReorg: metadata.flag('reorg'),
  }
}

function readStep(step: JsonFields, codes: Codes): ListedStep {
  const after = Number(step.requiredNumber('after'))
  const diff = runAtOnce(readDiff(step, codes))
  return { after, diff, cheat: after === 0 ? undefined : readCheat(step) }
}
