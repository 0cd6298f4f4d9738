import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type HardforkName, isAtLeast } from '../../../devnet/protocol/forks.ts'
import type { DevAccount } from '../../../devnet/types.ts'
import { Random } from '../../support/random.ts'
import { artifact } from '../../support/solidity.ts'

const token = artifact('Token')
const playground = artifact('Playground')

/** What a transaction of the traffic is made of, before it is signed. */
interface Draft {
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
}

/** Contracts that the traffic calls. */
export interface Targets {
  readonly token: Hex
  readonly playground: Hex
}

/** Random but repeatable transactions of every kind: transfers, tokens, deployments, reverts, CREATE2, EIP-7702, … */
export class RandomTraffic {
  readonly random: Random
  /** Of the next transaction of each account; whoever reverts the chain sets them. */
  readonly nonces: number[]
  readonly #signers: ReturnType<typeof privateKeyToAccount>[]
  readonly chainId: number
  readonly #delegations: boolean
  /** Amsterdam takes more for new state. */
  readonly #gasFactor: bigint

  constructor(
    seed: number,
    accounts: readonly DevAccount[],
    chainId: number,
    hardfork: HardforkName = 'bpo2',
    delegations = isAtLeast(hardfork, 'prague'),
  ) {
    this.random = new Random(seed)
    this.#signers = accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
    this.nonces = accounts.map(() => 0)
    this.chainId = chainId
    this.#delegations = delegations
    this.#gasFactor = isAtLeast(hardfork, 'amsterdam') ? 4n : 1n
  }

  get addresses(): Hex[] {
    return this.#signers.map(({ address }) => address)
  }

  /** Signed deployments of the two contracts that the rest of the traffic calls. */
  async deployments(): Promise<Hex[]> {
    return [
      await this.#sign(0, {
        data: encodeDeployData({ ...token, args: [10n ** 24n] }),
        gas: 2_000_000n,
      }),
      await this.#sign(0, { data: encodeDeployData({ ...playground, args: [] }), gas: 4_000_000n }),
    ]
  }

  /** The next signed transaction. */
  async next(targets: Targets): Promise<Hex> {
    const sender = this.random.below(this.#signers.length)
    if (this.#delegations && this.random.once(12)) return this.#delegation(sender, targets)
    return this.#sign(sender, this.#draft(sender, targets))
  }

  #draft(sender: number, targets: Targets): Draft {
    const { random } = this
    const other = random.pick(this.addresses)
    const self = this.#signers[sender]?.address ?? other
    const play = (functionName: string, args: readonly unknown[], more: Draft = {}): Draft => ({
      to: targets.playground,
      data: encodeFunctionData({ abi: playground.abi, functionName, args }),
      ...more,
    })
    switch (random.below(14)) {
      case 0:
        return { to: other, value: BigInt(random.below(1000)) }
      case 1:
        // An address nobody used before, sometimes with nothing: an empty account must not stay.
        return { to: freshAddress(random), value: BigInt(random.below(2)) }
      case 2:
      case 3:
        return {
          to: targets.token,
          data: encodeFunctionData({
            abi: token.abi,
            functionName: 'transfer',
            args: [other, BigInt(random.below(3) === 0 ? 10 ** 9 : random.below(1000))],
          }),
        }
      case 4:
        return {
          to: targets.token,
          data: encodeFunctionData({ abi: token.abi, functionName: 'mint', args: [self, 5000n] }),
        }
      case 5:
        return play('store', [BigInt(random.below(8)), BigInt(random.below(2))])
      case 6:
        return play('storeMany', [
          BigInt(random.below(8)),
          BigInt(random.below(6)),
          BigInt(random.below(3)),
        ])
      case 7:
        return play('failWithReason', ['no'])
      case 8:
        return play('tryAndFail', [BigInt(random.below(8)), BigInt(random.below(5))])
      case 9:
        return play(
          'create',
          [BigInt(random.below(6)), random.once(2) ? other : `0x${'00'.repeat(20)}`],
          { value: BigInt(random.below(3)), gas: 1_500_000n },
        )
      case 10:
        return play('endLast', [random.pick([other, self])])
      case 11:
        return play('storeEnvironment', [])
      case 12:
        return play('burnGas', [BigInt(random.below(200))], {
          gas: BigInt(30_000 + random.below(60_000)),
        })
      default:
        return random.once(2)
          ? { data: encodeDeployData({ ...token, args: [1n] }), gas: 2_000_000n }
          : { data: '0x60ff60005560016000f3', gas: 200_000n }
    }
  }

  /** EIP-7702: the sender, or another account, takes on the code of the playground, or puts it off again. */
  async #delegation(sender: number, targets: Targets): Promise<Hex> {
    const { random } = this
    const signer = this.#signer(sender)
    const authority = random.once(2) ? sender : random.below(this.#signers.length)
    const nonce = this.takeNonce(sender)
    // Of its own authorization the sender's nonce has risen already; of another's now and then a wrong one.
    const authorized = authority === sender ? this.takeNonce(sender) : (this.nonces[authority] ?? 0)
    const right = authority === sender || !random.once(4)
    if (authority !== sender && right) this.takeNonce(authority)
    const authorization = await this.#signer(authority).signAuthorization({
      contractAddress: random.once(3) ? `0x${'00'.repeat(20)}` : targets.playground,
      chainId: random.once(3) ? 0 : this.chainId,
      nonce: right ? authorized : authorized + 7,
    })
    return signer.signTransaction({
      type: 'eip7702',
      chainId: this.chainId,
      nonce,
      to: this.#signer(authority).address,
      data: encodeFunctionData({ abi: playground.abi, functionName: 'store', args: [3n, 9n] }),
      gas: 400_000n * this.#gasFactor,
      maxFeePerGas: 50n * 10n ** 9n,
      maxPriorityFeePerGas: BigInt(random.below(3)),
      authorizationList: [authorization],
    })
  }

  async #sign(sender: number, draft: Draft): Promise<Hex> {
    const { random } = this
    const { gas = 500_000n, ...rest } = draft
    const common = {
      chainId: this.chainId,
      nonce: this.takeNonce(sender),
      gas: gas * this.#gasFactor,
      ...rest,
    }
    const signer = this.#signer(sender)
    switch (random.below(3)) {
      case 0:
        return signer.signTransaction({ type: 'legacy', gasPrice: 40n * 10n ** 9n, ...common })
      case 1:
        return signer.signTransaction({
          type: 'eip2930',
          gasPrice: 40n * 10n ** 9n,
          accessList: [
            { address: draft.to ?? signer.address, storageKeys: [`0x${'00'.repeat(32)}`] },
          ],
          ...common,
        })
      default:
        return signer.signTransaction({
          type: 'eip1559',
          maxFeePerGas: 50n * 10n ** 9n,
          maxPriorityFeePerGas: BigInt(random.below(5)),
          ...common,
        })
    }
  }

  #signer(index: number) {
    const signer = this.#signers[index]
    if (signer === undefined) throw new Error(`No signer ${index}`)
    return signer
  }

  /** The next nonce of an account, for a transaction that is made elsewhere. */
  takeNonce(sender: number): number {
    const nonce = this.nonces[sender] ?? 0
    this.nonces[sender] = nonce + 1
    return nonce
  }
}

function freshAddress(random: Random): Hex {
  return `0x${Array.from({ length: 20 }, () => random.below(256).toString(16).padStart(2, '0')).join('')}`
}
