import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { type Hex, numberToHex } from 'viem'
import type { NodeProcess } from '../nodeProcess.ts'
import { call } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { startPeer } from '../startPeer.ts'
import { median } from '../statistics.ts'

/** A precompile, and how often a call runs it. */
interface Kind {
  readonly name: string
  readonly address: number
  readonly rounds: number
  /** Calldata of the `index`-th call: other points each time, so that no answer can be known. */
  readonly input: (index: number) => Hex
}

const digits = (value: bigint, bytes: number) => value.toString(16).padStart(2 * bytes, '0')
const write = (numbers: readonly bigint[], bytes: number) =>
  numbers.map((number) => digits(number, bytes)).join('')

function bnPoint(factor: bigint): string {
  const { x, y } = bn254.G1.Point.BASE.multiply(factor).toAffine()
  return write([x, y], 32)
}

function bnTwist(factor: bigint): string {
  const { x, y } = bn254.G2.Point.BASE.multiply(factor).toAffine()
  return write([x.c1, x.c0, y.c1, y.c0], 32)
}

function blsPoint(factor: bigint): string {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(factor).toAffine()
  return write([x, y], 64)
}

function blsTwist(factor: bigint): string {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(factor).toAffine()
  return write([x.c0, x.c1, y.c0, y.c1], 64)
}

const SCALAR = '6d'.repeat(32)
const MSM = 64

/** `count` parts for the `index`-th call, none of which another call has. */
const parts = (index: number, count: number, part: (factor: bigint) => string): Hex =>
  `0x${Array.from({ length: count }, (_, at) => part(BigInt(index * count + at + 2))).join('')}`

function signature(index: number): Hex {
  const secret = new Uint8Array(32).fill(1 + index)
  const digest = new Uint8Array(32).fill(7)
  const signed = p256.sign(digest, secret, { prehash: false })
  const key = p256.getPublicKey(secret, false).subarray(1)
  return `0x${Buffer.concat([digest, signed, key]).toString('hex')}`
}

const filled = (byte: string, count: number) => (): Hex => `0x${byte.repeat(count)}`
const modexp = (size: number) => (): Hex =>
  `0x${digits(BigInt(size), 32).repeat(3)}${'ab'.repeat(size)}${'cd'.repeat(size)}${'ef'.repeat(size)}`

const kinds: readonly Kind[] = [
  { name: 'SHA-256 of 1 kB', address: 2, rounds: 2_000, input: filled('5a', 1_000) },
  { name: 'RIPEMD-160 of 1 kB', address: 3, rounds: 2_000, input: filled('5a', 1_000) },
  { name: 'MODEXP of 256 bits', address: 5, rounds: 200, input: modexp(32) },
  { name: 'MODEXP of 2,048 bits', address: 5, rounds: 4, input: modexp(256) },
  { name: 'BN254 add', address: 6, rounds: 3_000, input: (index) => parts(index, 2, bnPoint) },
  {
    name: 'BN254 mul',
    address: 7,
    rounds: 300,
    input: (index) => parts(index, 1, (factor) => `${bnPoint(factor)}${SCALAR}`),
  },
  {
    name: 'BN254 pairing of 4',
    address: 8,
    rounds: 20,
    input: (index) => parts(index, 4, (factor) => `${bnPoint(factor)}${bnTwist(factor)}`),
  },
  {
    name: 'BLAKE2F of 100,000 rounds',
    address: 9,
    rounds: 10,
    input: () => `0x000186a0${'5a'.repeat(208)}01`,
  },
  { name: 'BLS12 G1 add', address: 11, rounds: 2_000, input: (index) => parts(index, 2, blsPoint) },
  {
    name: `BLS12 G1 MSM of ${MSM}`,
    address: 12,
    rounds: 8,
    input: (index) => parts(index, MSM, (factor) => `${blsPoint(factor)}${SCALAR}`),
  },
  { name: 'BLS12 G2 add', address: 13, rounds: 1_000, input: (index) => parts(index, 2, blsTwist) },
  {
    name: `BLS12 G2 MSM of ${MSM}`,
    address: 14,
    rounds: 8,
    input: (index) => parts(index, MSM, (factor) => `${blsTwist(factor)}${SCALAR}`),
  },
  {
    name: 'BLS12 pairing of 4',
    address: 15,
    rounds: 20,
    input: (index) => parts(index, 4, (factor) => `${blsPoint(factor)}${blsTwist(factor)}`),
  },
  {
    name: 'BLS12 map to G1',
    address: 16,
    rounds: 200,
    input: (index) => `0x${digits(BigInt(index), 64)}`,
  },
  {
    name: 'BLS12 map to G2',
    address: 17,
    rounds: 50,
    input: (index) => `0x${digits(BigInt(index), 128)}`,
  },
  { name: 'P-256', address: 256, rounds: 50, input: signature },
]

const ACCOUNT: Hex = `0x${'c0de'.repeat(10)}`

/**
 * Runs the precompile on the calldata, again and again, and answers its last output: CALLDATASIZE
 * PUSH0 PUSH0 CALLDATACOPY PUSH2 rounds JUMPDEST PUSH0 PUSH0 CALLDATASIZE PUSH0 PUSH2 address GAS
 * STATICCALL POP PUSH1 1 SWAP1 SUB DUP1 PUSH1 7 JUMPI RETURNDATASIZE PUSH0 PUSH0 RETURNDATACOPY
 * RETURNDATASIZE PUSH0 RETURN.
 */
const codeOf = ({ address, rounds }: Kind): Hex =>
  `0x365f5f3761${digits(BigInt(rounds), 2)}5b5f5f365f61${digits(BigInt(address), 2)}5afa5060019003806007573d5f5f3e3d5ff3`

/** Calls until code is warm, and those that are measured. */
const WARM_UP = 4
const CALLS = 8

/** What runs of precompiles take. */
export const precompiles: Scenario = {
  name: 'precompiles',
  about:
    'eth_call of a loop over each precompile that is slow in JavaScript: ms a run, median of 8 calls',
  peers: ['ours', 'anvil'],
  async measure(peer) {
    await using node = await startPeer(peer, { mode: 'frozen', args: ['--hardfork', 'osaka'] })
    const results: Measurement[] = []
    for (const kind of kinds) results.push(await measureKind(node, kind))
    return results
  },
}

async function measureKind(node: NodeProcess, kind: Kind): Promise<Measurement> {
  const { name, rounds, input } = kind
  await node.call('hardhat_setCode', ACCOUNT, codeOf(kind))
  const [connection] = node.connect(1)
  if (connection === undefined) throw new Error('No connection')
  const times: number[] = []
  for (let index = 0; index < WARM_UP + CALLS; index++) {
    const params = [{ to: ACCOUNT, data: input(index), gas: numberToHex(50_000_000) }, 'latest']
    const start = performance.now()
    const result = await call(connection, { method: 'eth_call', params })
    if (index >= WARM_UP) times.push((performance.now() - start) / rounds)
    if (typeof result !== 'string' || result.length <= 2) throw new Error(`${name}: ${result}`)
  }
  connection.close()
  return { metric: name, unit: 'ms', better: 'lower', value: median(times) }
}
