import { formatPoolTransaction } from '../rpc/format/transaction.ts'
import { params } from '../rpc/params.ts'
import { flag, text } from '../rpc/schemas/plain.ts'
import { chainFeed } from './feed.ts'
import { defineKind } from './subscriptionKind.ts'

const hashes = chainFeed<string>((chain, emit) =>
  chain.onAdmit(({ hash }) => emit(JSON.stringify(hash))),
)

const transactions = chainFeed<string>((chain, emit) =>
  chain.onAdmit((transaction) => emit(JSON.stringify(formatPoolTransaction(transaction)))),
)

/** Sends the hash of each transaction when the mempool accepts it; with `true`, the transaction in its pool form. */
export const newPendingTransactions = defineKind(
  params(text(), flag().optional()),
  ({ chain }, [, full]) => {
    const feed = full === true ? transactions(chain) : hashes(chain)
    return (push) => feed.subscribe(push)
  },
)
