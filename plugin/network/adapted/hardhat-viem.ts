import { isObject } from '../../../devnet/pluginApi.ts'
import { wrapMethod } from '../wrap-method.ts'
import { type Adapted, expectPart } from './adapted-plugin.ts'
import { refuseFrozen } from './frozen-deployments.ts'

const TRIED = { name: 'hardhat-viem', oldest: '3.0.8', newest: '3.0.9' }

/** Helpers that make clients, and how many arguments stand before their configuration. */
const CLIENT_HELPERS = [
  ['getPublicClient', 0],
  ['getTestClient', 0],
  ['getWalletClients', 0],
  ['getWalletClient', 1],
] as const

/** Helpers whose third argument may name the clients that a contract reads and writes with. */
const CONTRACT_HELPERS = ['getContractAt', 'deployContract', 'sendDeploymentTransaction'] as const

/**
 * Makes the clients and contracts of hardhat-viem read `pending` by default, as viem does on chains
 * with `experimental_preconfirmationTime`. A client made with `experimental_blockTag: 'latest'`
 * keeps reading `latest`.
 *
 * @param added - `connection.viem`
 */
export function adaptViem(added: unknown, on: Adapted): void {
  const methods = [...CLIENT_HELPERS.map(([name]) => name), ...CONTRACT_HELPERS]
  const viem = expectPart(TRIED, { value: added, name: 'connection.viem', methods }, on)
  if (on.readsPending) {
    for (const [name, place] of CLIENT_HELPERS) {
      wrapMethod(viem, name, async (make, args) => {
        const given = args[place]
        const config = { experimental_blockTag: 'pending', ...(isObject(given) && given) }
        const made = await make(...args.slice(0, place), config)
        for (const client of Array.isArray(made) ? made : [made]) readAtOwnTag(client)
        return made
      })
    }
    for (const name of CONTRACT_HELPERS) {
      wrapMethod(viem, name, async (helper, [contract, second, given]) => {
        const config = isObject(given) ? given : {}
        const clients = isObject(config.client) ? config.client : {}
        const client = { public: await viem.getPublicClient(), ...clients }
        return await helper(contract, second, { ...config, client })
      })
    }
  }
  refuseFrozen(viem, 'deployContract', on.devnet)
}

/** Reads of a viem client at `latest`, whatever its `experimental_blockTag`. */
const LATEST_READS = [
  'createAccessList',
  'getBlockTransactionCount',
  'getCode',
  'getDelegation',
  'getProof',
  'getStorageAt',
  'getStorageValues',
  'getTransactionCount',
]

/** The fields of a request to viem that name a block. */
const BLOCK_FIELDS = ['blockTag', 'blockNumber', 'blockHash']

/** Makes {@link LATEST_READS} of a client, and of its extensions, follow its block tag too. */
function readAtOwnTag(client: unknown): void {
  if (!isObject(client)) return
  for (const name of LATEST_READS) {
    wrapMethod(client, name, (read, [asked]) => {
      const request = isObject(asked) ? asked : {}
      const isNamed = BLOCK_FIELDS.some((field) => request[field] !== undefined)
      return read(isNamed ? request : { ...request, blockTag: client.experimental_blockTag })
    })
  }
  wrapMethod(client, 'extend', (extend, args) => {
    const extended = extend(...args)
    readAtOwnTag(extended)
    return extended
  })
}
