/**
 * Sources of the cells of profiles, for the documents, each with the date on which it was true. A
 * commit is a repository as it was then.
 */
export const profileSources = {
  own: 'This node.',
  denim:
    "Base's specification of Denim, [200 ms blocks](https://docs.base.org/base-chain/specs/upgrades/denim/200ms-blocks), active since 2026-11-05, as it was on 2026-11-26.",
  denimProvider:
    '[Chainstack](https://docs.chainstack.com/docs/base-denim-200ms-blocks) on Base, as of 2026-11-06: these kinds deliver no notifications.',
  baseBuilder: '[base/base](https://github.com/base/base) 98a8db8, `crates/builder/core`.',
  baseRpc: 'The same, `crates/execution/flashblocks/src/rpc`, over the documentation.',
  baseMetadata: 'The same, `crates/alloy/flashblocks`; receipts and balances are gone since 0.8.',
  baseNode: 'The same, which is an OP Stack chain.',
  subblocks:
    '[OP Stack specification](https://specs.optimism.io/protocol/subblocks.html), `protocol/subblocks.md`.',
  opMainnet:
    'OP Mainnet, as [Chainstack](https://docs.chainstack.com/docs/flashblocks-on-optimism) describes and has tried it, as of 2026-05-18.',
  reth: '[reth](https://github.com/paradigmxyz/reth), on which these nodes are built, `rpc-eth-types/src/error`.',
  opBuilder:
    '[flashbots/op-rbuilder](https://github.com/flashbots/op-rbuilder) and [rollup-boost](https://github.com/flashbots/rollup-boost), `specs/flashblocks.md`.',
  unichain:
    "[Unichain's documents](https://docs.unichain.org/docs/technical-information/flashblocks), and what providers list, as of 2026-03-05.",
  xlayer:
    '[okx/xlayer-reth](https://github.com/okx/xlayer-reth) b85080e, `crates/rpc`, `flashblocks`, `builder`.',
  giwa: "[nodit's documents](https://developer.nodit.io) of GIWA, which list no subscriptions.",
  riseDocs:
    "[RISE's documents](https://docs.risechain.com/docs/builders/shreds/watching-events), as of 2026-11-26.",
  riseLive:
    'RISE mainnet, as observed on 2026-08-27 and published: the receipt of a shred has 32 zero bytes as block hash, its logs have `null`.',
  riseShreds: 'The same: a shred is one transaction.',
  riseReceipts:
    '[risechain/risechain](https://github.com/risechain/risechain) c2957d5, `crates/primitives/src/rpc.rs`: receipts have no L1 fee. Predeploys and deposits are left out with it.',
  megaMiniBlocks:
    "MegaETH's documents, [mini-blocks](https://docs.megaeth.com), as of 2026-11-26: about 10 ms, and 1 s.",
  megaRealtime: 'The same, Realtime API.',
  megaSubscribe: 'The same, `eth_subscribe`.',
  megaSend: 'The same, `realtime_sendRawTransaction`.',
  pool: '[base/base](https://github.com/base/base) 98a8db8, `crates/execution/rpc`, as op-geth and op-reth: a node keeps what it passes on to the sequencer in its own pool.',
} as const

export type ProfileSource = keyof typeof profileSources
