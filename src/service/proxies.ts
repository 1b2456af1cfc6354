import type { Site } from "./container.ts";

const settings = (baseUrl: string): string => `# In the environment of the server:
#   BASE_URL=${baseUrl}
#   TRUST_PROXY=1`;

/** Rounded up: a proxy must not refuse what the server accepts. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);
const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/**
 * A Caddyfile. Caddy gets the certificate, sends X-Forwarded-For and X-Forwarded-Proto, keeps the host name, and passes event
 * streams on at once.
 */
export const caddyfile = ({ baseUrl, port, maxUploadBytes }: Site): string => `${settings(baseUrl)}
${baseUrl} {
	request_body {
		max_size ${megabytes(maxUploadBytes)}MB
	}
	reverse_proxy 127.0.0.1:${port} {
		# Changes reach the readers of an event stream at once.
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
        # Event streams: changes reach their readers at once, and a quiet stream stays open.
        proxy_buffering off;
        proxy_read_timeout 1h;
        # Uploads go to the server while they arrive.
        proxy_request_buffering off;
    }
}
`;
};
