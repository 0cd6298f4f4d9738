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
  baseBuilder:
    '[base/base](https://github.com/base/base) 98a8db8 (2026-03-15), `crates/builder/core`.',
  baseRpc:
    '[base/base](https://github.com/base/base) 98a8db8 (2026-03-15), `crates/execution/flashblocks/src/rpc`, over the documentation.',
  baseMetadata:
    '[base/base](https://github.com/base/base) 98a8db8 (2026-03-15), `crates/alloy/flashblocks`; receipts and balances are gone since 0.8.',
  baseNode:
    '[base/base](https://github.com/base/base) 98a8db8 (2026-03-15), which is an OP Stack chain.',
  subblocks:
    '[OP Stack specification](https://specs.optimism.io/protocol/subblocks.html), `protocol/subblocks.md`, as of August 2026.',
  opMainnet:
    'OP Mainnet, as [Chainstack](https://docs.chainstack.com/docs/flashblocks-on-optimism) describes and has tried it, as of 2026-05-18; QuickNode lists `eth_simulateV1` and subscriptions as well.',
  reth: '[reth](https://github.com/paradigmxyz/reth), on which these nodes are built, `rpc-eth-types/src/error`, as of August 2026.',
  opBuilder:
    '[flashbots/op-rbuilder](https://github.com/flashbots/op-rbuilder) and [rollup-boost](https://github.com/flashbots/rollup-boost), `specs/flashblocks.md`, as of August 2026.',
  unichain:
    "[Unichain's documents](https://docs.unichain.org/docs/technical-information/flashblocks), and what providers list, as of 2026-03-05.",
  xlayer:
    '[okx/xlayer-reth](https://github.com/okx/xlayer-reth) b85080e (June 2026), `crates/rpc`, `flashblocks`, `builder`.',
  giwa: "[QuickNode](https://www.quicknode.com/docs/giwa/eth_subscribe) on GIWA, as of 2026-08-31: `newHeads` and `logs`; nodit's documents list the methods.",
  riseDocs:
    "[RISE's documents](https://docs.risechain.com/docs/builders/shreds/watching-events), as of 2026-11-26, and its client, npm `shreds` 0.3.0.",
  riseLive:
    'RISE mainnet, as observed on 2026-08-27 and published: the receipt of a shred has 32 zero bytes as block hash, its logs have `null`.',
  riseShreds:
    'RISE mainnet, as observed on 2026-08-27 and published: a shred is one transaction, 2 to 18 ms after the one before.',
  riseReceipts:
    '[risechain/risechain](https://github.com/risechain/risechain) c2957d5, `crates/primitives/src/rpc.rs`: receipts have no L1 fee. Predeploys and deposits are left out with it.',
  megaMiniBlocks:
    '[megaeth-labs/documentation](https://github.com/megaeth-labs/documentation) 305b9d6 (2026-04-29), `mini-block.md`: about 10 ms, and 1 s.',
  megaRealtime:
    '[megaeth-labs/documentation](https://github.com/megaeth-labs/documentation) 305b9d6 (2026-04-29), `realtime-api.md`.',
  megaSubscribe:
    '[megaeth-labs/documentation](https://github.com/megaeth-labs/documentation) 305b9d6 (2026-04-29), `eth_subscribe.md`.',
  megaSend:
    "MegaETH's [documents](https://docs.megaeth.com), `realtime_sendRawTransaction`, as of 2026-11-26.",
  accessLists:
    '[ethereum/execution-apis](https://github.com/ethereum/execution-apis) of 2026-08-24, `src/eth/block.yaml`; none of these networks has access lists yet.',
  pool: '[base/base](https://github.com/base/base) 98a8db8 (2026-03-15), `crates/execution/rpc`, as op-geth and op-reth: a node keeps what it passes on to the sequencer in its own pool.',
} as const

export type ProfileSource = keyof typeof profileSources
