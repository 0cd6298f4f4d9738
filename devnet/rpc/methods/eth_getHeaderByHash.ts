import { formatBlockHeader } from '../../json/formatBlock.ts'
import { byBlockHash } from '../blockMethods.ts'

export default byBlockHash([], formatBlockHeader, { answers: 'header' })
