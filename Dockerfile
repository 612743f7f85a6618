FROM node:24-slim AS build
WORKDIR /build
# The build needs no install scripts. One of them would download Node, which this image has.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The code with the bundled files, and empty folders as mount points for the user's files. The server may write to the
# folder of the projects, and Docker copies its owner to a new volume.
RUN npm run build:image \
 && mkdir -p /image/app /image/fixtures /image/scenarios /owned/app/compiled /owned/projects \
 && cp -r LICENSE fixtures scenarios scripts/compile-image.js /image/app/ \
 && cp -r dist-image /image/app/dist

FROM gcr.io/distroless/nodejs24-debian12:nonroot
LABEL org.opencontainers.image.title="resource-mock" \
      org.opencontainers.image.description="Mock server that behaves like the service in your OpenAPI document" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.base.name="gcr.io/distroless/nodejs24-debian12:nonroot"
COPY --from=build /image/ /
COPY --from=build --chown=65532:65532 /owned/ /
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/compiled \
    RESOURCE_MOCK_PORT=8080 \
    RESOURCE_MOCK_FIXTURES=/fixtures \
    RESOURCE_MOCK_SCENARIOS=/scenarios
# A number, because Kubernetes cannot verify `runAsNonRoot` for a user name.
USER 65532:65532
# The code compiled by the Node of this image, for this user: without it, a start takes a fifth longer.
RUN ["/nodejs/bin/node", "/app/compile-image.js"]
EXPOSE 8080
STOPSIGNAL SIGTERM
# The image has no shell and no curl. The health check reads the port from the environment variable, so set the port
# there, not with --port. Engines before 25 run the first check after a full interval, so the interval is short.
HEALTHCHECK --interval=2s --timeout=3s --retries=5 \
  CMD ["/nodejs/bin/node", "-e", "require('node:http').get({ host: '127.0.0.1', port: process.env.RESOURCE_MOCK_PORT, path: '/__admin/health' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/resource-mock.mjs"]
