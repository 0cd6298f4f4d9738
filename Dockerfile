# The node in a container, built from this checkout (devnet/CONTAINERS.md).
FROM node:24-bookworm-slim AS package
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund \
  && mkdir /package \
  && npm pack --ignore-scripts --pack-destination /package

FROM node:24-bookworm-slim
# No peers: neither Hardhat nor vitest runs here.
RUN --mount=type=bind,from=package,source=/package,target=/package \
  npm install --global --omit=peer --ignore-scripts --no-audit --no-fund --cache /tmp/npm /package/*.tgz \
  && rm -rf /tmp/npm \
  && mkdir /data \
  && chown node:node /data
USER node
# For state files, and with a volume for what one run keeps for the next. A folder `artifacts` in it
# gives the log the names of contracts.
ENV XDG_CACHE_HOME=/data/.cache
WORKDIR /data
EXPOSE 8545
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["node", "--eval", "fetch('http://127.0.0.1:8545/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The default address of the node is not reachable from outside of its container.
ENTRYPOINT ["pending-node", "--hostname", "0.0.0.0"]
