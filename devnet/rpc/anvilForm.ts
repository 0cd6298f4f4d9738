import type { RpcContext } from './context.ts'
import type { MethodTable, RpcMethod } from './method.ts'

type Load = MethodTable[string]

/**
 * A method under anvil's name: the same work, with the units and the results that anvil has, as under the option `anvil`.
 *
 * @param load - the file of the method
 */
export function anvilForm(load: Load): Load {
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

/** What a command answers that has nothing to say: `true` on hardhat node, `null` on anvil. */
export function done({ options }: Pick<RpcContext, 'options'>): true | null {
  return options.anvil ? null : true
}
