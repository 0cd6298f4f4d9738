import type { NetworkConnection } from 'hardhat/types/network'
import {
  type Abi,
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  toFunctionSelector,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../../devnet/primitives/json.ts'
import { inGethsWords } from '../../support/gethsWords.ts'
import { createProject, type Project } from './project.ts'

/*
 * Hardhat's own network, `default`, is the judge: each call fails there and on the networks of this
 * plugin, with the same data, the same Solidity frames, and the same message in geth's words.
 */

type Name =
  | 'Failures'
  | 'Strict'
  | 'Deaf'
  | 'Picky'
  | 'Proxy'
  | 'Linked'
  | 'Inlined'
  | 'Checks'
  | 'Halts'

/** A network with the contracts of a project, at the same addresses on each. */
interface Stage {
  readonly project: Project
  readonly connection: NetworkConnection
  readonly address: Readonly<Record<Name, Hex>>
  readonly abi: Readonly<Record<Name, Abi>>
}

/** By name of the network; those of the project under `--coverage` with that after it. */
const stages = new Map<string, Stage>()
const NETWORKS = ['default', 'pending', 'instant'] as const
const COVERAGE = ' --coverage'

beforeAll(async () => {
  const project = await createProject()
  for (const name of NETWORKS) stages.set(name, await createStage(project, name))
})
afterAll(async () => {
  for (const { connection } of stages.values()) await connection.close()
  for (const { project } of stages.values()) project[Symbol.dispose]()
})

async function createStage(project: Project, network: string): Promise<Stage> {
  const connection = await project.hre.network.create(network)
  const { viem, networkHelpers } = connection
  await networkHelpers.setCode(UNKNOWN, REVERTING)
  for (const [code, at] of HALTING) await networkHelpers.setCode(at, code)
  const checks = await viem.deployContract('Checks')
  const failures = await viem.deployContract('Failures')
  const linked = await viem.deployContract('Linked', [], { libraries: { Checks: checks.address } })
  const made = {
    Checks: checks,
    Failures: failures,
    Linked: linked,
    Strict: await viem.deployContract('Strict'),
    Deaf: await viem.deployContract('Deaf'),
    Picky: await viem.deployContract('Picky'),
    Inlined: await viem.deployContract('Inlined'),
    Halts: await viem.deployContract('Halts'),
    Proxy: await viem.deployContract('Proxy', [failures.address]),
  }
  const names = Object.keys(made) as Name[]
  const each = <Value>(read: (name: Name) => Value) =>
    // The object has each name once.
    Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>
  return {
    project,
    connection,
    address: each((name) => made[name].address),
    abi: each((name) => made[name].abi),
  }
}

interface Request {
  readonly to?: Hex
  readonly data: Hex
  readonly value?: bigint
}

type MakeRequest = (stage: Stage) => Request | Promise<Request>

const call =
  (contract: Name, functionName: string, args: unknown[] = [], value = 0n): MakeRequest =>
  ({ address, abi }) => ({
    to: address[contract],
    data: encodeFunctionData({ abi: abi[contract], functionName, args }),
    value,
  })

const raw =
  (contract: Name, data: Hex, value = 0n): MakeRequest =>
  ({ address }) => ({ to: address[contract], data, value })

const creation =
  (name: string, args: Hex, value = 0n): MakeRequest =>
  async ({ project }) => {
    const { bytecode } = await project.hre.artifacts.readArtifact(name)
    return { data: `${bytecode as Hex}${args.slice(2)}`, value }
  }

const UNKNOWN: Hex = '0x00000000000000000000000000000000000abcde'
/** PUSH0 PUSH0 REVERT. */
const REVERTING: Hex = '0x5f5ffd'

/** Code without source that takes all gas, and where it is. */
const UNDERFLOW: Hex = '0x50'
const OVERFLOW: Hex = '0x5b5f5f56'
const BAD_JUMP: Hex = '0x600056'
const BEYOND_RETURN_DATA: Hex = '0x60015f5f3e'
const HALTING = new Map<Hex, Hex>(
  [UNDERFLOW, OVERFLOW, BAD_JUMP, BEYOND_RETURN_DATA].map((code, index) => [
    code,
    numberToHex(0xabc000 + index, { size: 20 }),
  ]),
)
/** What this node says of code that takes all gas, where Hardhat's own network knows no reason. */
const HALTS = new Map<MakeRequest, string>()
const halts = (message: string, make: MakeRequest): MakeRequest => {
  HALTS.set(make, message)
  return make
}
const runs = (code: Hex) => call('Halts', 'runs', [HALTING.get(code)])
const alone =
  (code: Hex): MakeRequest =>
  () => ({ to: HALTING.get(code) ?? '0x', data: '0x' })

const KINDS: Readonly<Record<string, MakeRequest>> = {
  'REVERT_ERROR: reason': call('Failures', 'reason'),
  'REVERT_ERROR: require without a reason': call('Failures', 'requireOnly', [false]),
  'REVERT_ERROR: bare': call('Failures', 'bare'),
  'REVERT_ERROR: in a transaction with value': call('Failures', 'store', [7n], 5n),
  'REVERT_ERROR: in a modifier of an inherited function': call('Failures', 'inherited'),
  'REVERT_ERROR: in an internal library function': call('Failures', 'librarySmall', [99n]),
  'REVERT_ERROR: in a linked library': call('Linked', 'positive', [0n]),
  'REVERT_ERROR: in another contract': call('Failures', 'external_', [13n]),
  'REVERT_ERROR: caught, then reverted': call('Failures', 'tries', [13n]),
  'REVERT_ERROR: after a failed low-level call': call('Failures', 'lowLevel'),
  'REVERT_ERROR: in a fallback': raw('Picky', '0x01020304'),
  'REVERT_ERROR: in a receive': raw('Picky', '0x', 1n),
  'REVERT_ERROR: through a proxy': ({ address, abi }) => ({
    to: address.Proxy,
    data: encodeFunctionData({ abi: abi.Failures, functionName: 'reason' }),
  }),
  'REVERT_ERROR: in a constructor': creation('Built', numberToHex(1, { size: 32 })),
  'REVERT_ERROR: in a constructor called by a contract': call('Failures', 'creates'),
  'REVERT_ERROR: viaIR': call('Inlined', 'spend', [3n]),
  'CUSTOM_ERROR: with arguments': call('Failures', 'custom', [5n]),
  'CUSTOM_ERROR: without': call('Failures', 'blank'),
  'CUSTOM_ERROR: three functions deep': call('Failures', 'nested', [1n]),
  'CUSTOM_ERROR: viaIR': call('Inlined', 'spend', [9n]),
  'PANIC: assert': call('Failures', 'asserts'),
  'PANIC: overflow': call('Failures', 'overflow', [1n]),
  'PANIC: division': call('Failures', 'divide', [0n]),
  'PANIC: index': call('Failures', 'element', [3n]),
  'PANIC: pop': call('Failures', 'popEmpty'),
  'PANIC: enum': call('Failures', 'convert', [9n]),
  'INVALID_PARAMS: too short': raw('Strict', toFunctionSelector('set(uint256)')),
  'INVALID_PARAMS: of a constructor': creation('Built', '0x'),
  FUNCTION_NOT_PAYABLE: raw(
    'Strict',
    `${toFunctionSelector('set(uint256)')}${'00'.repeat(32)}`,
    1n,
  ),
  'FUNCTION_NOT_PAYABLE: constructor': creation('Built', numberToHex(2, { size: 32 }), 1n),
  UNRECOGNIZED_FUNCTION_WITHOUT_FALLBACK: raw('Strict', '0x01020304'),
  'UNRECOGNIZED_FUNCTION_WITHOUT_FALLBACK: in another contract': call('Failures', 'callsMissing'),
  MISSING_FALLBACK_OR_RECEIVE: raw('Strict', '0x', 1n),
  FALLBACK_NOT_PAYABLE: raw('Deaf', '0x01020304', 1n),
  FALLBACK_NOT_PAYABLE_AND_NO_RECEIVE: raw('Deaf', '0x', 1n),
  'CALL_FAILED: a transfer': call('Failures', 'transfers', [], 1n),
  DIRECT_LIBRARY_CALL: raw(
    'Checks',
    `${toFunctionSelector('positive(uint256)')}${'00'.repeat(32)}`,
  ),
  RETURNDATA_SIZE: call('Failures', 'wrongSize'),
  NONCONTRACT_ACCOUNT_CALLED: call('Failures', 'callsNobody'),
  'UNRECOGNIZED_CONTRACT: called by a contract': call('Failures', 'callsUnknown', [UNKNOWN]),
  'UNRECOGNIZED_CONTRACT: alone': () => ({ to: UNKNOWN, data: '0x' }),
  UNRECOGNIZED_CREATE: () => ({ data: REVERTING }),
  'CONTRACT_TOO_LARGE: a creation': creation('Huge', '0x'),
  'CONTRACT_TOO_LARGE: created by a contract': call('Failures', 'createsHuge'),
  'INVALID: in assembly': call('Failures', 'invalid'),
  'halt: a write in a static call': call('Halts', 'writesStatically'),
  'halt: a creation at a used address': call('Halts', 'createsTwice'),
  'halt: created code begins with 0xef': call('Halts', 'createsReserved'),
  'halt: code begins with 0xef': halts(
    'invalid code: must not begin with 0xef',
    creation('Reserved', '0x'),
  ),
  'halt: stack underflow': runs(UNDERFLOW),
  'halt: stack overflow': runs(OVERFLOW),
  'halt: bad jump': runs(BAD_JUMP),
  'halt: beyond the return data': runs(BEYOND_RETURN_DATA),
  'halt: stack underflow, alone': halts('stack underflow', alone(UNDERFLOW)),
  'halt: stack overflow, alone': halts('stack limit reached 1024 (1023)', alone(OVERFLOW)),
  'halt: bad jump, alone': halts('invalid jump destination', alone(BAD_JUMP)),
  'halt: beyond the return data, alone': halts(
    'return data out of bounds',
    alone(BEYOND_RETURN_DATA),
  ),
  'CONTRACT_CALL_RUN_OUT_OF_GAS: in a call with little gas': call('Failures', 'starves'),
  'says what it prints': call('Failures', 'says', [1n]),
}

interface Failure {
  readonly name: unknown
  readonly code: unknown
  readonly message: string
  readonly data: string
  readonly solidityStack: unknown
}

/** What a test sees of a failure: of the innermost error, whatever a client wraps around it. */
async function failure(work: () => Promise<unknown>): Promise<Failure> {
  try {
    await work()
  } catch (error) {
    let innermost: unknown = error
    while (isObject(innermost) && innermost.cause !== undefined) innermost = innermost.cause
    if (!isObject(innermost)) throw error
    const { name, code, message, data, solidityStack } = innermost
    return { name, code, message: String(message), data: String(data), solidityStack }
  }
  throw new Error('No failure')
}

/** The reason that a contract gives, or else what Hardhat's own network finds out. */
function expectedMessage({ message, data }: Failure): string {
  const reason = toFunctionSelector('Error(string)')
  if (!data.startsWith(reason)) return inGethsWords(message)
  const [text] = decodeAbiParameters([{ type: 'string' }], `0x${data.slice(reason.length)}`)
  return `execution reverted: ${text}`
}

const WAYS = {
  eth_call: ({ connection: { provider } }, { value = 0n, ...request }) =>
    provider.request({
      method: 'eth_call',
      params: [{ ...request, value: numberToHex(value) }, 'pending'],
    }),
  eth_estimateGas: ({ connection: { provider } }, { value = 0n, ...request }) =>
    provider.request({
      method: 'eth_estimateGas',
      params: [{ ...request, value: numberToHex(value) }],
    }),
  'viem, call': async ({ connection: { viem } }, request) => {
    const [client] = await viem.getWalletClients()
    return await (await viem.getPublicClient()).call({ ...request, account: client?.account })
  },
  'viem, send': async ({ connection: { viem } }, request) => {
    const [client] = await viem.getWalletClients()
    return await client?.sendTransaction(request)
  },
  'ethers, call': async ({ connection: { ethers } }, request) => {
    const [signer] = await ethers.getSigners()
    return await signer?.call(request)
  },
  'ethers, send': async ({ connection: { ethers } }, request) => {
    const [signer] = await ethers.getSigners()
    return await signer?.sendTransaction(request)
  },
} satisfies Readonly<Record<string, (stage: Stage, request: Request) => Promise<unknown>>>

function stageOf(name: string): Stage {
  const stage = stages.get(name)
  if (stage === undefined) throw new Error(`No stage ${name}`)
  return stage
}

test.each(Object.entries(KINDS))(
  'the fast engine traces it as the library does: %s',
  async (_, make) => {
    const stage = stageOf('pending')
    const { value = 0n, ...request } = await make(stage)
    const [from] = await stage.connection.provider.request({ method: 'eth_accounts' })
    const trace = (more: object): Promise<Record<string, unknown>> => {
      const call = { ...request, from, value: numberToHex(value) }
      const tracerConfig = { prestateTracer: { includeEmpty: true }, ...more }
      const params = [call, 'pending', { tracer: 'muxTracer', tracerConfig }]
      return stage.connection.provider.request({ method: 'debug_traceCall', params })
    }
    const top = { callTracer: { onlyTopCall: true } }
    // Whoever counts selectors wants to know of inner frames, of which only the library tells.
    const { '4byteTracer': _counts, ...judge } = await trace({ ...top, '4byteTracer': null })
    expect(await trace(top)).toEqual(judge)
    expect(judge).toMatchObject({ callTracer: { error: expect.any(String) } })
  },
)

/** Fails on one network as on the other, which is the judge. */
async function expectEqual(
  judge: Stage,
  stage: Stage,
  [ask, make]: [(stage: Stage, request: Request) => Promise<unknown>, MakeRequest],
): Promise<void> {
  const wanted = await failure(async () => ask(judge, await make(judge)))
  expect(wanted).toMatchObject({ name: 'SolidityError', code: 3 })
  const message = HALTS.get(make) ?? expectedMessage(wanted)
  expect(await failure(async () => ask(stage, await make(stage)))).toEqual({ ...wanted, message })
}

describe.each(['pending', 'instant'])('%s', (network) => {
  describe.each(Object.entries(KINDS))('%s', (_, make) => {
    test.each(Object.entries(WAYS))('%s', async (_way, ask) => {
      await expectEqual(stageOf('default'), stageOf(network), [ask, make])
    })
  })
})

/** Code of any size is deployed under coverage. */
const WITH_COVERAGE = Object.entries(KINDS).filter(
  ([kind]) => !kind.startsWith('CONTRACT_TOO_LARGE'),
)

describe('under --coverage', () => {
  beforeAll(async () => {
    const project = await createProject({ coverage: true })
    for (const name of NETWORKS) stages.set(name + COVERAGE, await createStage(project, name))
  })

  const judge = () => stageOf(`default${COVERAGE}`)

  describe.each([
    ['pending', 'eth_call'],
    ['instant', 'viem, send'],
  ] as const)('%s, %s', (network, way) => {
    test.each(WITH_COVERAGE)('%s', async (_, make) => {
      await expectEqual(judge(), stageOf(network + COVERAGE), [WAYS[way], make])
    })
  })

  test('in contracts that count what ran', async () => {
    const client = await judge().connection.viem.getPublicClient()
    expect(await client.getCode({ address: judge().address.Failures })).toContain('c0bec0bec0be')
  })
})
