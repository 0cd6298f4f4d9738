import { balanceOf } from '../traffic.ts'
import { type VisibleTraffic, visibleScenario } from '../visibleScenario.ts'

export const erc20Transfers: VisibleTraffic = {
  setup: (traffic) => traffic.tokenSetup(),
  next: (traffic, count) => traffic.tokenTransfers(count),
  received: (node, recipient) => node.call('eth_call', balanceOf(recipient), 'latest'),
}

/** Throughput of the commonest contract call, each to a new holder. */
export const erc20Visible = visibleScenario(erc20Transfers, {
  name: 'erc20Visible',
  about: '2,000 signed ERC-20 transfers from 20 senders, sent until all are visible in "pending"',
})
