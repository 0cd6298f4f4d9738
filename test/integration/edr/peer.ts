/** The error of a JSON-RPC answer, with `data` as `hardhat node` puts it on the wire. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** What a node answers. */
export type Outcome = { readonly result: unknown } | { readonly error: RpcError }

/** One of the two nodes that get the same requests. */
export interface Peer {
  readonly name: 'ours' | 'EDR'
  request(method: string, params?: readonly unknown[]): Promise<Outcome>
  stop(): Promise<void>
}

/** How both nodes start. */
export interface PeerOptions {
  readonly chainId: number
  /** s since the epoch, of the genesis block. */
  readonly timestamp: number
  /** wei, of the genesis block. */
  readonly baseFee: bigint
  readonly gasLimit: number
  readonly hardfork: Hardfork
}

/** Those that both nodes know; each block of them is made without work. */
export const HARDFORKS = ['osaka', 'prague', 'cancun', 'shanghai', 'paris'] as const

/** Of Amsterdam EDR has four of its EIPs: `amsterdam.test.ts` has what must agree. */
export type Hardfork = (typeof HARDFORKS)[number] | 'amsterdam'

/** The answer that `ask` brings about; errors without a code are no answers. */
export async function outcomeOf(ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { result: (await ask()) ?? null }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') {
      throw error
    }
    const data = 'data' in error ? error.data : undefined
    const body = { code: error.code, message: error.message }
    return { error: data === undefined || data === null ? body : { ...body, data } }
  }
}
