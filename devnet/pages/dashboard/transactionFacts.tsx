import type { ComponentChildren } from 'preact'
import type { TransactionDetails } from '../../dashboard/apiTypes/transactionTypes.ts'
import { Key } from '../kit/elements.tsx'
import { count, percent } from '../kit/shownValue.ts'
import { Address, Ether, Gwei, Panel } from './parts.tsx'
import { links } from './router.ts'

/** Sender, recipient and cost. */
export function TransactionFacts({ transaction }: { readonly transaction: TransactionDetails }) {
  const { from, to, nonce, value, gasLimit, type, outcome, place, impersonated } = transaction
  const created = outcome?.created ?? null
  return (
    <Panel title={outcome === null ? 'Details' : 'Outcome'}>
      <dl class="facts columns">
        {outcome !== null && (
          <Fact name="Result">
            {outcome.success ? (
              <span class="badge good">Success</span>
            ) : (
              <span class="badge bad">Reverted</span>
            )}
          </Fact>
        )}
        {place !== null && (
          <Fact name="Block">
            <a href={links.block(place.blockHash === null ? 'pending' : place.block)}>
              {`#${place.block}`}
            </a>
            {`, tick ${place.tick}, place ${place.index}`}
          </Fact>
        )}
        <Fact name="From">
          <Address address={from} />
          {impersonated && <span class="badge"> impersonated</span>}
        </Fact>
        <Fact name={to === null ? 'Creates' : 'To'}>
          {to !== null ? (
            <Address address={to} />
          ) : created === null ? (
            'a contract'
          ) : (
            <Address address={created} />
          )}
        </Fact>
        <Fact name="Value">
          <Ether wei={BigInt(value)} />
        </Fact>
        <Fact name="Nonce">
          {count(nonce)}
          <NonceStep to={transaction.ofSender.previous} sign="{" words="← previous" />
          <NonceStep to={transaction.ofSender.next} sign="}" words="next →" />
        </Fact>
        <Fact name="Gas">
          {outcome === null
            ? `limit ${count(gasLimit)}`
            : `${count(outcome.gasUsed)} of ${count(gasLimit)} (${percent(outcome.gasUsed, gasLimit)})`}
        </Fact>
        {outcome === null ? (
          <Fact name="Max fee">
            <Gwei wei={BigInt(transaction.maxFeePerGas)} /> a gas
          </Fact>
        ) : (
          <>
            <Fact name="Fee">
              <Ether wei={BigInt(outcome.fee)} />
            </Fact>
            <Fact name="Gas price">
              <Gwei wei={BigInt(outcome.effectiveGasPrice)} />
              <span class="note">
                {', base fee '}
                <Gwei wei={BigInt(outcome.baseFeePerGas)} />
              </span>
            </Fact>
          </>
        )}
        <Fact name="Type">{type}</Fact>
      </dl>
    </Panel>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface NonceStepProps {
  readonly to: string | null
  readonly words: string
  readonly sign: string
}

/** Leads to another transaction of the sender. */
function NonceStep({ to, words, sign }: NonceStepProps) {
  if (to === null) return null
  return (
    <a class="step" href={links.tx(to)} title="By the sender's nonce">
      {words} <Key name={sign} />
    </a>
  )
}
