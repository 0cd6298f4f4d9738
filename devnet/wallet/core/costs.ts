import { count, etherText } from '../../primitives/amounts.ts'
import { DevnetError } from '../../primitives/errors.ts'
import { type Hex, quantityFrom } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import type { SimulatedCall } from '../../rpc/naming/simulatedCalls.ts'
import type { RequestSummary } from '../types.ts'
import { readChain } from './chainRpc.ts'
import type { Session } from './session.ts'

/**
 * Fee, gas limit and nonce with which the node would send transactions now. `undefined` on other
 * chains, and if the node would refuse, e.g. a failing one without a gas limit.
 *
 * @param transactions - one that makes all calls of a batch counts as several: its gas is not known
 * @param simulated - with the gas of each
 */
export async function costsOf(
  session: Session,
  { from, transactions, isAtomic }: Sent,
  simulated: Promise<readonly Pick<SimulatedCall, 'gasUsed'>[]>,
  signal: AbortSignal,
): Promise<RequestSummary['costs']> {
  const { chains, wallet } = session
  if (chains.active !== wallet.node.chainId) return undefined
  const [first] = transactions
  const others = isAtomic ? 0 : transactions.length - 1
  const isOne = !isAtomic && others === 0
  const asked = isOne ? { ...first, from } : { from, to: from, gas: '0x5208' }
  try {
    const [filled, gasPrice, calls] = await Promise.all([
      readChain(session, signal, 'eth_fillTransaction', asked),
      readChain(session, signal, 'eth_gasPrice'),
      simulated,
    ])
    const fields = isObject(filled) && isObject(filled.tx) ? filled.tx : {}
    const quantities = [fields.gas, fields.nonce, gasPrice, fields.maxFeePerGas ?? fields.gasPrice]
    const [gas = 0n, nonce = 0n, now = 0n, most = now] = quantities.map(quantityFrom)
    const symbol = chains.find(chains.active)?.nativeCurrency.symbol
    const gasUsed = BigInt(calls.reduce((sum, one) => sum + one.gasUsed, 0))
    const expected = `${etherText(gasUsed * (now < most ? now : most), symbol)} expected`
    const fee = isOne ? `${expected}, at most ${etherText(gas * most, symbol)}` : expected
    return [
      { label: 'Fee', value: fee },
      ...(isOne ? [{ label: 'Gas limit', value: count(gas) }] : []),
      { label: 'Nonce', value: `${nonce}${others > 0 ? ` to ${nonce + BigInt(others)}` : ''}` },
    ]
  } catch (error) {
    if (error instanceof DevnetError || signal.aborted) return undefined
    throw error
  }
}

interface Sent {
  readonly from: Hex
  readonly transactions: readonly object[]
  readonly isAtomic?: boolean
}
