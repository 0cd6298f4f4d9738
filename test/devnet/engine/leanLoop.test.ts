import { type Block, createBlock } from '@ethereumjs/block'
import { createEVM } from '@ethereumjs/evm'
import { createAddressFromString } from '@ethereumjs/util'
import { beforeAll, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../devnet/engine/crypto.ts'
import { createFixedCommon, type FixedCommon } from '../../../devnet/engine/fixedCommon.ts'
import { Machine } from '../../../devnet/engine/machine.ts'
import { Codes } from '../../../devnet/state/codes.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../devnet/state/versionedStore.ts'
import { Random } from '../../support/random.ts'

const CALLER = '0x00000000000000000000000000000000000000c0'
const PROGRAM = '0x00000000000000000000000000000000000000f0'
const HELPER = '0x00000000000000000000000000000000000000e0'

let crypto: Crypto
let codes: Codes

beforeAll(async () => {
  crypto = await loadCrypto()
  codes = new Codes(crypto.keccak256)
})

function rulesOf(hardfork: string): { readonly common: FixedCommon; readonly block: Block } {
  const common = createFixedCommon({ chainId: 1, hardfork, crypto })
  const blobs = common.isActivatedEIP(4844) ? { excessBlobGas: 0n } : {}
  return { common, block: createBlock({ header: { number: 9n, ...blobs } }, { common }) }
}

/** Opcodes with a bias to those that leave something behind. */
function randomProgram(random: Random): Uint8Array {
  const bytes: number[] = []
  const push = (value: number) => bytes.push(0x60, value)
  for (let length = 5 + random.below(40); length > 0; length--) {
    switch (random.below(14)) {
      case 0:
      case 1:
      case 2:
        push(random.below(8))
        break
      case 3:
        // Longer pushes, the last one perhaps cut off.
        bytes.push(
          0x60 + random.below(32),
          ...Array.from({ length: random.below(33) }, () => random.below(256)),
        )
        break
      case 4:
        bytes.push(
          random.pick([
            0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0a, 0x10, 0x14, 0x15, 0x16, 0x19, 0x1b, 0x1c,
            0x20,
          ]),
        )
        break
      case 5:
        push(random.below(64))
        bytes.push(random.pick([0x51, 0x35, 0x54, 0x5c, 0x40, 0x31, 0x3b]))
        break
      case 6:
        push(random.below(3))
        push(random.below(4))
        bytes.push(random.pick([0x52, 0x53, 0x55, 0x55, 0x5d]))
        break
      case 7: {
        // Hashes, logs and results of pieces of memory, now and then far away.
        const opcode = random.pick([0x20, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3])
        if (opcode > 0xa0 && opcode < 0xf0) for (let index = 0xa0; index < opcode; index++) push(7)
        push(random.below(70))
        if (random.once(8)) bytes.push(0x62, random.below(3), random.below(256), random.below(256))
        else push(random.below(70))
        bytes.push(opcode)
        break
      }
      case 8:
        push(random.below(200))
        bytes.push(0x61, random.below(40), random.below(256), random.pick([0x51, 0x52]))
        break
      case 9:
        bytes.push(0x80 + random.below(16))
        break
      case 10:
        bytes.push(0x90 + random.below(16))
        break
      case 11:
        bytes.push(0x5b)
        push(random.below(60))
        bytes.push(random.pick([0x56, 0x57]))
        break
      case 12:
        // CALL the helper with little gas, so that it fails now and then.
        bytes.push(
          0x5f,
          0x5f,
          0x5f,
          0x5f,
          0x5f,
          0x60,
          0xe0,
          0x61,
          random.below(40),
          0,
          random.pick([0xf1, 0xf4, 0xfa]),
        )
        break
      default:
        bytes.push(
          random.pick([
            0x00, 0x30, 0x33, 0x34, 0x36, 0x50, 0x58, 0x59, 0x5a, 0x5b, 0xa0, 0xf3, 0xfd, 0xfd,
            0xfe, 0x0c, 0x3d, 0x47,
          ]),
        )
    }
  }
  return Uint8Array.from(bytes)
}

async function run(
  program: Uint8Array,
  gas: bigint,
  { common, block }: ReturnType<typeof rulesOf>,
  own: boolean,
) {
  const machine = await Machine.create(common, codes, new VersionedStore(codes).view())
  const { overlay } = machine
  if (own) {
    // The library's profiler makes its own loop run; a tracer would too, but fails on a REVERT far outside of memory.
    Reflect.get(machine.vm.evm, '_optsCached').profiler = { enabled: true }
    machine.vm.evm.journal = (await createEVM({ common, stateManager: overlay })).journal
  }
  machine.pace.begin()
  // Slots 0 and 1 hold something before the transaction.
  for (const slot of [0n, 1n]) {
    overlay.setSlot(addressKeyFromHex(PROGRAM), slotKeyFromBigInt(slot), Uint8Array.of(1))
  }
  overlay.setBalance(addressKeyFromHex(CALLER), 10n ** 18n)
  overlay.setCode(addressKeyFromHex(PROGRAM), program)
  // SSTORE(0, 1), LOG0, return 32 bytes.
  overlay.setCode(
    addressKeyFromHex(HELPER),
    Uint8Array.from([0x60, 1, 0x5f, 0x55, 0x5f, 0x5f, 0xa0, 0x60, 32, 0x5f, 0xf3]),
  )
  const { execResult } = await machine.vm.evm.runCall({
    caller: createAddressFromString(CALLER),
    to: createAddressFromString(PROGRAM),
    gasLimit: gas,
    // Long enough that some CALLDATALOADs are inside, at the end, and behind it.
    data: Uint8Array.from({ length: 50 }, (_, index) => index + 1),
    block,
  })
  const { accounts, storage } = overlay.takeDiff()
  return {
    gas: execResult.executionGasUsed,
    // Where it happened is in the library's words only.
    error: execResult.exceptionError?.error.replace(/ at .*/s, ''),
    output: execResult.returnValue,
    logs: execResult.logs,
    refund: execResult.gasRefund,
    accounts,
    storage,
  }
}

test.for([
  ['bpo2', 3000],
  ['london', 600],
  ['berlin', 600],
  ['istanbul', 600],
] as const)(
  'behavior: agrees with the library on random programs, %s',
  async ([hardfork, count]) => {
    const rules = rulesOf(hardfork)
    const random = new Random(2026)
    const errors = new Map<string, number>()
    for (let index = 0; index < count; index++) {
      const program = randomProgram(random)
      const gas = BigInt(random.pick([300, 3_000, 60_000]))
      const lean = await run(program, gas, rules, false)
      expect(lean, Buffer.from(program).toString('hex')).toEqual(
        await run(program, gas, rules, true),
      )
      const kind = lean.error ?? 'none'
      errors.set(kind, (errors.get(kind) ?? 0) + 1)
    }
    // Otherwise the programs would not say much; older hardforks lack opcodes that many of them begin with.
    const kinds = ['none', 'out of gas', 'stack underflow', 'invalid opcode']
    if (hardfork === 'bpo2') kinds.push('invalid JUMP', 'revert')
    for (const kind of kinds) expect(errors.get(kind) ?? 0, kind).toBeGreaterThan(10)
  },
)

test('behavior: a tracer sees every step', async () => {
  const { common } = rulesOf('bpo2')
  const machine = await Machine.create(common, codes, new VersionedStore(codes).view())
  const steps: string[] = []
  machine.vm.evm.events?.on('step', ({ opcode }) => {
    steps.push(opcode.name)
  })
  machine.pace.begin()
  await machine.vm.evm.runCode({ code: Uint8Array.from([0x60, 1, 0x60, 2, 0x01, 0x00]) })
  expect(steps).toEqual(['PUSH1', 'PUSH1', 'ADD', 'STOP'])
})
