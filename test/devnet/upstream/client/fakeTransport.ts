import type { HttpAnswer, Transport } from '../../../../devnet/upstream/client/httpTransport.ts'
import type { VirtualUpstreamTime } from '../../../support/virtualUpstreamTime.ts'

/** An item of a request. */
export interface Asked {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Answers to a request, or what happens in their place. */
export type Server = (items: readonly Asked[], now: number) => Partial<HttpAnswer> | 'hang' | Error

/** An upstream whose answers take `roundTrip` ms of virtual time. Default: 50 */
export function transportTo(
  server: Server,
  time: VirtualUpstreamTime,
  roundTrip: (methods: readonly string[]) => number = () => 50,
) {
  const requests: { readonly at: number; readonly items: number; readonly methods: string[] }[] = []
  let inFlight = 0
  let mostInFlight = 0
  const transport: Transport = {
    async post(body, signal) {
      const parsed: unknown = JSON.parse(body)
      // The client writes JSON-RPC.
      const items = (Array.isArray(parsed) ? parsed : [parsed]) as Asked[]
      const methods = items.map(({ method }) => method)
      requests.push({ at: time.now(), items: items.length, methods })
      mostInFlight = Math.max(mostInFlight, ++inFlight)
      try {
        const answer = server(items, time.now())
        await new Promise<void>((resolve, reject) => {
          if (answer !== 'hang') time.after(roundTrip(methods), resolve)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
        if (answer instanceof Error) throw answer
        if (answer === 'hang') throw new Error('unreachable')
        return { status: 200, retryAfter: undefined, body: '', ...answer }
      } finally {
        inFlight--
      }
    },
    close: () => Promise.resolve(),
  }
  return { transport, requests, mostInFlight: () => mostInFlight }
}

/** Answers each item with its first parameter. */
export function answered(items: readonly Asked[], isBatch = items.length > 1): Partial<HttpAnswer> {
  const answers = items.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: params[0] }))
  return { body: JSON.stringify(isBatch ? answers : answers[0]) }
}
