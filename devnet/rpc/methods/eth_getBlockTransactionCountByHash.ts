import { formatTransactionCount } from '../../json/formatBlock.ts'
import { byBlockHash } from '../blockMethods.ts'

export default byBlockHash([], formatTransactionCount)
