import { formatBlock } from '../../json/formatBlock.ts'
import { flag, optional } from '../../primitives/reader.ts'
import { byBlockHash } from '../blockMethods.ts'

export default byBlockHash([optional(flag())], formatBlock, { answers: 'block' })
