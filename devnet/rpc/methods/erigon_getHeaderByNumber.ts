import { formatBlockHeader } from '../../json/formatBlock.ts'
import { byBlockReference } from '../blockMethods.ts'

/** As `eth_getHeaderByNumber`, for Otterscan, which sends numbers as JSON integers. */
export default byBlockReference([], formatBlockHeader, {
  answers: 'header',
  byHash: 'erigon_getHeaderByHash',
})
