import { formatBlock } from '../../json/formatBlock.ts'
import { flag } from '../../json/params.ts'
import { byBlockNumber } from '../blockMethods.ts'

export default byBlockNumber([flag().optional()], formatBlock)
