/*
 * What `plugin/` uses besides the public API in `index.ts` and the table of options. Importing this
 * module loads only small modules without dependencies; the others are loaded on demand.
 */
export { integerFromText, nearestName, optionFlag } from './options/optionText.ts'
export {
  type AbiEntry,
  AbiError,
  type AbiValue,
  decodeParameters,
  readAbi,
} from './primitives/abi.ts'
export { ChainFileError, DevnetError, ErrorCode, OptionError } from './primitives/errors.ts'
export { isBytes, isHex, quantity, toHex } from './primitives/hex.ts'
export { isObject, parseForeign } from './primitives/json.ts'
export { lazy, memoize } from './primitives/memo.ts'
export { printable, printableJson, printableLines } from './primitives/printable.ts'
export { encodeRlpString } from './primitives/rlp.ts'
export { SerialQueue } from './primitives/serialQueue.ts'
export { MAX_TIMER_DELAY } from './primitives/timers.ts'
export { reportInternalError, tell, tellDefect } from './primitives/warn.ts'
export { failureMessage, shortened, shownParameters } from './rpc/redaction.ts'

/** Loads the validation of options. */
export const loadOptions = () => import('./options/options.ts')

/** Loads the version of this package. */
export const loadPackageVersion = async (): Promise<string> =>
  (await import('./rpc/nodeInfo.ts')).packageVersion
