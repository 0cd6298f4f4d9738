import { formatTransactionAt } from '../../json/formatTransaction.ts'
import { quantity64 } from '../../json/params.ts'
import { byBlockHash } from '../blockMethods.ts'

export default byBlockHash([quantity64()], formatTransactionAt, {
  answers: 'transaction',
  mayLack: true,
})
