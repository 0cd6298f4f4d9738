// Loaded before Alto. Its safe mode has the node run a tracer in JavaScript. This takes the same facts
// from erc7562Tracer and hands them to Alto, whose own rules judge them. Alto also expects the result
// of a simulation in an error that its simulation does not throw: this makes one of what it returns.
import type { AbiFunction, Hex } from 'viem'
import { concat, toFunctionSelector } from 'viem'

/** A frame of erc7562Tracer, as far as it is used here. */
interface Frame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly value?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly accessedSlots: {
    readonly reads: Readonly<Record<string, readonly Hex[]>>
    readonly writes: Readonly<Record<string, number>>
    readonly transientReads: Readonly<Record<string, number>>
    readonly transientWrites: Readonly<Record<string, number>>
  }
  readonly extCodeAccessInfo: readonly Hex[]
  readonly usedOpcodes: Readonly<Record<string, number>>
  readonly contractSize: Readonly<Record<string, { contractSize: number; opcode: number }>>
  readonly outOfGas: boolean
  readonly keccak?: readonly Hex[]
  readonly calls?: readonly Frame[]
}

/** Opcodes that Alto's rules are about. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ '0x31': 'BALANCE', '0x32': 'ORIGIN', '0x3a': 'GASPRICE', '0x40': 'BLOCKHASH' },
  ...{ '0x41': 'COINBASE', '0x42': 'TIMESTAMP', '0x43': 'NUMBER', '0x44': 'DIFFICULTY' },
  ...{ '0x45': 'GASLIMIT', '0x47': 'SELFBALANCE', '0x48': 'BASEFEE', '0x49': 'BLOBHASH' },
  ...{ '0x4a': 'BLOBBASEFEE', '0x5a': 'GAS', '0xf0': 'CREATE', '0xf5': 'CREATE2' },
  ...{ '0xfe': 'INVALID', '0xff': 'SELFDESTRUCT' },
}

/** The frame and all that are inside of it. */
function all(frame: Frame): Frame[] {
  return [frame, ...(frame.calls ?? []).flatMap(all)]
}

/** The facts of one call of the EntryPoint. */
function describeLevel(call: Frame) {
  const access: Record<string, { reads: Record<string, Hex>; writes: Record<string, number> }> = {}
  const opcodes: Record<string, number> = {}
  const frames = all(call)
  for (const { type, from, to = from, accessedSlots: slots, usedOpcodes } of frames) {
    const storage = type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to
    access[storage] ??= { reads: {}, writes: {} }
    const { reads, writes } = access[storage]
    Object.assign(writes, slots.writes, slots.transientWrites)
    for (const slot of Object.keys(slots.transientReads)) reads[slot] ??= '0x'
    for (const [slot, [value = '0x']] of Object.entries(slots.reads)) reads[slot] ??= value
    for (const [opcode, count] of Object.entries(usedOpcodes)) {
      const name = NAMES[opcode] ?? opcode
      opcodes[name] = (opcodes[name] ?? 0) + count
    }
  }
  const codes = frames.flatMap(({ extCodeAccessInfo }) => extCodeAccessInfo)
  // The first use of an account counts. Precompiles of ERC-7562 do not.
  const sizes = frames.flatMap(({ contractSize }) => Object.entries(contractSize)).toReversed()
  return {
    topLevelMethodSig: call.input.slice(0, 10),
    topLevelTargetAddress: call.to,
    access,
    opcodes,
    contractSize: Object.fromEntries(sizes.filter(([address]) => BigInt(address) > 9n)),
    extCodeAccessInfo: Object.fromEntries(codes.map((address) => [address, 'EXTCODE'])),
    oog: frames.some(({ outOfGas }) => outOfGas),
  }
}

/** The beginnings and ends of frames in their order. */
function describeCalls(frame: Frame): object[] {
  const { type, from, to, input, gas, gasUsed, value, output = '0x', error, calls = [] } = frame
  return [
    { type, from, to, method: input.slice(0, 10), gas, value },
    ...calls.flatMap(describeCalls),
    { type: error === undefined ? 'RETURN' : 'REVERT', gasUsed, data: output },
  ]
}

const abis: string = new URL(
  '../node_modules/@pimlico/alto/esm/types/contracts/PimlicoSimulations.js',
  import.meta.url,
).href
// Alto has no types for its parts.
const { pimlicoSimulationsAbi } = (await import(abis)) as {
  readonly pimlicoSimulationsAbi: object[]
}
// Its ABI has the function.
const simulation = pimlicoSimulationsAbi.find(
  (item) => 'name' in item && item.name === 'simulateValidation',
) as AbiFunction
const result = { ...simulation, name: 'ValidationResult', inputs: simulation.outputs }
pimlicoSimulationsAbi.push({ ...result, type: 'error' })

/** The answer of Alto's own tracer. */
function translate(top: Frame) {
  // The contract of simulations calls the EntryPoint, which delegates to its own simulation.
  const entryPoint = top.calls?.[0]?.calls?.[0]?.calls ?? []
  const data =
    top.error === undefined ? concat([toFunctionSelector(result), top.output ?? '0x']) : top.output
  return {
    callsFromEntryPoint: entryPoint
      .filter(({ type }) => type === 'CALL' || type === 'STATICCALL')
      .map(describeLevel),
    keccak: top.keccak ?? [],
    calls: [...(top.calls ?? []).flatMap(describeCalls), { type: 'REVERT', gasUsed: '0x0', data }],
    logs: [],
    debug: [],
  }
}

const send = globalThis.fetch
globalThis.fetch = async (input, init) => {
  const request = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
  if (request?.method !== 'debug_traceCall') return send(input, init)
  request.params[2].tracer = 'erc7562Tracer'
  const response = await send(input, { ...init, body: JSON.stringify(request) })
  // The node's answer, as JSON-RPC and the tracer describe it.
  const answer = (await response.json()) as { readonly result?: Frame }
  if (answer.result === undefined) return Response.json(answer)
  return Response.json({ ...answer, result: translate(answer.result) })
}
