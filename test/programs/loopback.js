// Loaded before a program that can listen on all addresses only: it listens on loopback.
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function (options, ...rest) {
  const isAll = typeof options === 'object' && options?.port !== undefined
  return listen.call(this, isAll ? { ...options, host: '127.0.0.1' } : options, ...rest)
}
