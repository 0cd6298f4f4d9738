import * as z from 'zod'
import { DevnetError } from '../errors.ts'
import type { Batch } from './batches.ts'
import { WalletErrorCode } from './errors.ts'
import type { WalletContext } from './method.ts'
import { list, must, readParams } from './params.ts'

const PARAMS = list([z.string(must('a text'))], 'the id of a batch')

/** The batch that the parameters name, if the same origin sent it. @throws {DevnetError} code 5730 */
export function requireBatch({ session, client }: WalletContext, params: unknown): Batch {
  const [id] = readParams(PARAMS, params)
  const batch = session.batches.find(client.origin, id)
  if (batch !== undefined) return batch
  throw new DevnetError(WalletErrorCode.unknownBatch, 'There is no batch with this id')
}
