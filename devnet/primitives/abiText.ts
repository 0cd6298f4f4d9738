/** Decimal places of a unit of ether. */
const UNITS: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18, eth: 18 }

/** Longest text of a number, in characters. */
const LONGEST = 120

/**
 * A whole number as people write it, e.g. `-5`, `0x1f`, `1_000`, `1,000`, `1.5e18`, `0.5 ether` or
 * `20 gwei`, of which units mean wei; `undefined` if the text is none.
 */
export function integerOf(text: string): bigint | undefined {
  const given = text.trim()
  if (given.length > LONGEST) return undefined
  if (/^0x[0-9a-f]{1,64}$/i.test(given)) return BigInt(given)
  // Commas are taken only where a page writes them: elsewhere one could mean a fraction.
  const isGrouped = /^-?\d{1,3}(?:,\d{3})+(?![\d,])/.test(given)
  const plain = given.replace(/(?<=\d)_(?=\d)/g, '').replace(isGrouped ? /,/g : /(?!)/, '')
  const form = /^(-?)(\d+)(?:\.(\d+))?(?:e\+?(\d{1,2}))?(?: *(wei|gwei|ether|eth))?$/i
  const [, sign, whole = '', fraction = '', exponent = '0', unit = 'wei'] = form.exec(plain) ?? []
  if (whole === '') return undefined
  const places = Number(exponent) + (UNITS[unit.toLowerCase()] ?? 0)
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > places) return undefined
  const value = BigInt(whole + digits.padEnd(places, '0'))
  return sign === '-' ? -value : value
}

/**
 * Reason why a text is no value of an elementary type, in words for the person who typed it;
 * `undefined` if it is one.
 */
export function valueProblem(type: string, given: string): string | undefined {
  const text = given.trim()
  const [, kind = '', digits = ''] = /^(u?int|bytes)(\d*)$/.exec(type) ?? []
  const bits = Number(digits)
  // An ABI may have been written by anybody.
  const isType = kind === 'bytes' ? bits <= 32 : bits > 0 && bits <= 256 && bits % 8 === 0
  if (kind !== '' && !isType) return `no type ${type}`
  if (kind === 'bytes') {
    if (!/^0x(?:[0-9a-f]{2})*$/i.test(text)) return `${type} wants 0x and an even number of digits`
    const size = text.length / 2 - 1
    if (digits === '' || size === bits) return undefined
    return `${type} wants ${digits} bytes, not ${size}`
  }
  if (kind !== '') {
    const value = integerOf(text)
    if (value === undefined) {
      return `${type} wants a whole number, such as 12, 1e18, 0.5 ether or 20 gwei`
    }
    const fitting = kind === 'int' ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)
    return fitting === value ? undefined : `${text} does not fit into ${type}`
  }
  if (type === 'address') {
    return /^0x[0-9a-f]{40}$/i.test(text) ? undefined : 'address wants 0x and 40 digits'
  }
  if (type === 'bool') return /^(?:true|false)$/.test(text) ? undefined : 'bool wants true or false'
  return type === 'string' ? undefined : `no type ${type}`
}
