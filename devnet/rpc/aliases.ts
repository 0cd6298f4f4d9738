import type { RpcContext } from './context.ts'
import type { MethodTable, RpcMethod } from './method.ts'

type Load = MethodTable[string]

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

/** Names, without `hardhat_`, of the methods that have an `anvil_` name too. */
const HARDHAT_METHODS = [
  'addBalance',
  'autoImpersonateAccount',
  'dropAllTransactions',
  'dropTransaction',
  'dumpState',
  'getAutomine',
  'getIntervalMining',
  'impersonateAccount',
  'loadState',
  'metadata',
  'mine',
  'removeBlockTimestampInterval',
  'removePoolTransactions',
  'reset',
  'setBalance',
  'setBlockTimestampInterval',
  'setChainId',
  'setCode',
  'setCoinbase',
  'setMinGasPrice',
  'setNextBlockBaseFeePerGas',
  'setNonce',
  'setPrevRandao',
  'setStorageAt',
  'stopImpersonatingAccount',
]

/** Names, without `evm_`, of the methods that have an `anvil_` name too. */
const EVM_METHODS = [
  'increaseTime',
  'mine_detailed',
  'revert',
  'setAutomine',
  'setBlockGasLimit',
  'setIntervalMining',
  'setNextBlockTimestamp',
  'setTime',
  'snapshot',
]

/** Name on anvil → name of the method's file. */
export const anvilAliases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(HARDHAT_METHODS.map((name) => [`anvil_${name}`, `hardhat_${name}`])),
  ...Object.fromEntries(EVM_METHODS.map((name) => [`anvil_${name}`, `evm_${name}`])),
  anvil_setNextBlockPrevRandao: 'hardhat_setPrevRandao',
  evm_setAccountNonce: 'hardhat_setNonce',
}

/** Name on ganache → name of the method's file. */
export const ganacheAliases: Readonly<Record<string, string>> = {
  evm_setAccountBalance: 'hardhat_setBalance',
  evm_setAccountCode: 'hardhat_setCode',
  evm_setAccountStorageAt: 'hardhat_setStorageAt',
}

/** Other name in geth or in wallets → name of the method's file. */
export const clientAliases: Readonly<Record<string, string>> = {
  debug_getRawTransaction: 'eth_getRawTransactionByHash',
  // Every client may use the node's accounts, so there is no user to ask (EIP-1102).
  eth_requestAccounts: 'eth_accounts',
  eth_signTypedData: 'eth_signTypedData_v4',
  eth_signTypedData_v3: 'eth_signTypedData_v4',
}

/** Adds the other names of methods to a table of them. */
export function withAliases(methods: MethodTable): MethodTable {
  const table: Record<string, MethodTable[string]> = { ...methods }
  const find = (name: string) => {
    const load = methods[name]
    if (load === undefined) throw new Error(`There is no method ${name}`)
    return load
  }
  for (const [alias, name] of Object.entries(anvilAliases)) table[alias] = anvilForm(find(name))
  for (const [alias, name] of Object.entries({ ...ganacheAliases, ...clientAliases })) {
    table[alias] = find(name)
  }
  return table
}
