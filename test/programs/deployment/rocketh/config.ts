import * as deploy from '@rocketh/deploy'
import * as readExecute from '@rocketh/read-execute'
import type { UserConfig } from 'rocketh/types'

export const config = {
  accounts: { deployer: { default: 0 } },
  data: {},
} as const satisfies UserConfig
export const extensions = { ...deploy, ...readExecute }
