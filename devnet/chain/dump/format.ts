/**
 * Dumps are JSON: anvil's `SerializableState`, so that anvil reads them, with what anvil has no place for beside it.
 *
 * | field | what it holds |
 * |---|---|
 * | `block`, `best_block_number` | the newest sealed block, as anvil goes on from it |
 * | `accounts` | the state after it and after the cheats since |
 * | `blocks` | headers, signed transactions, uncles and withdrawals; here also `undo` and `undo_cheats`: what the block, and the cheats after it, changed, as the values before. So there is the state after every block, and each can be held against the root in its header; in blocks of anvil also `hardfork`, where it is not that of the schedule, and `state_root`, where that of the header is not that of the state |
 * | `transactions` | senders and receipts |
 * | `historical_states` | null: see `undo` |
 * | `pending_node` | chain id and hardforks, virtual time, choices for the next block, pre-confirmed and waiting transactions, and codes that no account has any more |
 */
export const FORMAT = 1
