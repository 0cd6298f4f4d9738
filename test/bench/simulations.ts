import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Hex, pad } from 'viem'
import { artifact } from '../support/solidity.ts'
import { LOOP_CODE, loopGas, loopResult } from './gasLoop.ts'
import type { Call } from './rpc.ts'
import { senders, tokenAddress } from './traffic.ts'

/** What a call must answer, beside success. */
export interface ExpectedCall {
  readonly returnData: Hex
  readonly logs: readonly ExpectedLog[]
  /** Where it is known before. */
  readonly gasUsed?: Hex
}

interface ExpectedLog {
  readonly address: string
  readonly topics: readonly unknown[]
  readonly data: Hex
}

/** A request to eth_simulateV1 and what its calls must answer. */
export interface Simulation {
  readonly payload: object
  /** By block and call. */
  readonly expected: readonly (readonly ExpectedCall[])[]
}

/** Simulations of one kind and size, which differ in their accounts. */
export interface SimulationKind {
  readonly name: string
  /** The same objects each time, made the first time. */
  variants(): readonly Simulation[]
}

/** A call and what it must answer. */
interface SimulatedCall {
  readonly request: object
  readonly expected: ExpectedCall
}

const VARIANTS = 20
const BLOCKS = 10

/** Number of the block in which {@link Traffic.tokenSetup} was sealed, which the simulations follow on. */
const HEAD = 1

/** s since the epoch: in 2100, after every real block. */
const FIRST_TIME = 4_102_444_800

const { abi } = artifact('Token')

export const oneTransfer = kind('1 transfer', VARIANTS, (variant) => ({
  payload: { blockStateCalls: [{ calls: [transfer(senderOf(variant), variant).request] }] },
  expected: [[transfer(senderOf(variant), variant).expected]],
}))

/** Transfers of a contract move no ether: what is traced are the calls, and no log may be added. */
export const tokenTransfers = kind('10 ERC-20 transfers, traceTransfers', VARIANTS, (variant) => {
  const calls = times(10, (index) => tokenTransfer(variant + index, variant * 10 + index))
  return {
    payload: { blockStateCalls: [{ calls: calls.map(request) }], traceTransfers: true },
    expected: [calls.map(expected)],
  }
})

/** In each block transfers of ether and tokens, and calls that answer what the block and the state overrides set. */
export const blocks = kind('10 blocks of 10 calls, overrides', VARIANTS, (variant) => {
  const simulated = times(BLOCKS, (index) => overriddenBlock(variant, index))
  return {
    payload: {
      blockStateCalls: simulated.map(({ calls, ...overrides }) => ({
        ...overrides,
        calls: calls.map(request),
      })),
    },
    expected: simulated.map(({ calls }) => calls.map(expected)),
  }
})

export const gasLoop = kind('loop of 10M gas', 1, () => ({
  payload: {
    blockStateCalls: [
      {
        stateOverrides: { [addressOf('c0de', 0)]: { code: LOOP_CODE } },
        calls: [{ from: senderOf(0), to: addressOf('c0de', 0), gas: hex(11_000_000) }],
      },
    ],
  },
  expected: [[{ returnData: loopResult(), logs: [], gasUsed: hex(loopGas) }]],
}))

/** The call of `simulation` after `block`. */
export function simulationCall({ payload }: Simulation, block: 'latest' | 'pending'): Call {
  return { method: 'eth_simulateV1', params: [payload, block] }
}

/** Answers NUMBER, TIMESTAMP, COINBASE, storage slot 0 and PREVRANDAO, a word each. */
const PROBE_CODE = '0x435f5242602052416040525f546060524460805260a05ff3'

function overriddenBlock(variant: number, index: number) {
  const place = variant * BLOCKS + index
  const payer = addressOf('aaaa', place)
  const probe = addressOf('bbbb', place)
  const environment = {
    number: hex(HEAD + 1 + index),
    time: hex(FIRST_TIME + index),
    feeRecipient: addressOf('cccc', place),
    prevRandao: word(place + 7),
    gasLimit: hex(30_000_000),
  }
  const { number, time, feeRecipient, prevRandao } = environment
  const words = [pad(number), pad(time), pad(feeRecipient), word(place + 1), prevRandao]
  const probed: SimulatedCall = {
    request: { from: payer, to: probe },
    expected: { returnData: `0x${words.map((one) => one.slice(2)).join('')}`, logs: [] },
  }
  return {
    blockOverrides: environment,
    stateOverrides: {
      // Just what its transfers need.
      [payer]: { balance: hex(4) },
      [probe]: { code: PROBE_CODE, stateDiff: { [word(0)]: word(place + 1) } },
    },
    calls: [
      ...times(4, (call) => transfer(payer, place * 10 + call)),
      ...times(3, (call) => tokenTransfer(place + call, place * 10 + call)),
      ...times(3, () => probed),
    ],
  }
}

/** 1 wei to an account that does not exist. */
function transfer(from: Hex, place: number): SimulatedCall {
  return {
    request: { from, to: addressOf('dddd', place), value: hex(1) },
    expected: { returnData: '0x', logs: [], gasUsed: hex(21_000) },
  }
}

/** 1 token to an address that has none. */
function tokenTransfer(sender: number, place: number): SimulatedCall {
  const from = senderOf(sender)
  const to = addressOf('eeee', place)
  const topics = encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } })
  return {
    request: {
      from,
      to: tokenAddress,
      data: encodeFunctionData({ abi, functionName: 'transfer', args: [to, 1n] }),
    },
    expected: {
      returnData: encodeAbiParameters([{ type: 'bool' }], [true]),
      logs: [{ address: tokenAddress.toLowerCase(), topics: topics.flat(), data: word(1) }],
    },
  }
}

function kind(name: string, count: number, make: (variant: number) => Simulation): SimulationKind {
  let made: readonly Simulation[] | undefined
  return {
    name,
    variants() {
      made ??= times(count, make)
      return made
    },
  }
}

function request(call: SimulatedCall): object {
  return call.request
}

function expected(call: SimulatedCall): ExpectedCall {
  return call.expected
}

function times<Made>(count: number, make: (index: number) => Made): readonly Made[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function senderOf(index: number): Hex {
  const sender = senders[index % senders.length]
  if (sender === undefined) throw new Error('No senders')
  return sender.address
}

/** An address that nothing else has, told by its first digits. */
function addressOf(digits: string, index: number): Hex {
  return `0x${digits}${index.toString(16).padStart(40 - digits.length, '0')}`
}

function word(value: number): Hex {
  return pad(hex(value))
}

function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
