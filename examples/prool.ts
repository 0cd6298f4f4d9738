// The node as an instance of prool (https://github.com/wevm/prool), which gives every test worker a chain of its own:
//
//   import { Server } from 'prool'
//   const server = Server.create({ instance: pendingNode({ frozen: true }) })
//   await server.start() // http://localhost:8545/1, http://localhost:8545/2, …
//
// With its `prool/vitest`, `Server.setup({ instance: pendingNode(), setup(server, project) { … } })` does it for vitest.
import { createDevnet, type Devnet, type OptionsInput } from 'hardhat-pending-node/devnet'
import { Instance } from 'prool'

/** Makes an instance from the options of `createDevnet`; the node runs in this process. */
export const pendingNode = Instance.define((options?: OptionsInput) => {
  let devnet: Devnet | undefined
  return {
    name: 'pending-node',
    host: options?.hostname ?? '127.0.0.1',
    port: options?.port ?? 8545,
    async start({ port }, { setEndpoint }) {
      const started = createDevnet({ ...options, port })
      await started.start()
      devnet = started
      // Port 0 takes any free one.
      setEndpoint?.({ port: Number(new URL(started.url).port) })
    },
    async stop() {
      await devnet?.stop()
      devnet = undefined
    },
  }
})
