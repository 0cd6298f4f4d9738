import { expect, test } from 'vitest'
import { JsonText } from '../../../devnet/primitives/jsonText.ts'
import { resultText } from '../../../devnet/rpc/jsonRpc.ts'

const TEXT = '{"a":[1,{"b":"\\u003c"}],"c":null}'

test('default: an answer holds the text as it stands', () => {
  expect(String(resultText('7', new JsonText(TEXT)))).toBe(
    `{"jsonrpc":"2.0","id":7,"result":${TEXT}}`,
  )
})
