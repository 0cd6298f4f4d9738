/** What Hardhat's own network says of a failure, and geth, whose words this node has. */
const WORDS: readonly (readonly [own: RegExp, geths: string])[] = [
  [
    /VM Exception while processing transaction: reverted with (?:reason string|custom error) '(.*)'/,
    'execution reverted: $1',
  ],
  [panic('1'), 'execution reverted: assert(false)'],
  [panic('11'), 'execution reverted: arithmetic underflow or overflow'],
  [panic('12'), 'execution reverted: division or modulo by zero'],
  [panic('21'), 'execution reverted: enum overflow'],
  [panic('31'), 'execution reverted: out-of-bounds array access; popping on an empty array'],
  [panic('32'), 'execution reverted: out-of-bounds access of an array or bytesN'],
  [/VM Exception while processing transaction: invalid opcode/, 'invalid opcode: INVALID'],
  [
    /Transaction reverted: trying to deploy a contract whose code is too large/,
    'max code size exceeded',
  ],
  [/Transaction reverted/g, 'execution reverted'],
]

function panic(code: string): RegExp {
  return new RegExp(`VM Exception .* panic code 0x${code} .*`)
}

/** A message of Hardhat's own network, or a text with one, as geth would say it. */
export function inGethsWords(message: string): string {
  return WORDS.reduce((text, [own, geths]) => text.replace(own, geths), message)
}
