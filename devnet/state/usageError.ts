import { DevnetError, ErrorCode } from '../errors.ts'

/** The state was used in a way that it does not offer: a defect of the caller. */
export class StateUsageError extends DevnetError {
  override name = 'StateUsageError'
  constructor(message: string) {
    super(ErrorCode.internal, message)
  }
}
