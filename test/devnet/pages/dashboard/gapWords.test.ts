import { expect, test } from 'vitest'
import { gapWords, waitingWords } from '../../../../devnet/pages/dashboard/gapWords.ts'

const gap = (from: number, to = from) => ({ from, to })

test('one nonce, several of one gap, and several gaps', () => {
  expect(gapWords([gap(3)])).toBe('nonce 3 is missing')
  expect(gapWords([gap(0, 4)])).toBe('nonces 0 to 4 are missing')
  expect(gapWords([gap(0, 4), gap(7, 8)])).toBe('nonces 0 to 4 and 7 to 8 are missing')
  expect(gapWords([gap(1), gap(3), gap(5, 9)])).toBe('nonces 1, 3 and 5 to 9 are missing')
})

test('many gaps are counted', () => {
  const gaps = [1, 3, 5, 7, 9].map((nonce) => gap(nonce))
  expect(gapWords(gaps)).toBe('nonces 1, 3, 5 and 2 more are missing')
})

test('those that wait agree in number with what they wait for', () => {
  expect(waitingWords([gap(0)], 1)).toBe('Nonce 0 is missing: 1 transaction waits for it.')
  expect(waitingWords([gap(0)], 2)).toBe('Nonce 0 is missing: 2 transactions wait for it.')
  expect(waitingWords([gap(0, 4)], 3)).toBe(
    'Nonces 0 to 4 are missing: 3 transactions wait for them.',
  )
  expect(waitingWords([gap(0, 4), gap(7)], 1)).toBe(
    'Nonces 0 to 4 and 7 are missing: 1 transaction waits for them.',
  )
})
