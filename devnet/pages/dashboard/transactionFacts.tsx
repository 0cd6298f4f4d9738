import type { ComponentChildren } from 'preact'
import type { TransactionDetails } from '../../dashboard/methods/transaction.ts'
import { Key } from '../kit/elements.tsx'
import { count, percent, plural } from '../kit/shownValue.ts'
import { Address, Ether, Gwei, Panel } from './parts.tsx'
import { links } from './router.ts'

/** Sender, recipient and cost. */
export function TransactionFacts({ transaction }: { readonly transaction: TransactionDetails }) {
  const { from, to, nonce, value, gasLimit, type, outcome, place, impersonated } = transaction
  const { blobs, authorizations, omittedAuthorizations, deposit } = transaction
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
          <Address address={from} whole={true} />
          {impersonated && <span class="badge"> impersonated</span>}
        </Fact>
        <Fact name={to === null ? 'Creates' : 'To'}>
          {to !== null ? (
            <Address address={to} whole={true} />
          ) : created === null ? (
            'a contract'
          ) : (
            <Address address={created} whole={true} />
          )}
        </Fact>
        <Fact name="Value">
          <Ether wei={BigInt(value)} />
        </Fact>
        <Fact name="Nonce">
          {count(nonce)}
          <Step to={transaction.ofSender.previous} sign="{" words="← previous" isBySender={true} />
          <Step to={transaction.ofSender.next} sign="}" words="next →" isBySender={true} />
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
        <Fact name="Type">{TYPES[type] === undefined ? type : `${type} (${TYPES[type]})`}</Fact>
        {deposit !== null && (
          <>
            <Fact name="Mints">
              <Ether wei={BigInt(deposit.mint)} />
            </Fact>
            <Fact name="Source hash">
              <code class="wrap">{deposit.sourceHash}</code>
            </Fact>
          </>
        )}
      </dl>
      {blobs !== null && (
        <dl class="facts">
          <Fact name={plural(blobs.hashes.length, 'blob')}>
            {`${count(blobs.gas)} blob gas, at most `}
            <Gwei wei={BigInt(blobs.maxFeePerGas)} />
            {blobs.fee !== null && blobs.gasPrice !== null && (
              <>
                {', at '}
                <Gwei wei={BigInt(blobs.gasPrice)} />
                {': '}
                <Ether wei={BigInt(blobs.fee)} />
              </>
            )}
            {blobs.hashes.map((hash) => (
              <code key={hash} class="wrap">
                {` ${hash}`}
              </code>
            ))}
          </Fact>
        </dl>
      )}
      {authorizations.length > 0 && (
        <dl class="facts">
          <Fact name="Authorizations">
            <ul>
              {authorizations.map((one, index) => (
                <li key={index}>
                  <AuthorizationWords of={one} />
                </li>
              ))}
            </ul>
            {omittedAuthorizations > 0 && `and ${count(omittedAuthorizations)} more`}
          </Fact>
        </dl>
      )}
    </Panel>
  )
}

/** Names of the types of transactions (EIP-2718). */
const TYPES: Readonly<Record<number, string>> = {
  0: 'legacy',
  1: 'EIP-2930, access list',
  2: 'EIP-1559',
  3: 'EIP-4844, blobs',
  4: 'EIP-7702, delegations',
  126: 'deposit of the OP Stack',
}

function AuthorizationWords({
  of: one,
}: {
  readonly of: TransactionDetails['authorizations'][number]
}) {
  const { authority, delegate, chainId, nonce, problem } = one
  return (
    <>
      {authority === null ? 'nobody' : <Address address={authority} />}
      {delegate === null ? ' delegates no more' : ' delegates to '}
      {delegate !== null && <Address address={delegate} />}{' '}
      <span class={problem === null ? 'note' : 'less'}>
        {problem === null
          ? `with nonce ${nonce}, on ${chainId === '0' ? 'any chain' : `chain ${chainId}`}`
          : `not valid: ${problem}`}
      </span>
    </>
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

interface StepProps {
  readonly to: string | null
  readonly words: string
  readonly sign: string
  readonly isBySender?: boolean
}

/** Leads to another transaction of the block, or of the sender. */
export function Step({ to, words, sign, isBySender = false }: StepProps) {
  if (to === null) return null
  const [kind, title] = isBySender
    ? ['step', "By the sender's nonce"]
    : ['button small', 'In the block']
  return (
    <a class={kind} href={links.tx(to)} title={title}>
      {words} <Key name={sign} />
    </a>
  )
}
