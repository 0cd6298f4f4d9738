// The node as an instance of prool (https://github.com/wevm/prool), which gives every test worker a
// chain of its own. With `prool/vitest`, `Server.setup({ instance: pendingNode(), … })` starts the
// server for vitest. As a program, it shows two chains behind one server:
//
//   node examples/prool.ts
import { fileURLToPath } from 'node:url'
import { createDevnet, type Devnet, type OptionsInput } from 'hardhat-pending-node/devnet'
import { Instance, Server } from 'prool'
import { createTestClient, http, publicActions } from 'viem'
import { hardhat } from 'viem/chains'

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
      // With port 0 the node takes any free port, so report the one it took.
      setEndpoint?.({ port: Number(new URL(started.url).port) })
    },
    async stop() {
      await devnet?.stop()
      devnet = undefined
    },
  }
})

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const instance = pendingNode({ frozen: true })
  const server = Server.create({ instance, host: '127.0.0.1', port: 0 })
  const stop = await server.start()
  try {
    const { port } = server.address() ?? {}
    // Each path is a chain of its own, started by its first request.
    const [one, two] = [1, 2].map((worker) =>
      createTestClient({
        chain: hardhat,
        mode: 'hardhat',
        transport: http(`http://127.0.0.1:${port}/${worker}`),
      }).extend(publicActions),
    )
    await one?.mine({ blocks: 3 })
    console.log(`/1 is at block ${await one?.getBlockNumber()}`)
    console.log(`/2 is at block ${await two?.getBlockNumber()}`)
  } finally {
    await stop()
  }
}
