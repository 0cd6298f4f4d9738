import type { Chain } from '../../chain/chain.ts'
import type { OwnTransaction } from '../../chain/submissions.ts'
import { address, data, hash32, quantity, quantity64 } from '../../json/params.ts'
import { opStackProfiles } from '../../options/profileTable.ts'
import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { fromHex, toHex } from '../../primitives/hex.ts'
import { fail, mapped, type Output, objectOf } from '../../primitives/reader.ts'
import { depositSource, encodeDeposit } from '../../protocol/rollup/depositTransaction.ts'
import type { RpcContext } from '../context.ts'
import { defaultAccount } from './unlockedAccounts.ts'

/** Default gas of a deposit: on L1, the depositor has to name it. */
const DEFAULT_GAS = 1_000_000n

const MINT_LIMIT = 2n ** 128n

/** Contents of a deposit, as in the messages of the bridge contract on L1. */
export const DEPOSIT = mapped(
  objectOf({
    what: 'a deposit',
    optional: {
      /** Default: the first account of the node. */
      from: address(),
      /** Absent: creates a contract. */
      to: address(),
      /** wei that the sender gets first. Default: 0 */
      mint: quantity(),
      /** wei. Default: 0 */
      value: quantity(),
      /** Default: {@link DEFAULT_GAS} */
      gas: quantity64(),
      data: data(),
      /** Default: one that no other deposit has. */
      sourceHash: hash32(),
    },
    isStrict: true,
  }),
  (deposit, context) => {
    const { mint = 0n } = deposit
    return mint < MINT_LIMIT ? deposit : fail(context, 'must be below 2^128', 'mint')
  },
)

/**
 * The deposit of a request; it is made once everything sent before is accepted or refused.
 *
 * @throws {RefusedError} if the chain has no deposits, there is no sender, or nothing to create
 */
export function makeDeposit(
  context: RpcContext,
  request: Output<typeof DEPOSIT>,
): () => OwnTransaction {
  const { chain } = context
  if (!chain.pending.environment.rules.opStack) {
    throw new RefusedError(
      `only a chain of the OP Stack has deposits: start the node with --profile ${opStackProfiles()}`,
    )
  }
  const sender = fromHex(request.from ?? defaultAccount(context))
  const deposit = {
    from: sender,
    to: request.to && fromHex(request.to),
    mint: request.mint ?? 0n,
    value: request.value ?? 0n,
    gasLimit: request.gas ?? DEFAULT_GAS,
    data: request.data === undefined ? EMPTY_BYTES : fromHex(request.data),
    isSystemTx: false,
  }
  if (deposit.to === undefined && deposit.data.length === 0) {
    throw new RefusedError('contract creation without any data provided')
  }
  const { sourceHash } = request
  if (sourceHash !== undefined) {
    const raw = encodeDeposit({ ...deposit, sourceHash: fromHex(sourceHash) })
    return () => ({ raw, sender })
  }
  return () => ({ raw: encodeUnique(deposit, chain), sender })
}

/** The newest block stands for the one of L1 whose logs ask for deposits. */
function encodeUnique(
  deposit: Omit<Parameters<typeof encodeDeposit>[0], 'sourceHash'>,
  chain: Chain,
): Uint8Array {
  const { engine, head } = chain
  const { keccak256 } = engine.crypto
  const later = chain.unsealed().filter((one) => one.deposit !== undefined)
  // Dropped deposits leave gaps, so the next index may be in use.
  for (let index = later.length; ; index++) {
    const sourceHash = depositSource('user', head.hashBytes, BigInt(index), keccak256)
    const raw = encodeDeposit({ ...deposit, sourceHash })
    if (chain.findTransaction(toHex(keccak256(raw))) === undefined) return raw
  }
}
