/**
 * Node's own `http`. An `import` of it would read all that it exports and so load the client of
 * `fetch` and `WebSocket`, which is most of the CPU time that a start takes (40 ms, Node 24).
 */
export const { createServer, request } = process.getBuiltinModule('node:http')
