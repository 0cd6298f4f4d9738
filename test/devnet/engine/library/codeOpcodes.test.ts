import { createAddressFromString } from '@ethereumjs/util'
import type { Hex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { overrideRunLoop } from '../../../../devnet/engine/library/runLoop.ts'
import { runTraced } from '../../../../devnet/engine/library/tracingLoop.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { type HardforkName, hardforks, isAtLeast } from '../../../../devnet/protocol/forks.ts'
import { ACCOUNT_STATE_GAS } from '../../../../devnet/protocol/gas.ts'
import { Codes } from '../../../../devnet/state/codes.ts'
import { addressKeyFromHex } from '../../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { createRpcChain } from '../../rpc/methods/rpcChain.ts'
import { CALLER, HELPER, PROGRAM, rulesOf } from '../programRules.ts'
import { createLibraryMachine } from './libraryMachine.ts'

const GAS = 200_000n
const LOOPS = ['fast', 'tracing'] as const
const FORKS = hardforks.filter((hardfork) => hardfork !== 'dao')
const since = (hardfork: HardforkName) => FORKS.filter((one) => isAtLeast(one, hardfork))

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

/** Runs `program` with {@link GAS}, beside an account with the code `helper`. */
async function run(
  program: string,
  hardfork: HardforkName,
  loop: (typeof LOOPS)[number],
  helper = '',
) {
  const { common, block } = rulesOf(hardfork, crypto)
  const codes = new Codes(crypto.keccak256)
  const { overlay, vm, scheduler } = await createLibraryMachine(
    common,
    codes,
    new VersionedStore(codes).view(),
  )
  if (loop === 'tracing') {
    const listener = { onStep: () => undefined, onStepEnd: () => undefined }
    overrideRunLoop(vm.evm, (interpreter, code) =>
      runTraced(interpreter, code, listener, scheduler),
    )
  }
  scheduler.begin()
  overlay.setBalance(addressKeyFromHex(CALLER), 10n ** 18n)
  overlay.setCode(addressKeyFromHex(PROGRAM), fromHex(`0x${program}`))
  overlay.setCode(addressKeyFromHex(HELPER), fromHex(`0x${helper}`))
  const { execResult } = await vm.evm.runCall({
    caller: createAddressFromString(CALLER),
    to: createAddressFromString(PROGRAM),
    gasLimit: GAS,
    block,
  })
  return {
    gas: execResult.executionGasUsed,
    output: toHex(execResult.returnValue),
    nonce: overlay.account(addressKeyFromHex(PROGRAM))?.nonce,
  }
}

const ZERO = '0'.repeat(64)
const RETURN_WORD = '60005260206000f3'

/** Of CREATE and CREATE2. From Amsterdam on, that of the account comes back (EIP-8037). */
function creationGas(hardfork: HardforkName): bigint {
  return isAtLeast(hardfork, 'amsterdam') ? 12_000n : 32_000n
}

/** Gas that stays with the creator, less that of the end of these programs. */
function leftBy(hardfork: HardforkName, before: bigint): bigint {
  const account = isAtLeast(hardfork, 'amsterdam') ? BigInt(ACCOUNT_STATE_GAS) : 0n
  return (GAS - before - account) / 64n + account - (3n + 3n + 2n * 3n)
}

describe.each(LOOPS)('in the %s loop', (loop) => {
  test.each(since('tangerineWhistle'))(
    'CREATE runs init code 0xef00, which uses up its gas, under %s',
    async (hardfork) => {
      // MSTORE(0, 0xef00), CREATE(0, 30, 2): five pushes, a word of memory, and EIP-3860's gas.
      const program = `61ef006000526002601e6000f0${RETURN_WORD}`
      const wordGas = isAtLeast(hardfork, 'shanghai') ? 2n : 0n
      const before = 5n * 3n + 3n + 3n + creationGas(hardfork) + wordGas
      // EIP-150: a 64th stays here, from which the result is stored and returned.
      const left = leftBy(hardfork, before)
      expect(await run(program, hardfork, loop)).toEqual({
        gas: GAS - left,
        output: `0x${ZERO}`,
        nonce: 1n,
      })
    },
  )

  test.each(since('constantinople'))('CREATE2 runs init code 0xef00 under %s', async (hardfork) => {
    const program = `61ef0060005260076002601e6000f5${RETURN_WORD}`
    const wordGas = isAtLeast(hardfork, 'shanghai') ? 8n : 6n
    const before = 6n * 3n + 3n + 3n + creationGas(hardfork) + wordGas
    const left = leftBy(hardfork, before)
    expect(await run(program, hardfork, loop)).toEqual({
      gas: GAS - left,
      output: `0x${ZERO}`,
      nonce: 1n,
    })
  })

  test.each(FORKS)(
    'EXTCODESIZE and EXTCODECOPY see all code that begins with 0xef00, under %s',
    async (hardfork) => {
      // MSTORE(32, EXTCODESIZE(HELPER)), EXTCODECOPY(HELPER, 0, 1, 32), RETURN(0, 64)
      const program = '60e03b602052602060016000' + '60e03c' + '60406000f3'
      const { output, gas } = await run(program, hardfork, loop, 'ef000102')
      expect(output).toBe(`0x${'000102'.padEnd(64, '0')}${'4'.padStart(64, '0')}`)
      expect(await run(program, hardfork, loop, '11000102')).toMatchObject({ output, gas })
    },
  )

  test('EXTCODECOPY pads with zeros, also from past the end', async () => {
    for (const [offset, rest] of [
      ['60ff', ''],
      [`68${'ff'.repeat(9)}`, ''],
      ['6002', '0304'],
    ] as const) {
      // MSTORE(0, NOT(0)), EXTCODECOPY(HELPER, 4, offset, 24), RETURN(0, 32)
      const program = `6000196000526018${offset}600460e03c60206000f3`
      const { output } = await run(program, 'bpo2', loop, '01020304')
      expect(output).toBe(`0xffffffff${rest.padEnd(48, '0')}ffffffff`)
    }
  })

  test.each(since('constantinople'))(
    'EXTCODEHASH is the hash of all code, under %s',
    async (hardfork) => {
      const program = `60e03f${RETURN_WORD}`
      for (const code of ['ef000102', 'ef00', 'ef', '11000102']) {
        const { output } = await run(program, hardfork, loop, code)
        expect(output).toBe(toHex(crypto.keccak256(fromHex(`0x${code}`))))
      }
      // An account that is not there has none.
      expect((await run(`60ff3f${RETURN_WORD}`, hardfork, loop)).output).toBe(`0x${ZERO}`)
    },
  )

  test.each<[HardforkName, boolean]>([
    ['berlin', true],
    ['london', false],
    ['bpo2', false],
  ])('code 0xef00 can be deployed until EIP-3541, under %s', async (hardfork, deploys) => {
    // Init code: MSTORE(0, 0xef00), RETURN(30, 2).
    const init = '61ef006000526002601ef3'
    const program = `6a${init}600052600b60156000f0${RETURN_WORD}`
    const { output, gas } = await run(program, hardfork, loop)
    expect(BigInt(output) !== 0n).toBe(deploys)
    expect(gas > 190_000n).toBe(!deploys)
  })

  test('a call of code 0xef00 uses up its gas', async () => {
    // CALL(gas 5000, HELPER, 0, 0, 0, 0, 0)
    const program = `6000600060006000600060e0611388f1${RETURN_WORD}`
    expect(await run(program, 'bpo2', loop, 'ef00')).toMatchObject({
      // Seven pushes, a cold account, what is forwarded, and the return of the result.
      gas: 7n * 3n + 2600n + 5000n + 15n,
      output: `0x${ZERO}`,
    })
  })
})

test('a receipt, its trace and the estimate agree on a creation of 0xef00', async () => {
  const chain = await createRpcChain()
  const to: Hex = '0x00000000000000000000000000000000c0de0001'
  await chain.call('hardhat_setCode', to, '0x61ef005f526002601e5ff05f5260205ff3')
  const from = chain.account(0).address
  const send = async (gas: Hex) => {
    const hash = await chain.call<Hex>('eth_sendTransaction', { from, to, gas })
    await chain.call('evm_mine')
    const receipt = await chain.call<{ status: Hex; gasUsed: Hex }>(
      'eth_getTransactionReceipt',
      hash,
    )
    const trace = await chain.call<{ failed: boolean; gas: number }>('debug_traceTransaction', hash)
    expect(trace).toMatchObject({ failed: receipt.status === '0x0', gas: Number(receipt.gasUsed) })
    return receipt
  }
  expect(await send('0x30d40')).toMatchObject({ status: '0x1', gasUsed: '0x30452' })
  const estimate = await chain.call<Hex>('eth_estimateGas', { from, to })
  expect(await send(estimate)).toMatchObject({ status: '0x1' })
})
