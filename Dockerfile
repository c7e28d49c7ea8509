FROM node:22-bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/*
RUN mkdir /app /data && chown node:node /app /data
USER node
WORKDIR /app
COPY --chown=node:node package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY --chown=node:node . .
# Built here once, not at each start.
RUN node --input-type=module -e "const { prepare } = await import('/app/scripts/prepare.mjs'); await prepare({ built: true, signal: new AbortController().signal })"
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 3000
CMD ["node", "scripts/start.mjs"]
