import { ErrorCode } from '../../../devnet/primitives/errors.ts'
import { type AcceptedGroup, type Pair, pair } from './errorPair.ts'

const { executionReverted, server } = ErrorCode
const EDR_VM = 'VM Exception while processing transaction: '
const NO_REASON = 'Transaction reverted without a reason string'

const reverted = (theirs: string, ours: string): Pair =>
  pair(theirs, ours, { ours: executionReverted, theirs: executionReverted })

const panic = (code: string, theirs: string, ours: string): Pair =>
  reverted(
    `${EDR_VM}reverted with panic code ${code} \\(${theirs}\\)`,
    `execution reverted: ${ours}`,
  )

const halted = (theirs: string, ours: string): Pair =>
  pair(theirs, ours, { ours: server, theirs: executionReverted })

/** What both nodes say where code fails. */
export const ACCEPTED_FAILURES: readonly AcceptedGroup[] = [
  {
    why: "a revert has geth's words, in every method; code and data are the same",
    pairs: [
      reverted(NO_REASON, 'execution reverted'),
      reverted(
        `${EDR_VM}reverted with reason string '(?<reason>.*)'`,
        'execution reverted: (?<reason>.*)',
      ),
      reverted(
        `${EDR_VM}reverted with an unrecognized custom error \\(return data: 0x[0-9a-f]*\\)`,
        'execution reverted',
      ),
      reverted(
        `${EDR_VM}reverted with unknown panic code 0x0`,
        'execution reverted: generic panic',
      ),
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
    why: "code 3 and data are for reverts; what halts otherwise has geth's words and code -32000. EDR takes it for a revert without data",
    pairs: [
      halted(`${EDR_VM}invalid opcode`, 'invalid opcode: .*'),
      halted(NO_REASON, 'stack underflow'),
      halted(NO_REASON, 'stack limit reached 1024 \\(1023\\)'),
      halted(NO_REASON, 'invalid jump destination'),
      halted(NO_REASON, 'return data out of bounds'),
      // Of precompiles.
      halted(
        NO_REASON,
        'invalid input length|bad elliptic curve pairing size|invalid fp.Element encoding|point is not on curve',
      ),
      halted(
        `${EDR_VM}reverted with an unrecognized custom error \\(return data: 0xef\\)`,
        'invalid code: must not begin with 0xef',
      ),
      halted('Transaction reverted: trying to deploy .* too large', 'max code size exceeded'),
      pair('Transaction ran out of gas', 'out of gas'),
      pair('Transaction ran out of gas', 'gas required exceeds allowance \\(\\d+\\)'),
    ],
  },
]
