import { STATE_DIRECTORY, USER } from "./paths.ts";

/** The exit code of this command says whether the server is healthy. */
const HEALTH_COMMAND = ["adoption-store", "status"];

/** A Containerfile for the executable in the directory of the build. The executable needs glibc. */
export const containerfile =
  (): string => `# Build, in a directory with this file and the executable adoption-store:
#   docker build --tag adoption-store --file Containerfile .
# Run:
#   docker run --detach --name adoption-store --publish 3000:3000 --volume adoption-store:${STATE_DIRECTORY} adoption-store
FROM debian:stable-slim

RUN useradd --system --user-group --home-dir ${STATE_DIRECTORY} --shell /usr/sbin/nologin ${USER} \\
 && install --directory --owner ${USER} --group ${USER} --mode 0700 ${STATE_DIRECTORY}
COPY --chmod=0755 adoption-store /usr/local/bin/adoption-store

USER ${USER}
WORKDIR ${STATE_DIRECTORY}
ENV DATA_DIR=${STATE_DIRECTORY} HOST=0.0.0.0
VOLUME ${STATE_DIRECTORY}
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ${JSON.stringify(HEALTH_COMMAND)}
ENTRYPOINT ["adoption-store"]
CMD ["serve"]
`;

/** What the files of a container and of reverse proxies need to know. */
export interface Site {
  /** The public address, such as https://adopt.example.org. */
  baseUrl: string;
  /** The server's port on this machine. */
  port: number;
  /** The largest upload, in bytes. */
  maxUploadBytes: number;
}

/** A compose file beside the Containerfile: one service behind a reverse proxy on the same machine. */
export const composeFile = ({ baseUrl, port }: Site): string => `# Beside Containerfile and the executable:
#   adoption-store service print container > Containerfile
#   docker compose up --detach
services:
  adoption-store:
    build:
      context: .
      dockerfile: Containerfile
    image: adoption-store
    restart: unless-stopped
    environment:
      BASE_URL: ${JSON.stringify(baseUrl)}
      # One reverse proxy in front: see adoption-store service print caddy
      TRUST_PROXY: "1"
    ports:
      - "127.0.0.1:${port}:3000"
    volumes:
      - data:${STATE_DIRECTORY}
    healthcheck:
      test: ${JSON.stringify(["CMD", ...HEALTH_COMMAND])}
      interval: 30s
      timeout: 5s
      start_period: 30s
    # The server finishes its requests within 8 seconds.
    stop_grace_period: 30s
    read_only: true
    tmpfs:
      - /tmp
    cap_drop:
      - ALL
    security_opt:
      - no-new-privileges:true

volumes:
  data: {}
`;
