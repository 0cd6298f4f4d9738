import { type Hex, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import { expectOnlyErrorsDiffer } from '../../support/errorForms.ts'
import { CODE, createExecutionChain, NOBODY, OTHER, overrides } from './harness.ts'

test('args: errors: nothing but the errors differs', async () => {
  const node = await createExecutionChain()
  const { address: to, encode } = await node.deploy('Playground')
  const { from } = node
  const calls: CallRequest[] = [
    { from, to: NOBODY, value: 1n },
    { from, to, data: encode('store', 1n, 2n) },
    { from, to, data: encode('failWithReason', 'no') },
    { from, to, data: encode('failWithReason', '') },
    { from, to, data: encode('failWithError', 7n) },
    { from, to, data: encode('failWithPanic', []) },
    { from, to, data: '0xffffffff' },
    { from, to, data: encode('tryAndFail', 1n, 2n) },
    { from, to, data: encode('burnGas', 100_000n), gas: 50_000n },
    { from, to: CODE, gas: 100_000n },
    { from, to: OTHER, gas: 100_000n },
    // A creation that fails, and one that reverts with a byte.
    { from, data: '0xfe', gas: 100_000n },
    { from, data: '0x60015ffd', gas: 100_000n },
  ]
  const payload = {
    traceTransfers: true,
    blockStateCalls: [
      {
        // A jump to nowhere; a stack that is empty.
        stateOverrides: overrides({ [CODE]: { code: '0x5f5600' }, [OTHER]: { code: '0x50' } }),
        calls,
      },
      { calls },
    ],
  }
  const strings = await node.simulate(payload, { format: { errors: 'string' } })
  const objects = await node.simulate(payload, { format: { errors: 'object' } })
  expect(expectOnlyErrorsDiffer(strings, objects)).toBe(2 * 10)
  const errors = (strings[0]?.calls ?? []).map(({ error, returnData }) => [
    error,
    returnData.slice(0, 10),
  ])
  const reverted = (data: Hex, reason?: string) => [
    `execution reverted${reason === undefined ? '' : `: ${reason}`}`,
    data,
  ]
  expect(errors.slice(2)).toEqual([
    reverted('0x08c379a0', 'no'),
    // Solidity encodes the empty reason too.
    ['execution reverted: ', '0x08c379a0'],
    reverted(toFunctionSelector('Refused(address,uint256)')),
    reverted('0x4e487b71', 'out-of-bounds access of an array or bytesN'),
    reverted('0x'),
    [undefined, '0x'],
    ['out of gas', '0x'],
    ['invalid jump destination', '0x'],
    ['stack underflow', '0x'],
    ['invalid opcode: INVALID', '0x'],
    reverted('0x00'),
  ])
})
