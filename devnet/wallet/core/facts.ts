import type { TokenUnit } from '../../primitives/amounts.ts'
import { DevnetError } from '../../primitives/errors.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import { ContractFinder, type NamingSource, nameOf } from '../../rpc/naming/contractNames.ts'
import type { Describe } from '../../rpc/naming/decodeCall.ts'
import { readTokenUnit } from '../../rpc/naming/tokenFacts.ts'
import { isLocal, readChain } from './chainRpc.ts'
import { unlessAborted } from './inTime.ts'
import type { Session } from './session.ts'

/** Facts of the chain that a description shows, as far as they are known by then. */
export interface Facts {
  /** An address with its checksum, and its name if it has one. */
  readonly describe: Describe
  /** Units of amounts of tokens, by their addresses in lower case. */
  readonly units: ReadonlyMap<Hex, TokenUnit>
}

/** Most addresses of a request that are named, and tokens that are asked for their unit. */
const MAX_NAMED = 20
const MAX_TOKENS = 10

/**
 * Names contracts by the project's artifacts, and asks tokens for their units; not on chains whose
 * RPC is on another machine.
 *
 * @param text - with the addresses to name
 * @param tokens - in lower case
 * @param until - ends the look; the facts are those found by then
 */
export async function lookUp(
  session: Session,
  { text, tokens }: { readonly text: string; readonly tokens: readonly Hex[] },
  until: AbortSignal,
): Promise<Facts> {
  const { wallet } = session
  const names = new Map<Hex, string | null>()
  const units = new Map<Hex, TokenUnit>()
  const facts: Facts = {
    describe(address) {
      const name = names.get(address)
      return name ? `${wallet.checksum(address)} (${name})` : wallet.describe(address)
    },
    units,
  }
  if (!isLocal(session)) return facts
  const finder = contractFinder(session, until)
  // The pattern guarantees the type.
  const given = (text.toLowerCase().match(/\b0x[0-9a-f]{40}\b/g) ?? []) as Hex[]
  // Without artifacts, no code has a name.
  const found = wallet.naming.contracts === undefined ? [] : given
  const contracts = new Set(found.filter((one) => !wallet.node.accounts.includes(one)))
  const looks = [
    ...[...contracts].slice(0, MAX_NAMED).map(async (address) => {
      names.set(address, nameOf((await finder.contractsAt(address)).found))
    }),
    ...[...new Set(tokens)].slice(0, MAX_TOKENS).map(async (token) => {
      units.set(token, await unitOf(session, token, until))
    }),
  ]
  try {
    await unlessAborted(Promise.all(looks), until)
  } catch (error) {
    // The chain's RPC refuses, or does not answer: then there are no names.
    if (!(error instanceof DevnetError)) throw error
  }
  return facts
}

/** Finds contracts by their code on the active chain. */
export function contractFinder(session: Session, signal: AbortSignal): ContractFinder {
  const { naming } = session.wallet
  // Contracts of this node's project are not looked for on chains of other machines.
  const source: NamingSource = isLocal(session) ? naming : { ...naming, contracts: undefined }
  return new ContractFinder(source, async (method, ...params) => {
    const answer = await readChain(session, signal, method, ...params)
    // The RPC of an added chain may answer anything.
    return isBytes(answer) ? `0x${answer.slice(2).toLowerCase()}` : '0x'
  })
}

/** The unit of a token's amounts. */
export function unitOf(session: Session, token: Hex, signal: AbortSignal): Promise<TokenUnit> {
  return readTokenUnit((data) =>
    readChain(session, signal, 'eth_call', { to: token, data }, 'pending')
      // A token need not have these functions, and has no code yet if the simulation creates it.
      .catch(() => undefined),
  )
}

/** An address that has a name with the name first: `Router (0x9fE4…6e0)`. */
export function nameFirst(described: string): string {
  return described.replace(/^(0x[0-9a-f]{40}) \((.+)\)$/i, '$2 ($1)')
}
