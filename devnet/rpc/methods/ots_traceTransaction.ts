import { otterscanTrace } from '../queries/otterscanTrace.ts'

/** The frames of a transaction in one list, callers before callees. */
export default otterscanTrace('frames')
