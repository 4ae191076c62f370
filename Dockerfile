# Document 000's runtime: the server at port 5353 with /health and /ws.
# A glibc base, not Alpine: Claude's own program is built for glibc.
ARG NODE_IMAGE=node:22-bookworm-slim

# Stage 1: packages and build. Nothing of it but the result is in the image.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY src/web/package.json ./src/web/
COPY src/web/ui/package.json ./src/web/ui/
COPY src/web/console/package.json ./src/web/console/
COPY src/web/panel/package.json ./src/web/panel/
COPY src/web/workbench/package.json ./src/web/workbench/
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev --workspace=src/web --include-workspace-root
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
# The workbench carries its own documentation, for agents to search.
COPY docs/user ./docs/user
RUN npm run build
# What runs needs no compiler and no tests, but it needs Claude's program, which the repository has for its tests only.
# The version is the one that was tested.
RUN SDK=@anthropic-ai/claude-agent-sdk \
 && VERSION="$(node -p "const p = require('./package.json'); ({ ...p.dependencies, ...p.optionalDependencies, ...p.devDependencies })['$SDK']")" \
 && npm pkg delete workspaces "devDependencies[$SDK]" \
 && npm pkg set "dependencies[$SDK]=$VERSION" \
 && npm install --omit=dev --ignore-scripts --no-audit --no-fund

# Stage 2: what runs.
FROM ${NODE_IMAGE} AS runtime
# wget for the health check, git for agents that work in a repository, tini so that no process of an agent is left a zombie.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git tini wget \
 && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 2001 grok \
 && useradd --uid 1001 --gid 2001 --create-home --shell /bin/bash grok \
 && install -d -o 1001 -g 2001 -m 700 /data \
 && install -d -o 1001 -g 2001 -m 755 /workspace
WORKDIR /app
# The files belong to root: an agent cannot change the server that watches it.
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Keys and tokens are no part of an image: ANTHROPIC_API_KEY and SALLYPORT_TOKEN come when it is started.
# The provider is named, so that a container without a key says so and does not answer its users with the demo model.
ENV NODE_ENV=production \
    SALLYPORT_HOST=0.0.0.0 \
    SALLYPORT_PORT=5353 \
    SALLYPORT_HOME=/data \
    SALLYPORT_WORKSPACE=/workspace \
    SALLYPORT_PROVIDER=cloud \
    SALLYPORT_RUNTIME_ENGINE=claude-sdk
USER 1001:2001
VOLUME ["/data", "/workspace"]
EXPOSE 5353
# Liveness, not readiness: a server that drains or whose disk is nearly full must not be restarted for that.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
  CMD wget --spider http://127.0.0.1:5353/health || exit 1
ENTRYPOINT ["tini", "--", "node", "dist/cli/main.js"]
CMD ["serve"]
