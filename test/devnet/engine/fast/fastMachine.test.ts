import { setImmediate as turn } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Core, SLICE } from '../../../../devnet/engine/core/core.ts'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { Executor } from '../../../../devnet/engine/executor.ts'
import { FastMachine } from '../../../../devnet/engine/fast/fastMachine.ts'
import { type EngineChoice, fastEngine, whyLibrary } from '../../../../devnet/engine/fast/route.ts'
import { selfTestFailure } from '../../../../devnet/engine/fast/selfTest.ts'
import type { CallOptions } from '../../../../devnet/engine/types.ts'
import { fromHex, type Hex, toHex } from '../../../../devnet/primitives/hex.ts'
import { forkRules, type HardforkName, hardforks } from '../../../../devnet/protocol/forks.ts'
import { precompileNumbers } from '../../../../devnet/protocol/precompiles.ts'
import type { TransactionFields } from '../../../../devnet/protocol/transaction.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressHex, addressKeyFromHex } from '../../../../devnet/state/keys.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { BLOCK } from './randomWorld.ts'

const SENDER = fromHex('0x00000000000000000000000000000000000000c1')
const PROGRAM: Hex = '0x00000000000000000000000000000000000000a1'

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

function createExecutor(engine: EngineChoice, hardfork: HardforkName = 'bpo2') {
  const codes = new Codes(crypto.keccak256)
  return new Executor({ rules: forkRules(hardfork), crypto, codes, engine })
}

/** A machine on a state with one program and a rich sender. */
async function createMachine(executor: Executor, code: Hex) {
  const codes = new Codes(crypto.keccak256)
  const store = new VersionedStore(codes)
  const state = new Overlay(store.view(), codes)
  state.setBalance(addressKeyFromHex(toHex(SENDER)), 10n ** 20n)
  state.setCode(addressKeyFromHex(PROGRAM), fromHex(code))
  store.commit(state.takeDiff())
  return executor.acquire(store.view(), () => new Uint8Array(32))
}

function transaction(fields: Partial<TransactionFields>): TransactionFields {
  return {
    type: 2,
    from: SENDER,
    to: fromHex(PROGRAM),
    nonce: 0n,
    gasLimit: 1_000_000n,
    value: 0n,
    data: new Uint8Array(0),
    maxFeePerGas: 7n,
    maxPriorityFeePerGas: 0n,
    accessList: [],
    maxFeePerBlobGas: 0n,
    blobVersionedHashes: [],
    authorizationList: [],
    ...fields,
  }
}

async function call(code: Hex, fields: Partial<TransactionFields>, options: CallOptions = {}) {
  const executor = createExecutor('fast')
  const machine = await createMachine(executor, code)
  const execution = await executor.call(machine, transaction(fields), BLOCK, options)
  return { execution, diff: machine.overlay.takeDiff() }
}

describe('a creation that reverts with data that begins with 0xef (EIP-3541)', () => {
  // MSTORE8(0, 0xef), REVERT(0, 1).
  const INIT = '60ef5f5360015ffd'

  test('keeps its gas and its data', async () => {
    const { execution } = await call('0x', { to: undefined, data: fromHex(`0x${INIT}`) })
    expect(execution).toMatchObject({ success: false, failure: 'revert' })
    expect(toHex(execution.returnData)).toBe('0xef')
    expect(execution.gasUsed).toBeLessThan(60_000n)
  })

  test('in CREATE', async () => {
    // MSTORE(0, INIT), CREATE(0, 24, 8), POP, RETURNDATACOPY(0, 0, RETURNDATASIZE), RETURN(0, 1).
    const code: Hex = `0x67${INIT}5f52600860185ff0503d5f5f3e60015ff3`
    const { execution } = await call(code, {})
    expect(toHex(execution.returnData)).toBe('0xef')
    expect(execution.gasUsed).toBeLessThan(60_000n)
  })

  test('code that begins with 0xef is refused', async () => {
    // MSTORE8(0, 0xef), RETURN(0, 1).
    const { execution } = await call('0x', { to: undefined, data: fromHex('0x60ef5f5360015ff3') })
    expect(execution).toMatchObject({ failure: 'invalidCode', gasUsed: 1_000_000n })
  })
})

describe('route', () => {
  test.each(hardforks)('the fast engine from Berlin on, %s', async (hardfork) => {
    const isNew = hardforks.indexOf(hardfork) >= hardforks.indexOf('berlin')
    expect(await fastEngine(forkRules(hardfork))).toBe(isNew ? FastMachine : undefined)
  })

  test('a traced machine, and gas beyond 2^53, are for the library', async () => {
    const machine = await createMachine(createExecutor('fast'), '0x')
    expect(machine.fast).toBeInstanceOf(FastMachine)
    expect(whyLibrary(machine, 2n ** 53n - 1n)).toBeUndefined()
    expect(whyLibrary(machine, 2n ** 53n)).toBe('gas')
    machine.isTraced = true
    expect(whyLibrary(machine, 21_000n)).toBe('trace')
  })

  test('the library without the option, or before Berlin', async () => {
    for (const executor of [createExecutor('library'), createExecutor('fast', 'istanbul')]) {
      expect((await createMachine(executor, '0x')).fast).toBeUndefined()
    }
  })

  test('what the core has no memory for runs in the library', async () => {
    // Code of 300,000 bytes, which no core decodes: STOP, and zeros.
    const executor = createExecutor('fast')
    const machine = await createMachine(executor, `0x${'00'.repeat(300_000)}`)
    machine.console.add(new Uint8Array(1))
    const execution = await executor.run(machine, transaction({ value: 5n }), BLOCK)
    expect(execution).toMatchObject({ success: true, gasUsed: 21_000n, printed: undefined })
    expect(machine.overlay.account(addressKeyFromHex(PROGRAM))?.balance).toBe(5n)
  })

  test('what needs more codes by turns than the core holds runs in the library', async () => {
    const COUNT = 70
    const addressOf = (index: number) => (0xc0de00 + index).toString(16).padStart(40, '0')
    // Each stops at once. What follows is full of jump targets, which take the most room.
    const codeOf = (index: number): Hex =>
      `0x00${'60015b50'.repeat(6_000)}${index.toString(16).padStart(4, '0')}`
    const calls = Array.from(
      { length: COUNT },
      (_, index) => `5f5f5f5f5f73${addressOf(index)}5af150`,
    )
    const loop: Hex = `0x5b${calls.join('')}5f56`
    const run = async (engine: EngineChoice, gasLimit: bigint) => {
      const executor = createExecutor(engine)
      const machine = await createMachine(executor, loop)
      for (let index = 0; index < COUNT; index++) {
        machine.overlay.setCode(addressKeyFromHex(`0x${addressOf(index)}`), fromHex(codeOf(index)))
      }
      return await executor.call(machine, transaction({ gasLimit }), BLOCK)
    }
    const inFast = vi.spyOn(FastMachine.prototype, 'call')
    onTestFinished(() => inFast.mockRestore())
    for (const [gasLimit, ended] of [
      // One round is no reason.
      [300_000n, 'fulfilled'],
      [1_000_000n, 'rejected'],
    ] as const) {
      const fast = await run('fast', gasLimit)
      expect(inFast.mock.settledResults.at(-1)?.type).toBe(ended)
      expect(fast).toEqual(await run('library', gasLimit))
    }
  })

  test('the self-test passes, and fails if the core is wrong', () => {
    expect(selfTestFailure()).toBeUndefined()
    const { gasLeft, run } = Core.prototype
    try {
      Core.prototype.gasLeft = () => 1
      expect(selfTestFailure()).toMatchObject({
        message: 'its self-test gave a wrong result',
      })
      Core.prototype.gasLeft = gasLeft
      Core.prototype.run = () => {
        throw new Error('no SIMD')
      }
      expect(selfTestFailure()).toMatchObject({ message: 'no SIMD' })
    } finally {
      Object.assign(Core.prototype, { gasLeft, run })
    }
  })

  test('a core that does not work is told once', async () => {
    vi.resetModules()
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    onTestFinished(() => {
      log.mockRestore()
      vi.resetModules()
    })
    // Modules of their own: the others keep a core that works.
    const { Core } = await import('../../../../devnet/engine/core/core.ts')
    const { fastEngine } = await import('../../../../devnet/engine/fast/route.ts')
    Core.prototype.run = () => {
      throw new Error('no SIMD')
    }
    for (let node = 0; node < 2; node++) {
      expect(await fastEngine(forkRules('osaka'))).toBeUndefined()
    }
    expect(log.mock.calls).toEqual([
      [
        'hardhat-pending-node: the fast engine does not work here, and @ethereumjs/vm executes everything: Error: no SIMD',
      ],
    ])
  })
})

describe('looks at the clock', () => {
  const KECCAK = '6127105f2050'

  test.each([
    // Opcodes that are paid within a block; opcodes of the host without anything between them.
    ['KECCAK256 of 10,000 bytes', KECCAK.repeat(400), SLICE + 2_000],
    ['BALANCE', `5f${'31'.repeat(9_000)}`, SLICE],
    ['EXTCODECOPY of 10,000 bytes', '6127105f5f5f3c'.repeat(500), SLICE + 1_100],
    ['LOG0 of 1,000 bytes', '6103e85fa0'.repeat(100), SLICE + 8_400],
  ])('once a slice at least, %s', async (_, code, most) => {
    const executor = createExecutor('fast')
    const gasUsed: bigint[] = []
    for (const pauses of [false, true]) {
      const machine = await createMachine(executor, `0x${code}`)
      const due = vi.spyOn(machine.scheduler, 'yieldIfDue')
      due.mockImplementation(() => (pauses ? turn() : undefined))
      const execution = await executor.call(machine, transaction({}), BLOCK, {})
      expect(execution.failure).toBeUndefined()
      gasUsed.push(execution.gasUsed)
      const used = Number(execution.gasBeforeRefund) - 21_000
      expect(used).toBeGreaterThan(500_000)
      expect(due.mock.calls.length).toBeGreaterThanOrEqual(Math.floor(used / most))
    }
    expect(gasUsed[1]).toBe(gasUsed[0])
  })

  // IDENTITY runs at once; MODEXP answers with a promise, whichever thread it runs on.
  test.each([4, 5])('after each precompile, %i', async (number) => {
    const executor = createExecutor('fast')
    // STATICCALL(gas, number, 0, 0, 0, 0).
    const machine = await createMachine(executor, `0x${`5f5f5f5f600${number}5afa50`.repeat(30)}`)
    const due = vi.spyOn(machine.scheduler, 'yieldIfDue')
    const sampled = vi.spyOn(machine.scheduler, 'yieldIfDueSampled')
    const execution = await executor.call(machine, transaction({}), BLOCK, {})
    expect(execution.failure).toBeUndefined()
    expect(due.mock.calls.length).toBeGreaterThanOrEqual(30)
    expect(sampled).not.toHaveBeenCalled()
  })
})

describe('precompiles', () => {
  test.each(hardforks)('those of the library, %s', async (hardfork) => {
    const { evm } = await (await createMachine(createExecutor('library', hardfork), '0x')).library()
    const numbers = precompileNumbers(forkRules(hardfork))
    expect([...numbers].map(([key, number]) => [addressHex(key), number]).sort()).toEqual(
      [...evm.precompiles.keys()].map((digits) => [`0x${digits}`, Number(`0x${digits}`)]).sort(),
    )
  })

  test('a failed one says what is wrong with its input', async () => {
    const { execution } = await call('0x', {
      to: fromHex(`0x${'0'.repeat(39)}9`),
      data: Uint8Array.of(1, 2),
    })
    expect(execution).toMatchObject({
      failure: 'inputLength',
      gasUsed: 1_000_000n,
    })
  })
})

describe('refusals', () => {
  test.each<[string, Partial<TransactionFields>]>([
    ['INTRINSIC_GAS_TOO_LOW', { gasLimit: 20_999n }],
    ['is less than the block', { maxFeePerGas: 6n }],
    ['enough funds', { value: 10n ** 21n }],
    ['correct nonce', { nonce: 1n }],
    ['not EOA', { from: fromHex(PROGRAM), maxFeePerGas: 7n, gasLimit: 21_000n }],
  ])('%s', async (message, fields) => {
    const executor = createExecutor('fast')
    const machine = await createMachine(executor, '0x00')
    await expect(async () => executor.run(machine, transaction(fields), BLOCK)).rejects.toThrow(
      message,
    )
    expect(machine.overlay.takeDiff()).toEqual({ accounts: new Map(), storage: new Map() })
  })
})
