/**
 * Node's own `http`. An `import` of it would read all that it exports and so load the client of
 * `fetch` and `WebSocket`, which is most of the CPU time that a start takes (40 ms, Node 24).
 */
export const { createServer, request } = process.getBuiltinModule('node:http')

/** A body has more bytes than its reader takes. */
export class LongBodyError extends Error {
  override name = 'LongBodyError'
}

/**
 * The text of a body of a stranger.
 *
 * @param most - bytes
 * @throws {LongBodyError} as soon as there are more; the rest is not read
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  most: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most) throw new LongBodyError(`an answer of more than ${most >> 20} MiB`)
  }
  return Buffer.concat(chunks).toString('utf8')
}
