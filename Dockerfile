FROM node:24-slim AS build
WORKDIR /app
# Install scripts are left out: the one there is fetches a Node, which this image has.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsdown.config.ts ./
COPY src src
RUN npm run build
# The places to mount one's own files at. They exist, empty, so that the image also runs without a mount.
RUN mkdir -p /overlay/fixtures /overlay/scenarios

FROM gcr.io/distroless/nodejs24-debian12:nonroot
LABEL org.opencontainers.image.title="resource-mock" \
      org.opencontainers.image.description="A stand-in for the Generic Resource Service" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY LICENSE package.json ./
COPY fixtures fixtures
COPY scenarios scenarios
COPY --from=build /app/dist dist
COPY --from=build /overlay/ /
ENV NODE_ENV=production \
    RESOURCE_MOCK_PORT=8080 \
    RESOURCE_MOCK_FIXTURES=/fixtures \
    RESOURCE_MOCK_SCENARIOS=/scenarios
# By number, so that Kubernetes can tell that it is not root.
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
# There is no shell to run curl in. The port is the environment's: change it there, not with --port.
HEALTHCHECK --interval=3s --timeout=3s --retries=5 \
  CMD ["/nodejs/bin/node", "-e", "require('node:http').get({ host: '127.0.0.1', port: process.env.RESOURCE_MOCK_PORT, path: '/__admin/health' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/bin.mjs"]
