import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { RefusedError, RejectedError } from '../../../devnet/primitives/errors.ts'
import { createShow } from '../../../devnet/rpc/show.ts'
import { createRpcChain, hex } from './methods/rpcChain.ts'

const POOR = `0x${'5a'.repeat(20)}` as const
const CONTRACT = `0x${'c0'.repeat(20)}` as const

test('what an error is decides its code, not its text', async () => {
  const { context } = await createRpcChain({ profile: 'base-flashblocks' })
  const show = createShow(context)
  const thrown = (error: Error) => {
    try {
      return show?.('eth_call', () => {
        throw error
      })
    } catch (shown) {
      return shown
    }
  }
  const text = 'insufficient funds'
  expect(thrown(new RejectedError('not this time'))).toMatchObject({ code: -32003 })
  expect(thrown(new RefusedError(text))).toMatchObject({ code: -32000, message: text })
  expect(createShow((await createRpcChain()).context)).toBe(undefined)
})

test.each([
  ['base-flashblocks', -32003],
  ['plain', -32000],
] as const)('in profile %s, a rejection has code %i', async (profile, code) => {
  const { call, failure, account, engine } = await createRpcChain({ profile, mempoolSize: 1 })
  const sign = (fields: object) =>
    privateKeyToAccount(account(0).privateKey).signTransaction({
      to: POOR,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      chainId: engine.chainId,
      ...fields,
    })
  const from = account(0).address
  const send = async (fields: object) => failure('eth_sendRawTransaction', await sign(fields))
  await call('hardhat_setCode', CONTRACT, '0x00')
  const tooLarge = `0x${'00'.repeat(49_153)}` as const
  const rejections = {
    'insufficient funds for gas': [
      await send({ value: 10n ** 30n }),
      await failure('eth_call', { from: POOR, to: POOR, value: '0x1' }),
      await failure('eth_estimateGas', { from: POOR, to: POOR, value: '0x1' }),
    ],
    'insufficient funds for transfer': [
      await failure('eth_estimateGas', {
        from: POOR,
        to: POOR,
        value: '0x1',
        gasPrice: hex(10n ** 10n),
      }),
    ],
    'max priority fee per gas higher': [
      await failure('eth_call', { from, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }),
    ],
    'max initcode size exceeded': [
      await send({ to: undefined, data: tooLarge, gas: 10_000_000n }),
      await failure('eth_call', { from, data: tooLarge }),
    ],
    'transaction type not supported': [await failure('eth_sendRawTransaction', '0x05c0')],
  }
  for (const [words, failures] of Object.entries(rejections)) {
    for (const one of failures) {
      expect(one).toMatchObject({ code, message: expect.stringContaining(words) })
    }
  }
  const refused = { code: -32000 }
  expect(await send({ gas: 20_000n })).toMatchObject(refused)
  await call('eth_sendRawTransaction', await sign({ nonce: 5 }))
  expect(await send({ nonce: 5 })).toMatchObject({
    ...refused,
    message: 'already known; it waits in the mempool behind a nonce gap',
  })
  expect(await send({ nonce: 6 })).toMatchObject({
    code,
    message: expect.stringMatching(/^txpool is full/),
  })
})
