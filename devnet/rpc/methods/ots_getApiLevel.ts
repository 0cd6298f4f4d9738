import { defineMethod } from '../method.ts'

/** Version of Otterscan's API whose methods are all here. */
const API_LEVEL = 8

export default defineMethod({ handle: () => API_LEVEL })
