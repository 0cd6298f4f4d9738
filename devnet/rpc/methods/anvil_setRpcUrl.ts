import * as z from 'zod'
import { params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Reads the chain that this one stands on from another URL, which must have the same block. */
export default defineMethod({
  params: params(z.unknown()),
  browser: false,
  async handle({ fork }, [url]) {
    await fork.setUrl(url)
    return null
  },
})
