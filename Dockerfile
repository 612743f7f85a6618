FROM node:24-slim AS build
WORKDIR /build
# Install scripts are left out: the build needs none of them (one would fetch a Node, which this image has).
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The code beside the files it serves; and two empty folders to mount one's own over.
RUN npm run build:image \
 && mkdir -p /image/app /image/fixtures /image/scenarios \
 && cp -r LICENSE fixtures scenarios /image/app/ \
 && cp -r dist-image /image/app/dist

FROM gcr.io/distroless/nodejs24-debian12:nonroot
LABEL org.opencontainers.image.title="resource-mock" \
      org.opencontainers.image.description="Mock server for the Generic Resource Service" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.base.name="gcr.io/distroless/nodejs24-debian12:nonroot"
COPY --from=build /image/ /
ENV NODE_ENV=production \
    RESOURCE_MOCK_PORT=8080 \
    RESOURCE_MOCK_FIXTURES=/fixtures \
    RESOURCE_MOCK_SCENARIOS=/scenarios
# By number, so that Kubernetes can tell that it is not root.
USER 65532:65532
EXPOSE 8080
STOPSIGNAL SIGTERM
# There is no shell to run curl in. The probe knows the port from the environment: change it there, not with --port.
# Engines before 25 probe for the first time after a whole interval, so it is short.
HEALTHCHECK --interval=2s --timeout=3s --retries=5 \
  CMD ["/nodejs/bin/node", "-e", "require('node:http').get({ host: '127.0.0.1', port: process.env.RESOURCE_MOCK_PORT, path: '/__admin/health' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/resource-mock.mjs"]
