import { formatBlock } from '../../json/formatBlock.ts'
import { flag } from '../../json/params.ts'
import { byBlockHash } from '../blockMethods.ts'

export default byBlockHash([flag().optional()], formatBlock)
