import { type ForkRules, type HardforkName, isAtLeast } from '../../protocol/forks.ts'
import { opcodeName, stackEffect } from '../../protocol/opcodes.ts'
import { UNDEFINED_GAS } from './layout.ts'

/**
 * Opcodes by their static gas since EIP-2929 (Berlin), but for PUSH, DUP and SWAP. What depends on
 * operands or state is charged later: by the core for its own opcodes, by the host for the others.
 */
const GAS: readonly (readonly [gas: number, names: string])[] = [
  [0, 'STOP BALANCE EXTCODESIZE EXTCODECOPY EXTCODEHASH SLOAD SSTORE RETURN REVERT'],
  // SELFDESTRUCT: the host charges it once it has noted the access.
  [0, 'CALL CALLCODE DELEGATECALL STATICCALL SELFDESTRUCT'],
  [1, 'JUMPDEST'],
  [2, 'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE'],
  [2, 'COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID POP PC MSIZE GAS'],
  [3, 'ADD SUB LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR'],
  [3, 'CALLDATALOAD CALLDATACOPY CODECOPY RETURNDATACOPY MLOAD MSTORE MSTORE8'],
  [5, 'MUL DIV SDIV MOD SMOD SIGNEXTEND SELFBALANCE'],
  [8, 'ADDMOD MULMOD JUMP'],
  [10, 'EXP JUMPI'],
  [20, 'BLOCKHASH'],
  [30, 'KECCAK256'],
  // LOG: 375, and 375 for each topic.
  [375, 'LOG0'],
  [750, 'LOG1'],
  [1125, 'LOG2'],
  [1500, 'LOG3'],
  [1875, 'LOG4'],
  [32_000, 'CREATE CREATE2'],
]

/** Of PUSH, DUP and SWAP, which are consecutive. */
const SHUFFLE_GAS = 3

/** Opcodes that came after Berlin, or whose gas changed. */
const ADDED: readonly (readonly [since: HardforkName, name: string, gas: number])[] = [
  ['london', 'BASEFEE', 2], // EIP-3198
  ['shanghai', 'PUSH0', 2], // EIP-3855
  ['cancun', 'BLOBHASH', 3], // EIP-4844
  ['cancun', 'BLOBBASEFEE', 2], // EIP-7516
  ['cancun', 'TLOAD', 100], // EIP-1153
  ['cancun', 'TSTORE', 100], // EIP-1153
  ['cancun', 'MCOPY', 3], // EIP-5656
  ['osaka', 'CLZ', 5], // EIP-7939
  ['amsterdam', 'SLOTNUM', 2], // EIP-7843
  ['amsterdam', 'DUPN', 3], // EIP-8024
  ['amsterdam', 'SWAPN', 3], // EIP-8024
  ['amsterdam', 'EXCHANGE', 3], // EIP-8024
  ['amsterdam', 'CREATE', 12_000], // EIP-8038: CREATE_ACCESS
  ['amsterdam', 'CREATE2', 12_000], // EIP-8038: CREATE_ACCESS
]

/**
 * Opcodes that end a block, so that gas is exact wherever it is read: those of the host, those that
 * jump or end the frame, GAS, and RETURNDATACOPY, whose failure has its own exit.
 */
const BLOCK_ENDS: ReadonlySet<string> = new Set(
  (
    'STOP BALANCE EXTCODESIZE EXTCODECOPY RETURNDATACOPY EXTCODEHASH BLOCKHASH SELFBALANCE ' +
    'BLOBHASH SLOAD SSTORE JUMP JUMPI GAS TLOAD TSTORE LOG0 LOG1 LOG2 LOG3 LOG4 ' +
    'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2 STATICCALL REVERT SELFDESTRUCT'
  ).split(' '),
)

/** The opcodes of a hardfork in the form of the core. @throws {RangeError} before Berlin */
export function opcodeTable(rules: Pick<ForkRules, 'hardfork'>): Uint8Array {
  const table = new DataView(new ArrayBuffer(256 * 8))
  for (const [opcode, { gas, taken, given, endsBlock }] of opcodeRows(rules).entries()) {
    table.setUint16(opcode * 8, gas ?? UNDEFINED_GAS, true)
    table.setUint8(opcode * 8 + 2, taken)
    table.setUint8(opcode * 8 + 3, given)
    table.setUint8(opcode * 8 + 4, endsBlock ? 1 : 0)
  }
  return new Uint8Array(table.buffer)
}

/**
 * All 256 opcodes under a hardfork, with what does not depend on their operands. Exported for its
 * test.
 *
 * @throws {RangeError} before Berlin
 */
export function opcodeRows({ hardfork }: Pick<ForkRules, 'hardfork'>) {
  if (!isAtLeast(hardfork, 'berlin')) {
    throw new RangeError(`The core knows the hardforks from Berlin on, not ${hardfork}`)
  }
  const gas = new Map(
    GAS.flatMap(([amount, names]) => names.split(' ').map((name) => [name, amount])),
  )
  for (const [since, name, amount] of ADDED) if (isAtLeast(hardfork, since)) gas.set(name, amount)
  return Array.from({ length: 256 }, (_, opcode) => {
    const name = opcodeName(opcode)
    const { needs, grows } = stackEffect(opcode)
    const amount = opcode >= 0x60 && opcode <= 0x9f ? SHUFFLE_GAS : gas.get(name)
    const isDefined = amount !== undefined
    return {
      /** Static; `undefined` if the hardfork does not define the opcode. */
      gas: amount,
      /** Items required on the stack, without those that an immediate names. */
      taken: isDefined ? needs : 0,
      /** Items in their place afterwards. */
      given: isDefined ? needs + grows : 0,
      /** True if gas and stack are checked again after it. */
      endsBlock: !isDefined || BLOCK_ENDS.has(name),
    }
  })
}
