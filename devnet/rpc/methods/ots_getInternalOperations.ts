import { otterscanTrace } from '../queries/otterscanTrace.ts'

/** The transfers, creations and self-destructs inside a transaction. */
export default otterscanTrace('operations')
