import { address } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { either, text } from '../../primitives/reader.ts'
import { askContracts, entriesOf } from '../../rpc/naming/contractNames.ts'
import { first } from '../chainIndex.ts'
import { fullNameOf, interfaceOf } from '../contractRows.ts'
import { defineQuery, fields } from '../query.ts'

/** Number of senders that are listed. */
const MOST_SENDERS = 100

/** The contract at an address, behind a proxy too, or else the one with a full name. */
const PARAMS = either<{ readonly address: Hex } | { readonly fullName: string }>(
  'an object with the field address or fullName',
  fields({ address: address() }),
  fields({ fullName: text() }),
)

/** Interface of a contract, and the accounts from which it can be called. */
export default defineQuery(PARAMS, async (dashboard, params, { signal }) => {
  const { accountNames, node } = dashboard
  const { naming } = dashboard.work(signal)
  const accounts = [...accountNames.keys(), ...node.context.chain.settings.impersonated]
  const senders = first(new Set(accounts), MOST_SENDERS)
  await naming.nameAll(senders)
  if ('address' in params) {
    const { abi } = await naming.contractAt(params.address)
    return { ...interfaceOf(abi), senders, names: naming.names }
  }
  const known = await askContracts(dashboard.naming, (given) => given.all())
  const contract = known.find((one) => fullNameOf(one) === params.fullName)
  if (contract === undefined) throw new RefusedError(`There is no contract ${params.fullName}.`)
  return { ...interfaceOf(entriesOf(contract.abi)), senders, names: naming.names }
})
