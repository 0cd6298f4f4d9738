import { tokenAmount } from '../../primitives/amounts.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { DecodedArgument } from '../../rpc/naming/types.ts'
import type { TokenRegistry } from './tokenRegistry.ts'

/**
 * Positions of the parameter that is an amount of the token, by signature. Only what ERC-20 and
 * ERC-2612 say: a deposit may be counted in anything.
 */
const AMOUNT_AT: ReadonlyMap<string, number> = new Map([
  ['transfer(address,uint256)', 1],
  ['transferFrom(address,address,uint256)', 2],
  ['approve(address,uint256)', 1],
  ['increaseAllowance(address,uint256)', 1],
  ['decreaseAllowance(address,uint256)', 1],
  ['permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', 2],
  ['Transfer(address,address,uint256)', 2],
  ['Approval(address,address,uint256)', 2],
])

/** Functions whose result is an amount of the token. */
const RESULTS: ReadonlySet<string> = new Set([
  'balanceOf(address)',
  'allowance(address,address)',
  'totalSupply()',
])

/** Arguments of a function or an event of a token, with the amount among them in its unit. */
export function withAmount(
  tokens: TokenRegistry,
  token: Hex,
  signature: string,
  list: readonly DecodedArgument[],
): Promise<readonly DecodedArgument[]> {
  return withUnit(tokens, token, AMOUNT_AT.get(signature), list)
}

/** The results of a function of a token, with their amount in its unit. */
export function withResult(
  tokens: TokenRegistry,
  token: Hex,
  signature: string,
  list: readonly DecodedArgument[],
): Promise<readonly DecodedArgument[]> {
  return withUnit(tokens, token, RESULTS.has(signature) ? 0 : undefined, list)
}

async function withUnit(
  tokens: TokenRegistry,
  token: Hex,
  at: number | undefined,
  list: readonly DecodedArgument[],
): Promise<readonly DecodedArgument[]> {
  const digits = at === undefined ? undefined : /^\d+/.exec(String(list[at]?.value))?.[0]
  if (digits === undefined || list[at ?? 0]?.type !== 'uint256') return list
  const facts = await tokens.factsOf(token)
  if (facts.decimals === null || facts.symbol === null || facts.isCollectible) return list
  const amount = tokenAmount(BigInt(digits), facts)
  return list.map((one, index) => (index === at ? { ...one, amount } : one))
}
