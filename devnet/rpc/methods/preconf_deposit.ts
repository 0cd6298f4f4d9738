import { params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { DEPOSIT, makeDeposit } from '../sending/makeDeposit.ts'
import { send } from '../sending/send.ts'

/** Sends a deposit, as if L1 had asked for it; only on chains of the OP Stack. */
export default defineMethod({
  params: params(DEPOSIT),
  browser: false,
  handle: (context, [deposit], caller) => send(context, makeDeposit(context, deposit), caller),
})
