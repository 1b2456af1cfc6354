import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE, type Finished, directory, real, run } from "./support.ts";

const withNginx = real("root", "nginx", "unshare");
const withCaddy = real("root", "caddy", "unshare");

/**
 * Runs the server and a proxy in a separate network, where the ports 80 and 443 are free, and then these commands. `call`
 * calls the API through the proxy with the first key.
 */
const behind = (place: string, proxy: string, commands: string, flags: string): Promise<Finished> =>
  run(
    [
      "unshare",
      "--net",
      "--pid",
      "--fork",
      "--kill-child",
      "bash",
      "-e",
      "-c",
      `ip link set lo up
      export HOME=$PWD
      ${EXECUTABLE} serve ${flags} --trust-proxy 1 --log-format json > server.log 2>&1 &
      ${proxy} > proxy.log 2>&1 &
      for i in $(seq 100); do curl --silent --fail http://127.0.0.1:3000/readyz >/dev/null && break; sleep 0.1; done
      KEY=$(cat data/admin.key)
      call() { curl --silent --show-error --insecure --max-time 20 --retry 20 --retry-connrefused --retry-delay 1 --resolve adopt.example.org:80:127.0.0.1 --resolve adopt.example.org:443:127.0.0.1 --header "Authorization: Bearer $KEY" "$@"; }
      ${commands}`,
    ],
    { cwd: place },
  );

/** What must work through a proxy: the host name, a large upload, and an event stream that is not buffered. */
const walk = (url: string) => `
  call --json '{"name":"Bella","categoryId":1}' ${url}/v1/pets; echo
  mkdir site; echo '<h1>Pets</h1>' > site/index.html; head --bytes=20000000 /dev/urandom > site/large.bin; tar --create --gzip --directory site --file site.tar.gz .
  call --json '{"slug":"pets","name":"Pets","plan":"free"}' ${url}/platform/projects --output /dev/null --write-out 'project %{http_code}\\n'
  call --header 'Content-Type: application/gzip' --data-binary @site.tar.gz ${url}/platform/projects/pets/deploys --output /dev/null --write-out 'deploy %{http_code}\\n'
  call --no-buffer ${url}/v1/pets/events > events & STREAM=$!
  sleep 1; call --json '{"name":"Carl","categoryId":1}' ${url}/v1/pets --output /dev/null
  for i in $(seq 50); do grep --quiet Carl events && break; sleep 0.1; done
  kill $STREAM; echo "stream $(grep --count Carl events)"`;

const expectWalked = ({ code, stdout, stderr }: Finished): void => {
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^\{"id":1,"name":"Bella","categoryId":1\}\nproject 201\ndeploy 201\nstream 1\n/,
    ),
    stderr: "",
  });
};

const printed = async (file: string, baseUrl: string): Promise<string> =>
  (await run([EXECUTABLE, "service", "print", file, "--base-url", baseUrl])).stdout;

withNginx("the printed site of nginx passes everything on, without buffering", async () => {
  const place = directory();
  writeFileSync(join(place, "site.conf"), await printed("nginx", "http://adopt.example.org"));
  writeFileSync(
    join(place, "nginx.conf"),
    `daemon off; user root; pid ${place}/nginx.pid; error_log stderr;
     events {}
     http { access_log off; client_body_temp_path ${place}/body; proxy_temp_path ${place}/proxy;
       fastcgi_temp_path ${place}/f; uwsgi_temp_path ${place}/u; scgi_temp_path ${place}/s;
       include ${place}/site.conf; }`,
  );
  const proxy = `nginx -c ${place}/nginx.conf`;
  expectWalked(
    await behind(place, proxy, walk("http://adopt.example.org"), "--base-url http://adopt.example.org"),
  );
});

withCaddy("the printed Caddyfile passes everything on, over HTTPS", async () => {
  const place = directory();
  const site = await printed("caddy", "https://adopt.example.org");
  // The network has no CA, so Caddy makes its own certificate.
  writeFileSync(join(place, "Caddyfile"), `{\n\tlocal_certs\n\tskip_install_trust\n}\n${site}`);
  const proxy = `caddy run --config ${place}/Caddyfile --adapter caddyfile`;
  const result = await behind(
    place,
    proxy,
    walk("https://adopt.example.org"),
    "--base-url https://adopt.example.org",
  );
  expectWalked(result);
});
