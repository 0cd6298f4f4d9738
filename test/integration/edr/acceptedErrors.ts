import { ErrorCode } from '../../../devnet/errors.ts'
import type { RpcError } from './peer.ts'

/** Words of EDR, and what our node says in their place. Groups of the same name must hold the same text. */
interface Pair {
  readonly theirs: RegExp
  readonly ours: RegExp
  /** JSON-RPC codes; where one stands, both have it. */
  readonly code: number | { readonly ours: number; readonly theirs: number }
}

/** What differs for one reason. */
interface Group {
  readonly why: string
  readonly pairs: readonly Pair[]
}

const { executionReverted, server, invalidParams, resourceNotFound } = ErrorCode
const EDR_VM = 'VM Exception while processing transaction: '

const pair = (theirs: string, ours: string, code: Pair['code'] = server): Pair => ({
  theirs: new RegExp(`^${theirs}$`, 's'),
  ours: new RegExp(`^${ours}$`, 's'),
  code,
})

const reverted = (theirs: string, ours: string): Pair => pair(theirs, ours, executionReverted)

const halted = (theirs: string, ours: string): Pair =>
  pair(theirs, ours, { ours: server, theirs: executionReverted })

const panic = (code: string, theirs: string, ours: string): Pair =>
  reverted(`${EDR_VM}reverted with panic code ${code} \\(${theirs}\\)`, `execution reverted: ${ours}`)

/** Every difference between the errors of both nodes that is meant. A pair that is not here is a failure. */
export const ACCEPTED_ERRORS: readonly Group[] = [
  {
    why: "DESIGN.md §7: a revert has geth's words, in every method; code and data are the same",
    pairs: [
      reverted('Transaction reverted without a reason string', 'execution reverted'),
      reverted(
        `${EDR_VM}reverted with reason string '(?<reason>.*)'`,
        'execution reverted: (?<reason>.*)',
      ),
      reverted(
        `${EDR_VM}reverted with an unrecognized custom error \\(return data: 0x[0-9a-f]*\\)`,
        'execution reverted',
      ),
      reverted(`${EDR_VM}reverted with unknown panic code 0x0`, 'execution reverted: generic panic'),
      reverted(
        `${EDR_VM}reverted with unknown panic code (?<panic>0x.*)`,
        'execution reverted: unknown panic code: (?<panic>0x.*)',
      ),
      panic('0x1', 'Assertion error', 'assert\\(false\\)'),
      panic('0x11', 'Arithmetic operation .*', 'arithmetic underflow or overflow'),
      panic('0x12', 'Division or modulo .*', 'division or modulo by zero'),
      panic('0x21', 'Tried to convert .*', 'enum overflow'),
      panic('0x22', 'Incorrectly encoded .*', 'invalid encoded storage byte array accessed'),
      panic('0x31', '\\.pop\\(\\) .*', 'out-of-bounds array access; popping on an empty array'),
      panic('0x32', 'Array accessed .*', 'out-of-bounds access of an array or bytesN'),
      panic('0x41', 'Too much memory .*', 'out of memory'),
      panic('0x51', 'Called a zero-initialized .*', 'uninitialized function'),
    ],
  },
  {
    why: "DESIGN.md §7: code 3 and data are for reverts; what halts otherwise has geth's words and code -32000. EDR takes it for a revert without data",
    pairs: [
      halted(`${EDR_VM}invalid opcode`, 'invalid opcode: .*'),
      halted('Transaction reverted without a reason string', 'stack underflow'),
      halted('Transaction reverted without a reason string', 'stack limit reached 1024 \\(1023\\)'),
      halted('Transaction reverted without a reason string', 'invalid jump destination'),
      halted(
        `${EDR_VM}reverted with an unrecognized custom error \\(return data: 0xef\\)`,
        'invalid code: must not begin with 0xef',
      ),
      halted('Transaction reverted: trying to deploy .* too large', 'max code size exceeded'),
      pair('Transaction ran out of gas', 'out of gas'),
      pair('Transaction ran out of gas', 'gas required exceeds allowance \\(\\d+\\)'),
    ],
  },
  {
    why: "DESIGN.md §7: geth's words for what a pool refuses, where clients match on them; the code is the same",
    pairs: [
      pair(
        'Transaction nonce too low\\. Expected nonce to be at least (?<next>\\d+) but got (?<nonce>\\d+)\\.',
        'nonce too low: next nonce (?<next>\\d+), tx nonce (?<nonce>\\d+)',
      ),
      pair(
        "Sender doesn't have enough funds to send tx\\. The max upfront cost is: (?<want>\\d+) and the sender's balance is: (?<have>\\d+)\\.",
        'insufficient funds for gas \\* price \\+ value: have (?<have>\\d+) want (?<want>\\d+)',
      ),
      pair(
        'Transaction requires at least (?<want>\\d+) gas but got (?<have>\\d+)',
        'intrinsic gas too low: gas (?<have>\\d+), minimum needed (?<want>\\d+)',
      ),
      pair(
        'Transaction requires at least (?<want>\\d+) gas but got (?<have>\\d+)',
        'intrinsic gas too low: have (?<have>\\d+), want (?<want>\\d+)',
      ),
      pair(
        'Transaction requires gas floor of (?<want>\\d+) but got limit of (?<have>\\d+)',
        'insufficient gas for floor data gas cost: gas (?<have>\\d+), minimum needed (?<want>\\d+)',
      ),
      pair(
        'Transaction gas limit is (?<gas>\\d+) and exceeds transaction gas cap of (?<cap>\\d+)',
        'transaction gas limit too high \\(cap: (?<cap>\\d+), tx: (?<gas>\\d+)\\)',
      ),
      pair(
        'maxPriorityFeePerGas \\((?<tip>\\d+)\\) is bigger than maxFeePerGas \\((?<cap>\\d+)\\)',
        'max priority fee per gas higher than max fee per gas:.* maxPriorityFeePerGas: (?<tip>\\d+), maxFeePerGas: (?<cap>\\d+)',
      ),
      pair('Cannot send both gasPrice and max.*', 'both gasPrice and \\(max.*\\) specified'),
      pair('Known transaction: 0x[0-9a-f]{64}', 'already known'),
      pair('Replacement transaction underpriced\\. .*', 'replacement transaction underpriced'),
      pair(
        'Contract creation without any data provided',
        'contract creation without any data provided',
      ),
      pair('create initcode size limit', 'max initcode size exceeded: .*'),
    ],
  },
  {
    why: "DESIGN.md §7: geth's pool refuses these with code -32000; to EDR they are bad parameters, or the other way round",
    pairs: [
      pair('Trying to send a raw transaction with an invalid chainId\\. .*', 'invalid chain id for signer: .*', {
        ours: server,
        theirs: invalidParams,
      }),
      pair('Invalid chainId 1 provided, expected \\d+ instead\\.', "chainId does not match node's .*", {
        ours: server,
        theirs: invalidParams,
      }),
      pair('.*init code length is (?<size>\\d+)\\..*', 'max initcode size exceeded: code size (?<size>\\d+), .*', {
        ours: server,
        theirs: invalidParams,
      }),
      pair('Invalid transaction type 0\\.', 'transaction type not supported: type 0 .*', {
        ours: server,
        theirs: invalidParams,
      }),
      pair('Invalid EIP-7702 transaction: authorization list is empty\\.', '.*authorization list is empty', {
        ours: invalidParams,
        theirs: server,
      }),
    ],
  },
  {
    why: 'DESIGN.md §7: an unknown block is code -32001 (EIP-1898)',
    pairs: [
      pair('Received invalid block tag .*\\. Latest block number is \\d+', 'block not found: .*', {
        ours: resourceNotFound,
        theirs: server,
      }),
      pair('blockHash cannot be found', 'block not found: .*', {
        ours: resourceNotFound,
        theirs: invalidParams,
      }),
    ],
  },
  {
    why: 'what a parameter must be is a bad parameter (JSON-RPC 2.0: -32602); EDR says -32000',
    pairs: [
      pair('blockCount should be at (least|most) .*', 'block count must be .*', {
        ours: invalidParams,
        theirs: server,
      }),
      pair('The reward percentile.*', 'invalid reward percentile: .*', {
        ours: invalidParams,
        theirs: server,
      }),
    ],
  },
  {
    why: 'the code of JSON-RPC 2.0 for an unknown method, as issue 4 asks',
    pairs: [
      pair('Method (?<name>.*) is not supported', 'the method (?<name>.*) does not exist/is not available', {
        ours: ErrorCode.methodNotFound,
        theirs: -32004,
      }),
    ],
  },
  {
    why: 'each names its own option',
    pairs: [
      pair(
        "Timestamp (?<time>\\d+) is equal to the previous block's timestamp\\. .*",
        "Timestamp (?<time>\\d+) is equal to the previous block's timestamp; .*",
      ),
    ],
  },
]

/**
 * Whether two errors say the same: word for word, by the table above, or both that a parameter is bad, of which each says
 * in its own words what is wrong with it.
 */
export function isAcceptedError(ours: RpcError, theirs: RpcError): boolean {
  // A revert has its bytes and nothing else in `data`; of other errors only EDR puts something there, for diagnosis.
  const sameData =
    ours.code === executionReverted ? ours.data === theirs.data : ours.data === undefined
  if (!sameData) return false
  if (ours.code === theirs.code && ours.message === theirs.message) return true
  if (ours.code === invalidParams && theirs.code === invalidParams) return true
  return ACCEPTED_ERRORS.some(({ pairs }) => pairs.some((entry) => isPair(entry, ours, theirs)))
}

function isPair(entry: Pair, ours: RpcError, theirs: RpcError): boolean {
  const codes = typeof entry.code === 'number' ? { ours: entry.code, theirs: entry.code } : entry.code
  if (codes.ours !== ours.code || codes.theirs !== theirs.code) return false
  const mine = entry.ours.exec(ours.message)
  const other = entry.theirs.exec(theirs.message)
  if (mine === null || other === null) return false
  return Object.entries(mine.groups ?? {}).every(([name, text]) => other.groups?.[name] === text)
}
