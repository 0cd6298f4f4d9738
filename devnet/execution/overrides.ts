import type { BlockHashes, PrecompileChanges } from '../engine/types.ts'
import type { BlockOverrides } from '../json/schemas/blockOverrides.ts'
import type { AccountOverride, StateOverrides } from '../json/schemas/stateOverrides.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { type Paced, runPaced } from '../primitives/paced.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { precompileNumbers } from '../protocol/precompiles.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../state/keys.ts'
import type { Overlay } from '../state/overlay/overlay.ts'
import { CallRefusedError } from './callErrors.ts'
import type { MachineLease } from './machineLease.ts'

/**
 * Applies overrides to the machine's state, in the order of the addresses, and yields meanwhile.
 *
 * @returns the removed and moved precompiles; `undefined` if there are none
 * @throws {CallRefusedError} if overrides conflict, or an address to be moved is not a precompile
 */
export function applyStateOverrides(
  { executor, machine }: Pick<MachineLease, 'executor' | 'machine'>,
  overrides: StateOverrides | undefined,
): Promise<PrecompileChanges | undefined> | undefined {
  if (overrides === undefined || overrides.size === 0) return undefined
  return runPaced(applyAll(executor.rules, machine.overlay, overrides), machine.scheduler)
}

function* applyAll(
  rules: ForkRules,
  overlay: Overlay,
  overrides: StateOverrides,
): Paced<PrecompileChanges | undefined> {
  const changes = changePrecompiles(rules, overrides)
  for (const [address, override] of overrides) yield* applyAccount(overlay, address, override)
  return changes
}

function changePrecompiles(
  rules: ForkRules,
  overrides: StateOverrides,
): PrecompileChanges | undefined {
  const precompiles = precompileNumbers(rules)
  const removed = new Set<string>()
  const moved = new Map<string, string>()
  for (const [address, { movePrecompileToAddress: destination }] of overrides) {
    const digits = address.slice(2)
    const isPrecompile = precompiles.has(addressKeyFromHex(address))
    if (destination !== undefined) {
      if (!isPrecompile) throw refusal(`account ${address} is not a precompile`)
      if (overrides.has(destination)) {
        throw refusal(`account ${destination} is already overridden`)
      }
      moved.set(destination.slice(2), digits)
    }
    // Any override disables the precompile: the address runs its own code, if it has any.
    if (isPrecompile) removed.add(digits)
  }
  return removed.size === 0 ? undefined : { removed, moved }
}

/**
 * Longest code of an override in bytes, ten times as long as any on mainnet (EIP-170). The EVM
 * analyses the whole code before it runs the first opcode, in up to 100 ms for 1 MB.
 */
const MAX_OVERRIDE_CODE = 1 << 18

function* applyAccount(overlay: Overlay, address: Hex, override: AccountOverride): Paced<void> {
  const key = addressKeyFromHex(address)
  const { nonce, code, balance, state, stateDiff } = override
  if (state !== undefined && stateDiff !== undefined) {
    throw refusal(`account ${address} has both 'state' and 'stateDiff'`)
  }
  const codeSize = code === undefined ? 0 : code.length / 2 - 1
  if (codeSize > MAX_OVERRIDE_CODE) {
    throw refusal(
      `the code of account ${address} has ${codeSize} bytes, and an override may have at most ${MAX_OVERRIDE_CODE}`,
    )
  }
  if (nonce !== undefined) overlay.setNonce(key, nonce)
  if (code !== undefined) overlay.setCode(key, fromHex(code))
  if (balance !== undefined) overlay.setBalance(key, balance)
  if (state !== undefined) overlay.clearSlots(key)
  for (const [slot, value] of state ?? stateDiff ?? []) {
    overlay.setSlot(key, slotKeyFromHex(slot), fromHex(value))
    yield
  }
  yield
}

/** Only for simulated blocks: `beaconRoot` is used before the calls, `withdrawals` after them. */
const BLOCK_ONLY = ['beaconRoot', 'withdrawals'] as const

/**
 * The block that code sees, with overrides.
 *
 * @throws {CallRefusedError} for overrides that only simulated blocks support
 */
export function overrideBlock(
  block: BlockContext,
  overrides: BlockOverrides | undefined,
): BlockContext {
  if (overrides === undefined) return block
  for (const name of BLOCK_ONLY) {
    if (overrides[name] !== undefined) {
      throw refusal(`block override "${name}" is not supported for this RPC method`)
    }
  }
  const { feeRecipient, prevRandao } = overrides
  return {
    number: overrides.number ?? block.number,
    timestamp: overrides.time ?? block.timestamp,
    gasLimit: overrides.gasLimit ?? block.gasLimit,
    baseFeePerGas: overrides.baseFeePerGas ?? block.baseFeePerGas,
    coinbase: feeRecipient === undefined ? block.coinbase : fromHex(feeRecipient),
    prevRandao: prevRandao === undefined ? block.prevRandao : fromHex(prevRandao),
    difficulty: overrides.difficulty ?? block.difficulty,
    blobBaseFee: overrides.blobBaseFee ?? block.blobBaseFee,
    slotNumber: block.slotNumber,
  }
}

/** The hashes that BLOCKHASH returns, with overrides. */
export function overrideBlockHashes(
  blockHashes: BlockHashes,
  overrides: ReadonlyMap<bigint, Hex> | undefined,
): BlockHashes {
  if (overrides === undefined) return blockHashes
  return (number) => {
    const hash = overrides.get(number)
    return hash === undefined ? blockHashes(number) : fromHex(hash)
  }
}

/** An error with code -32000 in every method, `eth_simulateV1` included. */
function refusal(message: string): CallRefusedError {
  return new CallRefusedError(message, ErrorCode.server)
}
