import type { ChainCapture } from '../../chain/chainCapture.ts'
import type { ForkOrigin } from '../../chain/forkedBase.ts'
import { fromHex, type Hex, optionalQuantity, toHex } from '../../primitives/hex.ts'
import { isObject, jsonIn } from '../../primitives/json.ts'
import type { JsonFields } from '../jsonFields.ts'
import { headerFromJson, headerToJson } from './blockJson.ts'
import { changeText, clearingDiffText } from './diffsText.ts'
import type { Chunks } from './statesText.ts'

/**
 * The block that a forked chain stands on as JSON text, with what is known of its state, and what
 * was changed on top of it up to the first block whose state is known. It names no upstream.
 *
 * @param codes - receives the hashes of the codes that are named
 */
export function* forkText(
  { chainId, number, hash, header, json, firstBaseFee, remote }: ForkOrigin,
  { store, blocks }: Pick<ChainCapture, 'store' | 'blocks'>,
  codes: Set<Hex>,
): Chunks {
  const fields = {
    chain_id: chainId,
    number,
    hash: toHex(hash),
    first_base_fee: optionalQuantity(firstBaseFee),
    header: headerToJson(header),
    // As a text in JSON: it is answered unchanged, and never parsed.
    block: json && JSON.stringify(json),
  }
  yield `${JSON.stringify(fields).slice(0, -1)},\n"known":`
  yield* clearingDiffText(yield* remote.known(), codes)
  const first = blocks.find(({ states }) => states !== undefined)?.states
  if (first === undefined) throw new Error('No block of the chain has a state')
  yield ',\n"changes":'
  yield* clearingDiffText(yield* store.writtenAt(first.sealed.version), codes)
  const [oldest] = blocks
  if (oldest?.block.number === number && oldest.states !== undefined) {
    yield* changeText('cheats', store, oldest.states.sealed, oldest.states.final, codes)
  }
  yield '}'
}

/** The block that a state file's chain stands on, as the file has it. */
export interface SavedFork extends Omit<ForkOrigin, 'remote'> {
  readonly fields: JsonFields
}

/** The block that the chain of a dump stands on; `undefined` if it is not a fork. */
export function forkOf({ own }: { readonly own: JsonFields | undefined }): SavedFork | undefined {
  const json = own?.object('fork')
  if (json === undefined) return undefined
  return {
    fields: json,
    chainId: Number(json.requiredNumber('chain_id')),
    number: Number(json.requiredNumber('number')),
    hash: fromHex(json.requiredBytes('hash', 32)),
    header: headerFromJson(json.requiredObject('header')),
    json: json.has('block') ? blockFromText(json) : undefined,
    firstBaseFee: json.number('first_base_fee', 256),
  }
}

function blockFromText(json: JsonFields): Readonly<Record<string, unknown>> {
  const block = jsonIn(json.text('block'))
  if (isObject(block)) return block
  throw json.error('block', 'is not a block in JSON')
}
