/** Tells in the log of the process of what does not stop a node. */
export function warn(sentence: string): void {
  console.error(`hardhat-pending-node: ${sentence}`)
}
