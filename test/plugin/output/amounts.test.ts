import { expect, test } from 'vitest'
import { amount } from '../../../plugin/output/text-log.ts'

test.each([
  [0n, '0 ETH'],
  [1n, '1 wei'],
  [99_999n, '99999 wei'],
  [100_000n, '0.0001 gwei'],
  [2_500_000_000n, '2.5 gwei'],
  [99_999n * 10n ** 9n, '99999 gwei'],
  [10n ** 14n, '0.0001 ETH'],
  [10n ** 18n, '1 ETH'],
  [1_500_000_000_000_000_001n, '1.500000000000000001 ETH'],
  [
    2n ** 256n - 1n,
    '115792089237316195423570985008687907853269984665640564039457.584007913129639935 ETH',
  ],
])('args: %s', (wei, text) => {
  expect(amount(wei)).toBe(text)
})
