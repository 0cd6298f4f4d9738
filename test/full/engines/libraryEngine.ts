import { optionTable } from '../../../devnet/options/optionTable.ts'
import { resolveOptions } from '../../../devnet/options/options.ts'

// Every node and chain of these tests that does not name an engine runs on the library.
Object.assign(optionTable.engine, { default: 'library' })

if (resolveOptions().engine !== 'library') throw new Error('The tests would run on the fast engine')
