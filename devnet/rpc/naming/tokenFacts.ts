import type { TokenUnit } from '../../primitives/amounts.ts'
import { fromHex, type Hex, isBytes } from '../../primitives/hex.ts'
import { decoded, wordIn } from './tokenMoves.ts'

/** Calls a token on the pending state; `undefined` if it reverts, or there is no answer in time. */
export type AskToken = (data: Hex) => Promise<unknown>

const MAX_SYMBOL_LENGTH = 20

/** Most decimals with which an amount of 256 bits still has a digit before the point. */
const MOST_DECIMALS = 77n

/** Limits of decoding an answer. */
const LIMITS = { elements: 1, values: 2, bytes: MAX_SYMBOL_LENGTH }

/** Asks a token for its symbol and decimals, which it need not have. */
export async function readTokenUnit(ask: AskToken): Promise<TokenUnit> {
  const [symbol, answer] = await Promise.all([ask('0x95d89b41'), ask('0x313ce567')])
  const decimals = wordIn(answer)
  return {
    symbol: textIn(symbol) ?? null,
    decimals: decimals !== undefined && decimals <= MOST_DECIMALS ? Number(decimals) : null,
  }
}

/** A symbol as a string or, as some old tokens answer it, as 32 bytes. */
function textIn(data: unknown): string | undefined {
  if (!isBytes(data)) return undefined
  const [symbol] = decoded(['string'], data, LIMITS)
  const text =
    symbol === undefined && data.length === 66
      ? Buffer.from(fromHex(data)).toString().replace(/\0+$/, '')
      : symbol?.value
  if (typeof text !== 'string' || text === '') return undefined
  return symbol !== undefined && symbol.omitted > 0 ? `${text}…` : text
}
