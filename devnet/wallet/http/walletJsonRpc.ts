import { ErrorCode, LimitError } from '../../primitives/errors.ts'
import { isObject } from '../../primitives/json.ts'
import {
  describeFailure,
  errorText,
  type InternalErrorListener,
  InvalidRequestError,
  NO_ID,
  readId,
  resultText,
} from '../../rpc/jsonRpc.ts'
import type { Caller } from '../../rpc/method.ts'

/** Answers one request. @throws {DevnetError} */
export type Answerer = (method: string, params: unknown, caller: Caller) => Promise<unknown>

/** What the edges of the server hand a message to. */
export interface TextHandler {
  handleText(body: string, caller: Caller): Promise<string | undefined>
}

/** Requests in one batch, which are answered as a whole; wallets have few at a time. */
const MOST_REQUESTS = 100

/** JSON-RPC 2.0 over any answerer. Requests of a batch run side by side, each answered when it is decided. */
export function createTextHandler(
  answerer: Answerer,
  onInternalError: InternalErrorListener,
): TextHandler {
  async function answer(message: unknown, caller: Caller): Promise<string | undefined> {
    let id: string | undefined = NO_ID
    let name = ''
    try {
      if (!isObject(message)) {
        throw new InvalidRequestError('invalid request: want an object')
      }
      const request: { jsonrpc?: unknown; method?: unknown; params?: unknown; id?: unknown } =
        message
      id = readId(request)
      if (request.jsonrpc !== '2.0' || typeof request.method !== 'string') {
        // What is no request is no notification either, so it is answered.
        id ??= NO_ID
        throw new InvalidRequestError('invalid request: want jsonrpc "2.0" and a method')
      }
      name = request.method
      const result = await answerer(name, request.params, caller)
      return id === undefined ? undefined : resultText(id, result)
    } catch (error) {
      const body = describeFailure(error, name, caller, onInternalError)
      return id === undefined ? undefined : errorText(id, body)
    }
  }

  async function answerBatch(messages: unknown[], caller: Caller): Promise<string | undefined> {
    if (messages.length === 0) return errorText(NO_ID, new InvalidRequestError('empty batch'))
    if (messages.length > MOST_REQUESTS) {
      const problem = `batch has ${messages.length} requests, at most ${MOST_REQUESTS} are allowed`
      return errorText(NO_ID, new LimitError(problem))
    }
    const answers = await Promise.all(messages.map((message) => answer(message, caller)))
    const texts = answers.filter((text) => text !== undefined)
    return texts.length === 0 ? undefined : `[${texts.join(',')}]`
  }

  return {
    async handleText(body, caller) {
      let message: unknown
      try {
        message = JSON.parse(body)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return errorText(NO_ID, { code: ErrorCode.parse, message: `parse error: ${reason}` })
      }
      return Array.isArray(message) ? answerBatch(message, caller) : answer(message, caller)
    },
  }
}
