import { formatBlockDetails } from '../../json/formatOtterscan.ts'
import { byBlockHash } from '../blockMethods.ts'

export default byBlockHash([], formatBlockDetails)
