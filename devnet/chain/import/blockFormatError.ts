/** The bytes are no block; the message goes on after "the block there". */
export class BlockFormatError extends Error {
  override name = 'BlockFormatError'
}
