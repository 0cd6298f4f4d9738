import { isObject, plainText } from '../../../devnet/pluginApi.ts'
import { withPreconfirmedAsLatest } from '../preconfirmed-as-latest.ts'
import { type Method, wrapInherited, wrapMethod } from '../wrap-method.ts'
import { type Adapted, expectPart } from './adapted-plugin.ts'
import { requireSealing, waitsForSeal } from './frozen-deployments.ts'

const TRIED = { name: 'hardhat-ethers', oldest: '4.0.15', newest: '4.1.0' }

/** Methods of the provider that take a block, and how many arguments stand before it. */
const BLOCK_METHODS = { getBalance: 1, getCode: 1, getStorage: 2, getTransactionCount: 1 }

const SIGNER_METHODS = ['getSigner', 'getImpersonatedSigner', 'getSigners'] as const

/**
 * Makes hardhat-ethers read `pending` if a call names no block, sign with the keys of the node, and
 * wait no longer than until a transaction is pre-confirmed.
 *
 * @param added - `connection.ethers`
 */
export function adaptEthers(added: unknown, on: Adapted): void {
  const expect = <Name extends string>(name: string, value: unknown, methods: readonly Name[]) =>
    expectPart(TRIED, { name: `connection.ethers${name}`, value, methods }, on)
  const ethers = expect('', added, [...SIGNER_METHODS, 'BaseContract', 'Wallet'])
  const reads = [...Object.keys(BLOCK_METHODS), 'call', 'getLogs', 'waitForTransaction']
  const provider = expect('.provider', Reflect.get(ethers, 'provider'), ['getSigner', ...reads])
  const contracts = expect(
    '.BaseContract.prototype',
    Reflect.get(ethers.BaseContract, 'prototype'),
    ['queryFilter', 'waitForDeployment'],
  )
  signAuthorizations(ethers, provider, on)
  if (on.readsPending) readPending(provider, on)
  if (!on.readsPending && !waitsForSeal(on.devnet)) return
  adaptations.set(provider, { devnet: on.devnet, readsPending: on.readsPending })
  adaptContracts(contracts)
}

/**
 * Makes the provider read `pending` if a call names no block, and with it all signers and
 * contracts. A wait for a transaction ends when it is pre-confirmed, as that of `response.wait()`
 * does.
 */
function readPending(provider: object, { connection }: Adapted): void {
  for (const [name, place] of Object.entries(BLOCK_METHODS)) {
    wrapMethod(provider, name, (read, args) =>
      read(...args.slice(0, place), args[place] ?? 'pending'),
    )
  }
  wrapMethod(provider, 'call', (call, [request]) =>
    call(isObject(request) ? { ...request, blockTag: request.blockTag ?? 'pending' } : request),
  )
  wrapMethod(provider, 'getLogs', (getLogs, [filter]) => {
    const hasEnd = !isObject(filter) || (filter.blockHash ?? filter.toBlock ?? null) !== null
    return getLogs(hasEnd ? filter : { ...filter, toBlock: 'pending' })
  })
  wrapMethod(provider, 'waitForTransaction', (wait, args) =>
    withPreconfirmedAsLatest(connection, async () => await wait(...args)),
  )
}

interface Contract {
  readonly runner: { readonly provider?: object | null } | null
  deploymentTransaction(): { readonly hash: string } | null
}

/** Other behaviour of contracts, by the provider that they read from. */
const adaptations = new WeakMap<object, Pick<Adapted, 'devnet' | 'readsPending'>>()
const adaptedPrototypes = new WeakSet<object>()

/**
 * Makes `queryFilter` without a last block end at `pending`: ethers fills in `latest` before it
 * asks the provider, which then cannot tell it from a `latest` of the caller. Makes
 * `waitForDeployment` fail if it would never end.
 *
 * @param prototype - of all contracts of ethers, those of other providers too, as anyone may
 * construct one
 */
function adaptContracts(prototype: object): void {
  if (adaptedPrototypes.has(prototype)) return
  adaptedPrototypes.add(prototype)
  const adaptationOf = ({ runner }: Contract) => adaptations.get(runner?.provider ?? {})
  wrapInherited<Contract>(prototype, 'queryFilter', (contract, query, [event, from, to]) => {
    const isPending = adaptationOf(contract)?.readsPending === true
    return query(event, from, to ?? (isPending ? 'pending' : to))
  })
  wrapInherited<Contract>(prototype, 'waitForDeployment', async (contract, wait) => {
    const devnet = adaptationOf(contract)?.devnet
    const params = [contract.deploymentTransaction()?.hash]
    if (devnet !== undefined && waitsForSeal(devnet) && params[0] !== undefined) {
      const request = { method: 'eth_getTransactionReceipt', params }
      if ((await devnet.provider.request(request)) === null) await requireSealing(devnet)
    }
    return await wait()
  })
}

/**
 * Lets signers of hardhat-ethers sign EIP-7702 authorizations with the keys of the node: they look
 * for keys in the configuration of the network, which has none.
 */
function signAuthorizations(
  ethers: Readonly<Record<'Wallet', Method>>,
  provider: object,
  { devnet: { accounts } }: Adapted,
): void {
  const withKey = (signer: unknown): unknown => {
    if (!isObject(signer)) return signer
    const address = plainText(signer.address).toLowerCase()
    const key = accounts.find((account) => account.address === address)?.privateKey
    if (key === undefined) return signer
    wrapMethod(signer, 'authorize', (_refuse, [request]) => {
      const wallet: { authorize: Method } = Reflect.construct(ethers.Wallet, [key, signer.provider])
      return wallet.authorize(request)
    })
    wrapMethod(signer, 'connect', (connect, args) => withKey(connect(...args)))
    return signer
  }
  const withKeys = async (method: Method, args: unknown[]) => {
    const made = await method(...args)
    return Array.isArray(made) ? made.map(withKey) : withKey(made)
  }
  wrapMethod(provider, 'getSigner', withKeys)
  for (const name of SIGNER_METHODS) wrapMethod(ethers, name, withKeys)
}
