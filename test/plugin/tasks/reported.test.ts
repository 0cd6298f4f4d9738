import { expect, test, vi } from 'vitest'
import { ChainFileError, OptionError, RefusedError } from '../../../devnet/primitives/errors.ts'
import { reported } from '../../../plugin/tasks/reported.ts'

test('default', async () => {
  expect(await reported(async () => 7)).toEqual({ success: true, value: 7 })
})

test.each([
  new OptionError('--port is wrong.'),
  new RefusedError('There is no such block.'),
  new ChainFileError('chain.rlp, byte 5: the file ends.'),
  Object.assign(new Error('Port 8545 is in use.'), { name: 'ListenError' }),
])('one sentence for %s', async (error) => {
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const result = await reported(() => Promise.reject(error))
  expect(result).toEqual({ success: false, error: error.message })
  expect(print.mock.calls).toEqual([[error.message]])
  print.mockRestore()
})

test('a defect goes on to Hardhat', async () => {
  const defect = new TypeError('x is not a function')
  await expect(reported(() => Promise.reject(defect))).rejects.toBe(defect)
})
