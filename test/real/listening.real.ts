import { expect } from "bun:test";
import { readAnswer } from "./answer.ts";
import { connect } from "./socket.ts";
import {
  EXECUTABLE,
  type Server,
  directory,
  expectRefusal,
  real,
  run,
  serve,
  store,
  until,
} from "./support.ts";

const test = real();
const inNetwork = real("network namespaces", "curl", "nsenter");
const underNohup = real("nohup");

const OTHER_ADDRESS = "192.0.2.1";

/** Runs curl in the network namespace of a server, where its peer is the address that it calls. */
const curlInside = async ({ pid }: Server, url: string, ...options: string[]) => {
  const curl = ["curl", "--silent", "--include", "--max-time", "10", ...options, url];
  return run(["nsenter", "-t", String(pid), "-n", ...curl]);
};

inNetwork(
  "with HTTPS a key is taken over HTTP from this machine only, and PORT listens to it alone",
  async () => {
    const script = `ip link set lo up && ip addr add ${OTHER_ADDRESS}/32 dev lo && exec "$0" "$@"`;
    const isolated = ["unshare", "-n", "sh", "-c", script, EXECUTABLE];
    const flags = ["--host", "0.0.0.0", "--http-port", "8080", "--https-port", "8443"];
    const server = await serve({ argv: isolated, flags });
    await until("the last line of the start", () => server.stdout().includes("HTTPS on port"));
    expect(server.stdout()).toContain(`Listening on http://localhost:${server.port} (this machine only)`);
    expect(server.stdout()).toContain("HTTP on port 8080 (all addresses)");
    expect(server.stdout()).toContain("HTTPS on port 8443 (all addresses)");
    const key = ["--header", `Authorization: Bearer ${server.key}`];

    const local = await curlInside(server, `http://127.0.0.1:${server.port}/v1/pets`, ...key);
    expect(readAnswer(local.stdout).status).toBe(200);
    const port = await curlInside(server, `http://${OTHER_ADDRESS}:${server.port}/livez`);
    expect(port.code).toBe(7);
    const remote = await curlInside(server, `http://${OTHER_ADDRESS}:8080/v1/pets`, ...key);
    const answer = readAnswer(remote.stdout);
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { code: "https_required" }]);
    const alive = await curlInside(server, `http://${OTHER_ADDRESS}:8080/livez`);
    expect(readAnswer(alive.stdout).status).toBe(200);
  },
);

test("an address that is not this machine's stops the start with a line that names its setting", async () => {
  const place = directory();
  const start = (env: Record<string, string>) => store(["serve", "--port", "0"], { cwd: place, env });
  for (const HOST of ["x86_64-conda-linux-gnu", OTHER_ADDRESS])
    expectRefusal(await start({ HOST }), 1, new RegExp(`on ${HOST}:0: HOST is .+ with --host`));
  const PORT_HOST = OTHER_ADDRESS;
  expectRefusal(await start({ PORT_HOST }), 1, /PORT_HOST is .+ with --port-host/);
  const https = { HOST: "x86_64-conda-linux-gnu", HTTPS_PORT: "0", LOG_LEVEL: "error" };
  expectRefusal(await start(https), 1, /:0: HOST is .+ with --host/);
});

test("a misspelt setting is named in a warning, and not its value", async () => {
  const server = await serve({ env: { BASE_ULR: "https://secret.example.org", HOSTNAME: "a" } });
  await until("the warning", () => server.stdout().includes("BASE_ULR"));
  expect(server.stdout()).toContain("BASE_ULR is not a setting and is ignored: did you mean BASE_URL?");
  expect(server.stdout()).not.toContain("secret.example.org");
  expect(server.stdout()).not.toContain("HOSTNAME");
});

/** Begins a request whose body is on its way. @returns what sends the rest */
const beginWrite = async (server: Server) => {
  const socket = await connect(server.port);
  const body = '{"name":"Bella","categoryId":1}';
  const head = [
    "POST /v1/pets HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${server.key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
  await Bun.sleep(100);
  return { socket, finish: () => socket.write(body.slice(5)) };
};

test("SIGHUP finishes requests in flight, regardless of how often it comes, and ends with 0", async () => {
  const server = await serve();
  const { socket, finish } = await beginWrite(server);
  process.kill(server.pid, "SIGHUP");
  await until("stopping", () => server.stdout().includes("stopping"));
  process.kill(server.pid, "SIGHUP");
  finish();
  await socket.until(/^HTTP\/1\.1 201 /);
  expect(await server.exited).toBe(0);
});

underNohup("a server under nohup does not end with its terminal", async () => {
  const server = await serve({ argv: ["nohup", EXECUTABLE] });
  process.kill(server.pid, "SIGHUP");
  expect((await server.add("Bella")).status).toBe(201);
  expect(await server.stop()).toBe(0);
});
