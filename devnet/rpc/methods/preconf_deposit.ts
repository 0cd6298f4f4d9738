import { address, data, hash32, params, quantity, quantity64 } from '../../json/params.ts'
import { fail, mapped, objectOf } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'
import { makeDeposit } from '../sending/makeDeposit.ts'
import { send } from '../sending/send.ts'

/** Contents of a deposit, as in the messages of the bridge contract on L1. */
const MINT_LIMIT = 2n ** 128n

const DEPOSIT = mapped(
  objectOf({
    what: 'a deposit',
    optional: {
      from: address(),
      to: address(),
      mint: quantity(),
      value: quantity(),
      gas: quantity64(),
      data: data(),
      sourceHash: hash32(),
    },
    isStrict: true,
  }),
  (deposit, context) => {
    const { mint = 0n } = deposit
    return mint < MINT_LIMIT ? deposit : fail(context, 'must be below 2^128', 'mint')
  },
)

/** Sends a deposit, as if L1 had asked for it; only on chains of the OP Stack. */
export default defineMethod({
  params: params(DEPOSIT),
  browser: false,
  handle: (context, [deposit], caller) => send(context, makeDeposit(context, deposit), caller),
})
