import { type VisibleTraffic, visibleScenario } from '../visibleScenario.ts'

export const plainTransfers: VisibleTraffic = {
  setup: () => [],
  next: (traffic, count) => traffic.transfers(count),
  received: (node, recipient) => node.call('eth_getBalance', recipient, 'latest'),
}

/** Throughput of the cheapest transactions. */
export const transfersVisible = visibleScenario(plainTransfers, {
  name: 'transfersVisible',
  about: '2,000 signed transfers from 20 senders, sent until all are visible in "pending"',
})
