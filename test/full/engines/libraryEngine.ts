import { resolveOptions } from '../../../devnet/options/options.ts'
import { optionTable } from '../../../devnet/options/optionTable.ts'

// Every node and chain of these tests that does not name an engine runs on the library.
Object.assign(optionTable.engine, { default: 'library' })

if (resolveOptions().engine !== 'library') throw new Error('The tests would run on the fast engine')
