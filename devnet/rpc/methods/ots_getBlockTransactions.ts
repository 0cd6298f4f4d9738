import { formatBlockPage } from '../../json/formatOtterscan.ts'
import { quantityOrNumber } from '../../json/params.ts'
import { pageSize } from '../../json/schemas/pageSize.ts'
import { byBlockReference } from '../blockMethods.ts'

/** Pages run from the end of the block; see {@link formatBlockPage}. */
export default byBlockReference([quantityOrNumber(), pageSize()], (block, page, size) =>
  formatBlockPage(block, Number(page), size),
)
