import { type Caller, MethodNotFoundError } from '../rpc/method.ts'
import { ChainIndex } from './chainIndex.ts'
import type { DashboardNode } from './handle.ts'
import { findQuery } from './queryTable.ts'

/** What the methods of the dashboard's API share. */
export class Dashboard {
  readonly node: DashboardNode
  readonly index: ChainIndex

  constructor(node: DashboardNode) {
    this.node = node
    this.index = new ChainIndex(node.context.chain)
  }

  /** Answers a request of the API. @throws {DevnetError} */
  async request(name: string, params: unknown, caller: Caller): Promise<unknown> {
    const method = await findQuery(name)
    if (method === undefined) throw new MethodNotFoundError(name)
    return method(this, params, caller)
  }
}
