import { ACCOUNT_STATE_GAS, CALL_STIPEND } from '../../protocol/gas.ts'
import { Op } from '../../protocol/opcodes.ts'
import type { Core } from '../core/core.ts'
import { EXIT_OUT_OF_GAS } from '../core/layout.ts'
import type { FrameKind } from '../types.ts'
import { DONE, STATIC_CHANGE } from './exits.ts'
import type { Frame, Frames } from './frames.ts'
import { allButOne64th, MAX_DEPTH, WARM_GAS } from './hostGas.ts'
import { setStackTop, stackTop } from './stack.ts'

const STIPEND = Number(CALL_STIPEND)

const KINDS: ReadonlyMap<number, FrameKind> = new Map([
  [Op.call, 'CALL'],
  [Op.callCode, 'CALLCODE'],
  [Op.delegateCall, 'DELEGATECALL'],
  [Op.staticCall, 'STATICCALL'],
])

/** CALL, CALLCODE, DELEGATECALL and STATICCALL. */
export function call(frames: Frames, f: number, frame: Frame, opcode: number): number {
  const { core, journal, gas } = frames
  const top = stackTop(core, f)
  const takesValue = opcode === Op.call || opcode === Op.callCode
  const hasValue = takesValue && !core.isZero(top - 96)
  if (hasValue && opcode === Op.call && frame.isStatic) return STATIC_CHANGE
  // Reads of the state come before all changes: if one has to wait, the opcode runs again.
  const target = journal.account(core.addressKey(top - 64))
  const delegate = frames.delegate(target)
  const code = journal.code(delegate ?? target)
  let cost = journal.warmAccount(target) ? gas.coldAccount : WARM_GAS
  const makesAccount = hasValue && opcode === Op.call && target.isEmpty
  if (hasValue) cost += gas.value
  if (makesAccount) cost += gas.newCallee
  const operands = top - (takesValue ? 128 : 96)
  if (!core.charge(f, cost)) return EXIT_OUT_OF_GAS
  if (!core.useMemory(f, operands - 64, operands - 96)) return EXIT_OUT_OF_GAS
  const { output, outputLength } = core
  if (!core.useMemory(f, operands, operands - 32)) return EXIT_OUT_OF_GAS
  const input = core.output
  const inputLength = core.outputLength
  // The gas that does not depend on the target is paid, so this counts as an access (EIP-7928).
  target.accessed = true
  if (delegate !== undefined) {
    const access = journal.warmAccount(delegate) ? gas.coldAccount : WARM_GAS
    if (!core.charge(f, access)) return EXIT_OUT_OF_GAS
    delegate.accessed = true
  }
  const paysState = makesAccount && frames.rules.stateGas
  if (paysState && !frames.state.charge(core, f, ACCOUNT_STATE_GAS)) return EXIT_OUT_OF_GAS
  const given = Math.min(gasOperand(core, top - 32), allButOne64th(core.gasLeft(f)))
  const value = hasValue ? core.word(top - 96) : 0n
  const stack = operands - 64
  setStackTop(core, f, stack)
  const { coverage } = frames
  if (coverage !== undefined && target.key === coverage.address && opcode === Op.staticCall) {
    coverage.add(core.u8.slice(input, input + inputLength))
    // Leaves the return data as it was: see CoverageRecorder.
    core.setSmallWord(stack - 32, frames.depth < MAX_DEPTH ? 1 : 0)
    return DONE
  }
  core.setSmallWord(stack - 32, 0)
  core.setReturned(0, 0)
  const stipend = hasValue ? STIPEND : 0
  const { self } = frame
  if (frames.depth >= MAX_DEPTH || (hasValue && self.balance < value)) {
    frames.surroundings.hook?.refuse?.(
      {
        kind: KINDS.get(opcode) ?? 'CALL',
        from: self.key,
        to: target.key,
        value,
        gas: given + stipend,
        input: () => core.u8.slice(input, input + inputLength),
      },
      frames.depth >= MAX_DEPTH ? 'depth' : 'insufficientBalance',
    )
    core.refund(f, stipend + (paysState ? frames.state.refill(ACCOUNT_STATE_GAS) : 0))
    return DONE
  }
  core.charge(f, given)
  const isDelegate = opcode === Op.delegateCall
  return frames.enter({
    kind: KINDS.get(opcode) ?? 'CALL',
    caller: isDelegate ? frame.caller : self,
    self: isDelegate || opcode === Op.callCode ? self : target,
    target,
    value: isDelegate ? frame.value : value,
    code,
    input,
    inputLength,
    stack,
    memory: core.memoryEnd(f),
    gas: given + stipend,
    isStatic: frame.isStatic || opcode === Op.staticCall,
    output,
    outputLength,
    isCreation: false,
    stateGas: paysState ? ACCOUNT_STATE_GAS : 0,
  })
}

/** The gas that a word on the stack asks for; more than there can be counts as `Infinity`. */
function gasOperand({ u32 }: Core, at: number): number {
  const index = at >> 2
  for (let limb = 2; limb < 8; limb++) if (u32[index + limb] !== 0) return Infinity
  return (u32[index + 1] ?? 0) * 2 ** 32 + (u32[index] ?? 0)
}
