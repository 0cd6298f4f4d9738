import type { IncomingMessage } from 'node:http'

const FIRST_SIZE = 64 * 1024

/**
 * Reads the body of a request, and calls `done` with it as text, or with `undefined` as soon as it is known to be
 * over `limit` bytes; what follows is then thrown away unread. Never calls it when the client hangs up before.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: string | undefined) => void,
): void {
  if (Number(request.headers['content-length']) > limit) {
    done(undefined)
    return
  }
  let body: Buffer = Buffer.alloc(0)
  let size = 0

  function onData(chunk: Buffer): void {
    const end = size + chunk.length
    if (end > limit) {
      request.off('data', onData).off('end', onEnd).resume()
      done(undefined)
      return
    }
    if (size === 0) {
      body = chunk
    } else {
      // One buffer that grows by doubling: a list of chunks could be a list of single bytes.
      if (end > body.length) body = grown(body, size, end)
      chunk.copy(body, size)
    }
    size = end
  }

  function onEnd(): void {
    done(body.toString('utf8', 0, size))
  }

  request.on('data', onData).on('end', onEnd)
}

function grown(body: Buffer, size: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(FIRST_SIZE, 2 * body.length, needed))
  body.copy(larger, 0, 0, size)
  return larger
}
