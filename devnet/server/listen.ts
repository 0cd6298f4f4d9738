import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { urlHost } from './access.ts'

/**
 * Starts listening; resolves with the address.
 *
 * @throws {ListenError}
 */
export async function listen(server: Server, place: Place): Promise<AddressInfo> {
  const { port, hostname } = place
  await new Promise<void>((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      const code = cause.code ?? 'UNKNOWN'
      reject(new ListenError(code, sentence(code, cause, place), { cause }))
    }
    server.once('error', onError)
    server.listen(port, hostname, () => {
      server.off('error', onError)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') {
    throw new Error(`the server listens at ${address}, which is not a TCP port`)
  }
  return address
}

/** The server cannot listen on the given address; the message says what to do. */
export class ListenError extends Error {
  override name = 'ListenError'
  /** System error code, such as `EADDRINUSE`. */
  readonly code: string
  constructor(code: string, message: string, options: { cause: unknown }) {
    super(message, options)
    this.code = code
  }
}

interface Place {
  readonly port: number
  readonly hostname: string
  /** The option that chose the port, as users write it. */
  readonly portOption: string
}

function sentence(code: string, error: Error, { port, hostname, portOption }: Place): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${hostname} is in use: stop the other process, or choose another port with ${portOption} (0 picks a free one).`
    case 'EACCES':
      return `Port ${port} on ${hostname} needs more rights than this process has: choose a port above 1023 with ${portOption} (0 picks a free one).`
    case 'EADDRNOTAVAIL':
      return `${hostname} is not an address of this machine: choose another with --hostname, such as 127.0.0.1.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${hostname} does not resolve to an address: choose another with --hostname, such as 127.0.0.1.`
    default:
      return `Cannot listen on ${urlHost(hostname)}:${port}: ${error.message}.`
  }
}
