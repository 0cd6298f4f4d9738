/*
 * What `plugin/` uses besides the public API in `index.ts` and the table of options. Importing this
 * module loads only small modules without dependencies; the others are loaded on demand.
 */
import type { Explore } from './explore/types.ts'
import type { ContractSource } from './options/contracts.ts'
import { reportInternalError } from './primitives/warn.ts'
import type { DevAccount } from './types.ts'

export { ExploreError } from './explore/exploreError.ts'
export type * from './explore/types.ts'
export { integerFromText, nearestName, optionFlag } from './options/optionText.ts'
export type { KindName, Profile } from './options/profile.ts'
export type { AbiEntry, AbiValue } from './primitives/abi.ts'
export { count, etherText } from './primitives/amounts.ts'
export {
  ChainFileError,
  DevnetError,
  ErrorCode,
  OptionError,
  plainText,
  reasonOf,
} from './primitives/errors.ts'
export { boundedText, LongBodyError, readForeignFile } from './primitives/foreign.ts'
export { isBytes, isHex, isSameHex, quantity, quantityFrom, toHex } from './primitives/hex.ts'
export { integerOr, isObject, jsonIn, parseForeignInPieces } from './primitives/json.ts'
export { lazy, memoize } from './primitives/memo.ts'
export { type Paced, runPaced } from './primitives/paced.ts'
export { printable, printableJson, printableLines } from './primitives/printable.ts'
export { encodeRlpString } from './primitives/rlp.ts'
export { SerialQueue } from './primitives/serialQueue.ts'
export { MAX_TIMER_DELAY } from './primitives/timers.ts'
export { TurnTime } from './primitives/turnTime.ts'
export { foldedRows } from './primitives/visible.ts'
export { reportInternalError, tell, tellDefect } from './primitives/warn.ts'
export type { CallNames } from './rpc/naming/contractNames.ts'
export { failureMessage, shortened, shownParameters } from './rpc/redaction.ts'

/** Loads the validation of options. */
export const loadOptions = () => import('./options/options.ts')

/** Loads what plays a test under schedules of faults. */
export const loadExplore = async (): Promise<Explore> =>
  (await import('./explore/search.ts')).search

/** True if a file is a recording of a fork that makes its URL unnecessary. */
export const isPlayed = async (recording: string): Promise<boolean> =>
  (await import('./upstream/cache/recording.ts')).isPlayed(recording)

/** Loads how each network shows its ticks, with the headings of the rows and the sources. */
export const loadProfiles = async () => ({
  ...(await import('./options/profile.ts')),
  ...(await import('./options/profileSources.ts')),
  ...(await import('./options/profileTable.ts')),
})

/**
 * The accounts of a mnemonic.
 *
 * @throws {OptionError} if it is not valid
 */
export async function accountsOf(mnemonic: string, count: number): Promise<readonly DevAccount[]> {
  const [{ deriveAccounts }, { loadCrypto }] = await Promise.all([
    import('./chain/devAccounts.ts'),
    import('./engine/crypto.ts'),
  ])
  return deriveAccounts(mnemonic, count, await loadCrypto())
}

/** Loads what names calls and contracts, and decodes calls, events and errors. */
export async function loadNaming(contracts?: ContractSource) {
  const [{ loadCrypto }, { readAbi }, names, calls, { eventValues, isOf, ...events }, lookup] =
    await Promise.all([
      import('./engine/crypto.ts'),
      import('./primitives/abi.ts'),
      import('./rpc/naming/contractNames.ts'),
      import('./rpc/naming/decodeCall.ts'),
      import('./rpc/naming/decodeEvent.ts'),
      import('./rpc/naming/entryLookup.ts'),
    ])
  const { keccak256 } = await loadCrypto()
  const source = names.createNaming({ contracts, keccak256, onInternalError: reportInternalError })
  return { ...names, ...calls, ...events, ...lookup, eventValues, isOf, keccak256, readAbi, source }
}

/** Loads what keeps a token for each project. */
export const loadProjectToken = async () => (await import('./server/projectToken.ts')).projectToken

/** Loads the version of this package, and of what it is built on. */
export const loadManifest = async () => (await import('./rpc/nodeInfo.ts')).manifest

/** Loads what executes a transaction of a node again, on both engines. */
export const loadExecutionReport = () => import('./node/executionReport.ts')
