export { Random } from '../../devnet/primitives/random.ts'
