import { formatHeader } from '../rpc/format/block.ts'
import { params } from '../rpc/params.ts'
import { text } from '../rpc/schemas/plain.ts'
import { chainFeed } from './feed.ts'
import { defineKind } from './subscriptionKind.ts'

const heads = chainFeed<string>((chain, emit) =>
  chain.onSeal((block) => emit(JSON.stringify(formatHeader(block)))),
)

/** Sends the header of each block when it is sealed; never the pending one. */
export const newHeads = defineKind(
  params(text()),
  ({ chain }) =>
    (push) =>
      heads(chain).subscribe(push),
)
