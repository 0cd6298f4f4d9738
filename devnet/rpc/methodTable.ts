import type { RpcContext } from './context.ts'
import type { MethodTable, RpcMethod } from './method.ts'
import { methodFiles } from './methodFiles.ts'

/**
 * Name on anvil → name of the method's file. anvil has the commands of ganache and Hardhat under
 * its own prefix, too; of two with one name, such as `evm_mine` and `hardhat_mine`, it has
 * Hardhat's, which is the later one.
 */
const anvilAliases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(methodFiles)
      .filter((name) => /^(?:evm|hardhat)_/.test(name))
      .map((name) => [name.replace(/^[a-z]+/, 'anvil'), name] as const)
      .filter(([alias]) => !Object.hasOwn(methodFiles, alias)),
  ),
  anvil_setNextBlockPrevRandao: 'hardhat_setPrevRandao',
  tenderly_addBalance: 'hardhat_addBalance',
  tenderly_setBalance: 'hardhat_setBalance',
  evm_setAccountNonce: 'hardhat_setNonce',
}

/** Name on ganache, in geth or in wallets → name of the method's file. */
const otherAliases: Readonly<Record<string, string>> = {
  debug_getRawTransaction: 'eth_getRawTransactionByHash',
  // Every client may use the node's accounts, so there is no user to ask (EIP-1102).
  eth_networkId: 'net_version',
  eth_requestAccounts: 'eth_accounts',
  eth_signTypedData: 'eth_signTypedData_v4',
  eth_signTypedData_v3: 'eth_signTypedData_v4',
  evm_setAccountBalance: 'hardhat_setBalance',
  evm_setAccountCode: 'hardhat_setCode',
  evm_setAccountStorageAt: 'hardhat_setStorageAt',
}

/** Other name → name of the method's file. */
export const aliases = { ...anvilAliases, ...otherAliases }

/** Every method of the node, under all its names. */
export const methodTable: MethodTable = {
  ...methodFiles,
  ...named(anvilAliases, anvilForm),
  ...named(otherAliases, (load) => load),
}

type Load = MethodTable[string]

function named(names: Readonly<Record<string, string>>, form: (load: Load) => Load): MethodTable {
  return Object.fromEntries(
    Object.entries(names).map(([alias, name]) => {
      const load = methodFiles[name]
      if (load === undefined) throw new Error(`There is no method ${name}`)
      return [alias, form(load)]
    }),
  )
}

/** Makes a method use anvil's units and results, as if the option `anvil` were set. */
function anvilForm(load: Load): Load {
  return async () => {
    const { default: method } = await load()
    const handle: RpcMethod<never>['handle'] = (context, params, caller) =>
      method.handle(asAnvil(context), params, caller)
    return { default: { ...method, handle } }
  }
}

function asAnvil(context: RpcContext): RpcContext {
  return { ...context, options: { ...context.options, anvil: true } }
}
