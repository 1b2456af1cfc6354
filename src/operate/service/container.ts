import { STATE_DIRECTORY, USER } from "./unit.ts";

/** The exit code of this command shows whether the server is healthy. */
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

export interface Site {
  /** The public address, such as https://adopt.example.org. */
  baseUrl: string;
  port: number;
  maxUploadBytes: number;
}

/** A compose file next to the Containerfile: one service behind a reverse proxy on the same machine. */
export const composeFile = ({
  baseUrl,
  port,
}: Site): string => `# In the directory of the Containerfile and the executable:
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

const settings = (baseUrl: string): string => `# In the environment of the server:
#   BASE_URL=${baseUrl}
#   TRUST_PROXY=1`;

/** Rounded up: a proxy must not refuse uploads that the server accepts. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);
const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/**
 * A Caddyfile. Caddy gets the certificate, sends X-Forwarded-For and X-Forwarded-Proto, keeps the host name, and forwards
 * event streams without buffering.
 */
export const caddyfile = ({ baseUrl, port, maxUploadBytes }: Site): string => `${settings(baseUrl)}
${baseUrl} {
	request_body {
		max_size ${megabytes(maxUploadBytes)}MB
	}
	reverse_proxy 127.0.0.1:${port} {
		# Event streams: send each event immediately.
		flush_interval -1
	}
}
`;

/** A site of nginx, without HTTPS: certbot adds that. */
export const nginxSite = ({ baseUrl, port, maxUploadBytes }: Site): string => {
  const { hostname } = new URL(baseUrl);
  return `# /etc/nginx/sites-enabled/adoption-store
${settings(baseUrl)}
# For HTTPS: certbot --nginx --domain ${hostname}
server {
    listen 80;
    listen [::]:80;
    server_name ${hostname};

    client_max_body_size ${mebibytes(maxUploadBytes)}m;

    location / {
        proxy_pass http://127.0.0.1:${port};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        # Only the address that nginx sees: nothing that a client has claimed.
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        # Event streams: send each event immediately, and keep quiet streams open.
        proxy_buffering off;
        proxy_read_timeout 1h;
        # Uploads go to the server while they arrive.
        proxy_request_buffering off;
    }
}
`;
};
