import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import {
  type CopiedCall,
  castArguments,
  copiesOf,
} from '../../../../devnet/pages/dashboard/copyAs.ts'

const URL = 'http://127.0.0.1:8545'
const FROM = `0x${'11'.repeat(20)}`
const TO = `0x${'22'.repeat(20)}`
const TRANSFER: CopiedCall = {
  from: FROM,
  to: TO,
  value: 5n,
  data: '0xa9059cbb',
  functionSignature: 'transfer(address,uint256)',
  args: [TO, '7'],
}

test('a transaction becomes texts for viem, cast and curl', () => {
  expect(copiesOf(TRANSFER, URL)).toEqual({
    viem: `await createWalletClient({ transport: http("${URL}") }).sendTransaction({ account: '${FROM}', chain: null, to: '${TO}', value: 5n, data: '0xa9059cbb' })`,
    cast: `cast send --rpc-url '${URL}' --unlocked --from ${FROM} --value 5 -- ${TO} 'transfer(address,uint256)' '${TO}' '7'`,
    curl: `curl '${URL}' -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"${FROM}","to":"${TO}","value":"0x5","data":"0xa9059cbb"}]}'`,
  })
})

test('a call that only reads becomes eth_call, and needs no unlocked account', () => {
  const { viem, cast, curl } = copiesOf({ ...TRANSFER, value: 0n, isRead: true }, URL)
  expect(viem).toBe(
    `await createPublicClient({ transport: http("${URL}") }).call({ account: '${FROM}', to: '${TO}', data: '0xa9059cbb' })`,
  )
  expect(cast).toBe(
    `cast call --rpc-url '${URL}' --from ${FROM} -- ${TO} 'transfer(address,uint256)' '${TO}' '7'`,
  )
  expect(curl).toContain('"method":"eth_call"')
  expect(curl).toContain('"latest"]')
})

test('a creation and a plain transfer need no function', () => {
  const created = copiesOf({ to: null, value: 0n, data: '0x6000' }, URL)
  expect(created.cast).toBe(`cast send --rpc-url '${URL}' --create 0x6000`)
  expect(created.viem).not.toContain('to:')
  const sent = copiesOf({ to: TO, value: 1n, data: '0x' }, URL)
  expect(sent.cast).toBe(`cast send --rpc-url '${URL}' --value 1 -- ${TO}`)
})

const HOSTILE = [
  "'; touch /tmp/owned; '",
  '\u001b[201~rm -rf ~\n',
  'a\nb',
  '\\',
  '\u2018; calc \u2019',
  '\u202e',
]

test.each(HOSTILE)('an argument that a shell could misread is given as data: %j', (text) => {
  const { cast } = copiesOf({ ...TRANSFER, args: [text, '7'] }, URL)
  expect(cast).toMatch(/ 0xa9059cbb$/)
  expect(copiesOf({ ...TRANSFER, functionSignature: text }, URL).cast).toMatch(/ 0xa9059cbb$/)
})

test
  .skipIf(process.platform === 'win32')
  .each(['$(id) `id` "x" !x * ~ # & | ; <a> (1,2) [3]', '--private-key=1'])(
  'a shell passes an argument on as it is: %s',
  (text) => {
    const { cast } = copiesOf({ ...TRANSFER, args: [text] }, URL)
    const script = `cast() { printf '%s\\n' "$@"; }\n${cast}`
    const given = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\n')
    expect(given.at(-2)).toBe(text)
    expect(given.indexOf('--')).toBeLessThan(given.indexOf(text))
  },
)

test('what is not hexadecimal is refused', () => {
  expect(() => copiesOf({ ...TRANSFER, data: "0x'; id" }, URL)).toThrow(TypeError)
  expect(() => copiesOf({ ...TRANSFER, to: '0x22 33' }, URL)).toThrow(TypeError)
  expect(() => copiesOf({ ...TRANSFER, from: '' }, URL)).toThrow(TypeError)
})

test('decoded arguments are written as cast takes them', () => {
  const of = (type: string, value: string) => ({ name: '', type, value })
  expect(
    castArguments([
      of('uint256', '115792089237316195423570985008687907853 (unlimited)'),
      of('string', '"two words"'),
      {
        name: '',
        type: '(bool,int8)[]',
        value: [{ name: '', type: '(bool,int8)', value: [of('bool', 'true'), of('int8', '-3')] }],
      },
    ]),
  ).toEqual(['115792089237316195423570985008687907853', 'two words', '[(true,-3)]'])
})

test.each([
  ['bytes', '0x1234… and 5 more bytes'],
  ['string', '"a"… and 5 more bytes'],
  ['string', '"a,b]"'],
  ['string', '" a"'],
  ['string', '""'],
])('a %s that cast could misread leaves the arguments out: %s', (type, value) => {
  expect(castArguments([{ name: '', type, value }])).toBeUndefined()
})
