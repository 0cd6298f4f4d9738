import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Difference,
  difference,
  isObject,
  type Json,
  type JsonObject,
  shapeDifference,
} from './runDifference.ts'
import { type Schema, violation } from './runSchema.ts'
import { withReturnedHashes, wrongHeaderHash } from './runSimulated.ts'

/** Recordings to be played, by default all of a suite; a name is that of a method, or METHOD/CASE. */
export interface RunOptions extends Checks {
  readonly only?: readonly string[]
  readonly exclude?: readonly string[]
}

/** Checks besides the comparison with what is recorded. */
export interface Checks {
  /** Holds every result against the schema of its method. */
  readonly checkSchema?: boolean
  /** Computes the hash of every simulated block out of the header that the node returned. */
  readonly verifyHash?: boolean
}

export interface Outcome {
  readonly passed: number
  /** A line for each recording that did not pass: its name, the place and the difference. */
  readonly failed: readonly string[]
}

/**
 * Plays the recordings of a suite, METHOD/CASE.io, in the order of their names against a node that has the suite's
 * chain. The rules are those of the simulator rpc-compat of ethereum/hive: responses are compared as a whole, apart from
 * the messages of errors. One that is only an example ("speconly") is held against the schema of its method, or against the
 * example's shape.
 */
export async function playRecordings(
  suite: string,
  url: string,
  { only, exclude = [], ...checks }: RunOptions = {},
): Promise<Outcome> {
  const schemas = readSchemas(suite)
  const failed: string[] = []
  let passed = 0
  for (const name of recordingNames(suite)) {
    const isAmong = (names: readonly string[]) => names.some((one) => isNamed(name, one))
    if ((only !== undefined && !isAmong(only)) || isAmong(exclude)) continue
    const wrong = await playRecording(join(suite, `${name}.io`), url, { ...checks, schemas })
    if (wrong === undefined) passed++
    else failed.push(`${name}  ${wrong.path}: ${wrong.problem}`)
  }
  return { passed, failed }
}

/** The names of all recordings of a suite, METHOD/CASE, in order. */
export function recordingNames(suite: string): string[] {
  return readdirSync(suite, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: method }) =>
      readdirSync(join(suite, method))
        .filter((file) => file.endsWith('.io'))
        .map((file) => `${method}/${file.slice(0, -'.io'.length)}`),
    )
    .sort()
}

function isNamed(recording: string, name: string): boolean {
  return recording === name || recording.startsWith(`${name}/`)
}

type Schemas = Readonly<Record<string, Schema>>

function readSchemas(suite: string): Schemas {
  const file = join(suite, 'result-schemas.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** One recorded request, and the response to it. */
export interface Exchange {
  readonly request: JsonObject
  /** The request to the letter. */
  readonly text: string
  readonly response: JsonObject
}

export interface Recording {
  /** Other responses than the recorded ones are right too. */
  readonly isExample: boolean
  readonly exchanges: readonly Exchange[]
}

/**
 * Reads an .io file: lines of comments (`//`), requests (`>>`) and responses (`<<`).
 *
 * @throws Error if it is none
 */
export function parseRecording(file: string): Recording {
  const lines = file
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const isComment = (line: string) => line.startsWith('//')
  const messages = lines.filter((line) => !isComment(line))
  const exchanges: Exchange[] = []
  for (let index = 0; index < messages.length; index += 2) {
    const [sent, received] = [messages[index], messages[index + 1]]
    if (!sent?.startsWith('>>')) throw new Error(`expected a request, is ${sent}`)
    if (!received?.startsWith('<<')) throw new Error(`expected a response, is ${received}`)
    const text = sent.slice(2).trim()
    exchanges.push({ request: parsed(text), text, response: parsed(received.slice(2)) })
  }
  if (exchanges.length === 0) throw new Error('no request')
  return { isExample: lines.some((line) => /^\/\/ ?speconly:/.test(line)), exchanges }
}

function parsed(text: string): JsonObject {
  const value: Json = JSON.parse(text)
  if (isObject(value)) return value
  throw new Error(`expected an object, is ${text}`)
}

/** How the answer to a request is judged. */
export interface Rules extends Checks {
  /** Those of results, by method. */
  readonly schemas: Schemas
}

async function playRecording(
  file: string,
  url: string,
  rules: Rules,
): Promise<Difference | undefined> {
  let request = 0
  try {
    const { exchanges, isExample } = parseRecording(readFileSync(file, 'utf8'))
    for (const exchange of exchanges) {
      request++
      const wrong = judge(exchange, await post(url, exchange.text), isExample, rules)
      if (wrong === undefined) continue
      const path = request === 1 ? wrong.path : wrong.path.replace('$', `$(request ${request})`)
      return { ...wrong, path }
    }
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error))
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
    return { path: `request ${request}`, problem: reason }
  }
  return undefined
}

async function post(url: string, body: string): Promise<Json> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    signal: AbortSignal.timeout(30_000),
  })
  return JSON.parse(await response.text())
}

/** What is wrong with an answer; `undefined` if it passes. */
export function judge(
  { request, response: recorded }: Exchange,
  actual: Json,
  isExample: boolean,
  { schemas, checkSchema = false, verifyHash = false }: Rules,
): Difference | undefined {
  if (!isObject(actual)) return difference(recorded, actual)
  const method = String(request.method)
  const { result } = actual
  const schema = Object.hasOwn(schemas, method) ? schemas[method] : undefined
  const ofSchema =
    schema === undefined || result === undefined || !(checkSchema || isExample)
      ? undefined
      : violation(schema, result, '$.result')
  if (isExample && recorded.result !== undefined && result !== undefined) {
    return (
      difference({ ...recorded, result: 0 }, { ...actual, result: 0 }) ??
      (schema === undefined ? shapeDifference(recorded.result, result, '$.result') : ofSchema)
    )
  }
  if (method !== 'eth_simulateV1') return difference(recorded, actual) ?? ofSchema
  const simulated = withReturnedHashes(recorded, actual)
  if ('wrong' in simulated) return simulated.wrong
  return (
    difference(simulated.recorded, actual) ??
    ofSchema ??
    (verifyHash ? wrongHeaderHash(result) : undefined)
  )
}
