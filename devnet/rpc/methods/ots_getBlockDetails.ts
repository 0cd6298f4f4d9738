import { formatBlockDetails } from '../../json/formatOtterscan.ts'
import { byBlockReference } from '../blockMethods.ts'

/** `null` for an unknown block: on an error Otterscan loads for ever. */
export default byBlockReference([], formatBlockDetails)
