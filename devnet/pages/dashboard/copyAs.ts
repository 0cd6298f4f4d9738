import type { DecodedArgument } from '../../rpc/naming/types.ts'

/** A transaction or a call that programs outside of the page shall repeat. */
export interface CopiedCall {
  /** Default: the program chooses */
  readonly from?: string | undefined
  /** `null` creates a contract. */
  readonly to: string | null
  /** wei */
  readonly value: bigint
  /** All of it, in hexadecimal. */
  readonly data: string
  /** Canonical, e.g. `transfer(address,uint256)`, to which `args` belong. */
  readonly functionSignature?: string | undefined
  /** As cast takes them: see {@link castArguments}. */
  readonly args?: readonly string[] | undefined
  /** True for `eth_call`, which changes nothing. */
  readonly isRead?: boolean | undefined
}

/** The same call for three programs. */
export interface Copies {
  readonly viem: string
  readonly cast: string
  readonly curl: string
}

/**
 * Texts that repeat a call. Values come from contracts and transactions: what a shell or a terminal
 * could take for anything but text stands in them in hexadecimal only.
 *
 * @param url - of the node
 * @throws {TypeError} if an address or the data is not hexadecimal
 */
export function copiesOf(call: CopiedCall, url: string): Copies {
  const { from, to, value, data, isRead = false } = call
  for (const hex of [from, to, data]) {
    if (hex != null && !/^0x[0-9a-fA-F]*$/.test(hex)) throw new TypeError('Not hexadecimal.')
  }
  return {
    viem: viemText(call, url),
    cast: castText(call, url),
    curl: curlText(
      isRead ? 'eth_call' : 'eth_sendTransaction',
      [
        {
          ...(from === undefined ? {} : { from }),
          ...(to === null ? {} : { to }),
          ...(value === 0n ? {} : { value: `0x${value.toString(16)}` }),
          ...(data === '0x' ? {} : { data }),
        },
        ...(isRead ? ['latest'] : []),
      ],
      url,
    ),
  }
}

function curlText(method: string, params: readonly unknown[], url: string): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return `curl ${quoted(url)} -H 'content-type: application/json' -d ${quoted(body)}`
}

function viemText({ from, to, value, data, isRead = false }: CopiedCall, url: string): string {
  const fields = [
    ...(from === undefined ? [] : [`account: '${from}'`]),
    // Without this, viem requires a chain definition, and a devnet may have any chain id.
    ...(isRead ? [] : ['chain: null']),
    ...(to === null ? [] : [`to: '${to}'`]),
    ...(value === 0n ? [] : [`value: ${value}n`]),
    ...(data === '0x' ? [] : [`data: '${data}'`]),
  ]
  const [client, action] = isRead ? ['Public', 'call'] : ['Wallet', 'sendTransaction']
  const transport = `http(${JSON.stringify(url)})`
  return `await create${client}Client({ transport: ${transport} }).${action}({ ${fields.join(', ')} })`
}

function castText(call: CopiedCall, url: string): string {
  const { from, to, value, data, isRead = false, functionSignature: signature, args } = call
  const options = [
    '--rpc-url',
    quoted(url),
    ...(isRead || from === undefined ? [] : ['--unlocked']),
    ...(from === undefined ? [] : ['--from', from]),
    ...(value === 0n ? [] : ['--value', String(value)]),
  ]
  const plain = signature !== undefined && args !== undefined && [signature, ...args].every(isPlain)
  const called = plain ? [signature, ...args].map(quoted) : data === '0x' ? [] : [data]
  // After the two dashes no argument is an option.
  const rest = to === null ? ['--create', data] : ['--', to, ...called]
  return ['cast', isRead ? 'call' : 'send', ...options, ...rest].join(' ')
}

/**
 * Text that means the same between single quotes in sh, fish and PowerShell, and that a terminal
 * pastes as it is: control characters could end the paste and run the rest.
 */
function isPlain(text: string): boolean {
  return /^[ -~]+$/.test(text) && !/['\\]/.test(text)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Arguments as cast takes them; `undefined` if one was cut, or cast could misread it. */
export function castArguments(list: readonly DecodedArgument[]): string[] | undefined {
  const texts = list.map(castArgument)
  return texts.every((text) => text !== undefined) ? texts : undefined
}

function castArgument({ type, value, omitted }: DecodedArgument): string | undefined {
  if (omitted !== undefined) return undefined
  if (typeof value === 'object') {
    const inner = castArguments(value)?.join(',')
    if (inner === undefined) return undefined
    return type.endsWith(')') ? `(${inner})` : `[${inner}]`
  }
  // Commas, brackets and quotes mean something inside of lists.
  if (type === 'string') return /^"(\w(?:[\w. -]*\w)?)"$/.exec(value)?.[1]
  // A word may follow, as "(unlimited)".
  return /^(-?\d+|0x[0-9a-fA-F]*|true|false)(?: \(.*\))?$/.exec(value)?.[1]
}
