import { data, params, quantity64OrNumber } from '../../json/params.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { optional } from '../../primitives/reader.ts'
import { defineMethod, methodNotFound } from '../method.ts'
import eth_sendRawTransactionSync from './eth_sendRawTransactionSync.ts'

/**
 * As `eth_sendRawTransactionSync`, but for its timeout: code -32000, `realtime transaction expired`
 * (MegaETH). Other networks do not have it.
 */
export default defineMethod({
  params: params(data(), optional(quantity64OrNumber())),
  takesSigned: true,
  answers: 'receipt',
  async handle(context, values, caller) {
    if (!context.profile.realtimeSend) throw methodNotFound('realtime_sendRawTransaction')
    try {
      return await eth_sendRawTransactionSync.handle(context, values, caller)
    } catch (error) {
      if (!(error instanceof DevnetError) || error.code !== ErrorCode.syncTimeout) throw error
      throw new DevnetError(ErrorCode.server, 'realtime transaction expired', { cause: error })
    }
  },
})
