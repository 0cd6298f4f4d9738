import { printable } from './printable.ts'

/** Error codes of JSON-RPC 2.0 and those that Ethereum nodes add. */
export const ErrorCode = {
  /** The call or transaction reverted; `data` holds the revert bytes (geth). */
  executionReverted: 3,
  /** The transaction was accepted but not included within the time limit (EIP-7966). */
  syncTimeout: 4,
  /** The transaction was accepted but cannot be included (EIP-7966). */
  syncRejected: 5,
  /** The transaction was not accepted: it is behind a nonce gap (EIP-7966). */
  nonceGap: 6,
  /** The request body is not JSON (JSON-RPC 2.0). */
  parse: -32700,
  /** The body is JSON, but not a request object (JSON-RPC 2.0). */
  invalidRequest: -32600,
  /** Unknown method (JSON-RPC 2.0). */
  methodNotFound: -32601,
  /** Missing, malformed or superfluous parameters (JSON-RPC 2.0). */
  invalidParams: -32602,
  /** Internal error of this node (JSON-RPC 2.0). */
  internal: -32603,
  /** A valid request that cannot be served now; geth's code for all rejections by its mempool. */
  server: -32000,
  /** The block, transaction or state asked for does not exist (EIP-1474, EIP-1898). */
  resourceNotFound: -32001,
  /** A limit of this node was reached (EIP-1474). */
  limitExceeded: -32005,
  /** The node no longer keeps that part of the history (execution-apis). */
  prunedHistory: 4444,
} as const

/** Maximum characters of another node's message: some patterns are slow on long texts. */
export const LONGEST_MESSAGE = 2_000

/** A message that may quote a stranger, cut, and without what could control a terminal. */
export function presentable(message: string): string {
  return shorten(printable(shorten(message, LONGEST_MESSAGE)), LONGEST_MESSAGE)
}

/**
 * Base of the errors that this package throws on purpose while it serves a request. `message` is
 * sent to the client as it is, so it says what is wrong and, if possible, what to do about it.
 */
export class DevnetError extends Error {
  override name = 'DevnetError'
  readonly code: number
  /** JSON-RPC error data: revert bytes, or a hash or nonce (EIP-7966); `undefined` if none. */
  readonly data: unknown
  /** True if it is a {@link RejectedError}, also if another thread has thrown it. */
  readonly isRejection: boolean = false

  /** @param message - made {@link presentable}, unless data come with it: the reason of a revert */
  constructor(code: number, message: string, options: { cause?: unknown; data?: unknown } = {}) {
    const shown = options.data === undefined ? presentable(message) : message
    super(shown, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = options.data
  }
}

/** A parameter is missing, malformed or out of range: code -32602. */
export class InvalidParamsError extends DevnetError {
  override name = 'InvalidParamsError'
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(ErrorCode.invalidParams, message, options)
  }
}

/** The request is valid, but refused in the current state: code -32000. */
export class RefusedError extends DevnetError {
  override name = 'RefusedError'
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(ErrorCode.server, message, options)
  }
}

/**
 * A transaction, or a call, that its sender cannot pay for, that breaks a rule of the chain, or for
 * which the mempool has no room: code -32000 as on geth, another one on networks of reth.
 */
export class RejectedError extends RefusedError {
  override name = 'RejectedError'
  override readonly isRejection: boolean = true
}

/** This node does not have the block, or its state (EIP-1898). */
export function blockNotFound(reference: string): DevnetError {
  return new DevnetError(ErrorCode.resourceNotFound, `block not found: ${reference}`)
}

/** A limit of this node was reached: code -32005. */
export class LimitError extends DevnetError {
  override name = 'LimitError'
  constructor(message: string) {
    super(ErrorCode.limitExceeded, message)
  }
}

/**
 * A genesis file, block file or state file is missing or damaged, fails verification, or cannot be
 * written. The message names the file and the place in it.
 */
export class ChainFileError extends Error {
  override name = 'ChainFileError'

  /** @param message - may quote the file: made {@link presentable} */
  constructor(message: string, options?: ErrorOptions) {
    super(presentable(message), options)
  }
}

/** An option is unknown, malformed or out of range. */
export class OptionError extends Error {
  override name = 'OptionError'

  /** @param message - may quote a file or a node: made {@link presentable} */
  constructor(message: string, options?: ErrorOptions) {
    super(presentable(message), options)
  }
}

/** A bug in this package: it used the state in an unsupported way. Code -32603. */
export class StateUsageError extends DevnetError {
  override name = 'StateUsageError'
  constructor(message: string) {
    super(ErrorCode.internal, message)
  }
}

/** The request has more parameters than the method takes. */
export function tooManyArguments(most: number): InvalidParamsError {
  return new InvalidParamsError(`too many arguments, want at most ${most}`)
}

/** The message of whatever was thrown; that of its first cause if it has none of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return plainText(error)
  // Node.js has no message for an aggregate, which it throws if none of a host's addresses answers.
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  return error.message === '' && inner instanceof Error ? inner.message : error.message
}

/** Text of any value. An object is not asked for it: foreign JSON may name a field `toString`. */
export function plainText(value: unknown): string {
  return Object(value) === value ? 'an object' : String(value)
}

/** Cuts text from a client to `longest` characters, so that it fits into a message. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}

/** The error object of a JSON-RPC 2.0 answer. */
export interface ErrorBody {
  readonly code: number
  readonly message: string
  /** Left out of the answer if `undefined`. */
  readonly data?: unknown
}
