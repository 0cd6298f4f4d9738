import { parseOptions } from '../options/options.ts'
import { readState } from '../persistence/accountsJson.ts'
import { headerFromJson, headerToJson } from '../persistence/dump/blockJson.ts'
import { accountsText } from '../persistence/dump/statesText.ts'
import { JsonFields } from '../persistence/jsonFields.ts'
import { plainText, RefusedError } from '../primitives/errors.ts'
import { fromHex, type Hex, quantity, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { runAtOnce } from '../primitives/paced.ts'
import { headerContext } from '../protocol/environment.ts'
import { TransactionRefused } from '../protocol/transactionRefused.ts'
import { addressKey } from '../state/keys.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import { loadChain } from './loadChain.ts'

type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>
type Fields = Readonly<Record<string, unknown>>

/** All that the execution of a transaction depends on, and the node's result, as JSON. */
export type ExecutionRecord = Awaited<ReturnType<typeof recordExecution>>

/**
 * Reads a transaction that a pending-node has executed, sealed or pre-confirmed.
 *
 * @param ask - sends a request to the node; resolves with the result
 * @throws {RefusedError} if the node has not executed it, or it paid an L1 fee
 */
export async function recordExecution(hash: Hex, profile: string, ask: Ask) {
  const trace = (tracer: string, tracerConfig: object) =>
    read(ask, 'debug_traceTransaction', hash, { tracer, tracerConfig, timeout: '60s' })
  const receipt = await read(ask, 'preconf_getTransactionReceipt', hash)
  const { from, blockNumber, status, gasUsed } = receipt
  if ('l1Fee' in receipt) throw new RefusedError('It paid an L1 fee, which a report cannot hold.')
  const pending = await read(ask, 'eth_getBlockByNumber', 'pending', false)
  // A block that is sealed meanwhile keeps its number.
  const isPending = pending.number === blockNumber
  const block = isPending ? pending : await read(ask, 'eth_getBlockByNumber', blockNumber, false)
  const logs = [...new JsonFields('The node', '', receipt).objects('logs')]
  const blockHashes: Record<Hex, unknown> = {}
  // The second tracer makes this run use the library, so the record has all that it reads.
  const before = await trace('muxTracer', { prestateTracer: {}, '4byteTracer': {} })
  const prestate: Record<Hex, unknown> = {}
  const sent = new JsonFields('The node', '', await read(ask, 'eth_getTransactionByHash', hash))
  // The tracer starts before authorizations apply, so it misses the code that they set.
  for (const authorization of sent.objects('authorizationList')) {
    const address = authorization.requiredBytes('address', 20)
    const code = await ask('eth_getCode', address, isPending ? 'pending' : blockNumber)
    prestate[address] = { code }
  }
  const { post: state } = await trace('prestateTracer', { diffMode: true })
  const hardfork = plainText((await read(ask, 'anvil_nodeInfo')).hardFork).toLowerCase()
  return {
    rules: { hardfork, chainId: await ask('eth_chainId'), profile },
    block: headerToJson(headerFromJson(new JsonFields('The node', 'block.', block))),
    transaction: { hash, from, raw: await ask('eth_getRawTransactionByHash', hash) },
    prestate: Object.assign(prestate, before.prestateTracer),
    blockHashes,
    node: {
      status,
      gasUsed,
      logs: logs.map((log) => [log.bytes('address'), log.bytesList('topics'), log.bytes('data')]),
      state,
    },
  }
}

/** @throws {RefusedError} if the answer is no object */
async function read(ask: Ask, method: string, ...params: readonly unknown[]): Promise<Fields> {
  const answer = await ask(method, ...params)
  if (isObject(answer)) return answer
  throw new RefusedError(`${method} answers nothing: the node has executed no such transaction.`)
}

/**
 * Executes a recorded transaction on an engine.
 *
 * @param ask - finds the block hashes that the record lacks, which are added
 * @returns the result in the form of the node's, with all accounts of the state
 * @throws {ChainFileError} if the record is malformed
 */
export async function executeRecorded(
  record: ExecutionRecord,
  choice: 'fast' | 'library',
  ask: Ask,
): Promise<Fields> {
  const json = new JsonFields('The report', '', record)
  const blockHashes = async (number: bigint) => {
    const name = quantity(number)
    record.blockHashes[name] ??= (await read(ask, 'eth_getBlockByNumber', name, false)).hash
    return fromHex(json.requiredObject('blockHashes').requiredBytes(name, 32))
  }
  // No other options: a stranger's file must not name one to read, or an upstream.
  const { hardfork, chainId, profile } = record.rules
  const options = parseOptions({ hardfork, chainId, profile, engine: choice })
  const { engine } = await loadChain(options, new AbortController().signal)
  const executor = await engine.executor()
  const store = new VersionedStore(engine.codes)
  store.commit(runAtOnce(readState(json.requiredObject('prestate'), engine.codes)))
  const header = headerFromJson(json.requiredObject('block'))
  const sent = json.requiredObject('transaction')
  const from = fromHex(sent.requiredBytes('from', 20))
  const { fields } = executor.identify(executor.decode(fromHex(sent.requiredBytes('raw'))), from)
  const machine = await executor.acquire(store.view(), blockHashes)
  // The node accepted it: a sender with code was impersonated.
  machine.overlay.presentAsEoaOnce(addressKey(from))
  try {
    const block = headerContext({ header, rules: executor.rules })
    const { success, gasUsed, logs } = await executor.run(machine, fields, block)
    store.commit(machine.overlay.takeDiff())
    return {
      status: quantity(Number(success)),
      gasUsed: quantity(gasUsed),
      logs: logs.map(([address, topics, data]) => [toHex(address), topics.map(toHex), toHex(data)]),
      state: JSON.parse([...accountsText(store, store.view(), new Set())].join('')),
    }
  } catch (error) {
    if (error instanceof TransactionRefused) return { status: error.message }
    throw error
  }
}

/** The first part in which a result differs from the first one, the node's. */
export function differingPart(node: Fields, fast: Fields, library: Fields): string | undefined {
  return ['status', 'gasUsed', 'logs', 'state'].find(
    (part) =>
      JSON.stringify(fast[part]) !== JSON.stringify(library[part]) ||
      !holds(fast[part], node[part]),
  )
}

/** True if `value` has all of `part`, and lists of the same length; hashes of codes are ignored. */
function holds(value: unknown, part: unknown): boolean {
  if (!(value instanceof Object && part instanceof Object)) return value === part
  if (Array.isArray(part)) return JSON.stringify(value) === JSON.stringify(part)
  const whole: Fields = { ...value }
  return Object.entries(part).every(([name, own]) => name === 'codeHash' || holds(whole[name], own))
}
