// The entry of the compiler. A `@ts-ignore` in this folder stands before a decorator of a function,
// which AssemblyScript has and TypeScript, in editors, refuses.
export { blake2F } from './blake'
export { allocate, codeRoom, decode, resumeAt } from './decode'
export { enter, exec } from './exec'
export { setFusing } from './fuse'
export { memoryEnd, roomUpTo, useMemory } from './frameMemory'
export { absorb, keccak, squeeze } from './keccak'
export { failurePosition } from './places'
export { reverse } from './words'
