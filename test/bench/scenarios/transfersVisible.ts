import { visibleScenario } from '../visibleScenario.ts'

/** Throughput of the cheapest transactions. */
export const transfersVisible = visibleScenario({
  name: 'transfersVisible',
  about: '2,000 signed transfers from 20 senders, sent until all are visible in "pending"',
  setup: () => [],
  next: (traffic, count) => traffic.transfers(count),
  received: (node, recipient) => node.call('eth_getBalance', recipient, 'latest'),
})
