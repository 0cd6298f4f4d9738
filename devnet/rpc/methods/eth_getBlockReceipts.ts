import { blockRefOf } from '../../json/blockRef.ts'
import { formatReceipt } from '../../json/formatReceipt.ts'
import { blockReference, params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(blockReference()),
  remote: 'block',
  answers: 'receipts',
  handle(context, [reference]) {
    const block = findBlock(context, reference)
    if (block === undefined) return null
    const ref = blockRefOf(block)
    return block.executed.map((executed) => formatReceipt(executed, ref))
  },
})
