import { expect, test } from "bun:test";
import { caddyfile, composeFile, containerfile, nginxSite } from "../../../src/operate/service/container.ts";
import { memoryMaxOf, systemdUnit, UNIT_MARK } from "../../../src/operate/service/unit.ts";

const site = { baseUrl: "https://pets.example.org:8443", port: 4000, maxUploadBytes: 100 * 2 ** 20 };

test("a proxy serves the public name, reaches the server's port, and accepts the largest upload", () => {
  expect(nginxSite(site)).toContain("server_name pets.example.org;");
  expect(nginxSite(site)).toContain("proxy_pass http://127.0.0.1:4000;");
  expect(nginxSite(site)).toContain("client_max_body_size 100m;");
  expect(caddyfile(site)).toContain("https://pets.example.org:8443 {");
  expect(caddyfile(site)).toContain("reverse_proxy 127.0.0.1:4000 {");
  expect(caddyfile(site)).toContain("max_size 105MB");
});

test("the compose file is YAML with the address, the port and the data of the server", () => {
  expect(Bun.YAML.parse(composeFile(site))).toMatchObject({
    services: {
      "adoption-store": {
        environment: { BASE_URL: site.baseUrl, TRUST_PROXY: "1" },
        ports: ["127.0.0.1:4000:3000"],
        volumes: ["data:/var/lib/adoption-store"],
      },
    },
    volumes: { data: {} },
  });
});

test("the container runs as a user without rights, with its data in a volume", () => {
  const lines = containerfile().split("\n");
  expect(lines).toContain("USER adoption-store");
  expect(lines).toContain("VOLUME /var/lib/adoption-store");
});

test("the unit lets the service write the directories that it names, and begins with the mark of this program", () => {
  expect(systemdUnit()).not.toContain("ReadWritePaths");
  const unit = systemdUnit({ writable: ["/mnt/50% full", String.raw`/mnt/"new" back\slash`] });
  expect(unit.startsWith(`${UNIT_MARK}\n`)).toBe(true);
  expect(unit).toContain('ReadWritePaths=-"/mnt/50%% full"\n');
  expect(unit).toContain(String.raw`ReadWritePaths=-"/mnt/\"new\" back\\slash"` + "\n");
});

test("the unit limits the memory to three quarters of the machine unless another limit is given", () => {
  expect(memoryMaxOf(systemdUnit())).toBe("75%");
  expect(memoryMaxOf(systemdUnit({ memoryMax: "2147483648" }))).toBe("2147483648");
});

test("a unit from before the memory limit has none", () => {
  expect(memoryMaxOf(systemdUnit().replace(/^MemoryMax=.*\n/m, ""))).toBeUndefined();
});

test("the unit writes no core dumps, which would contain keys", () => {
  expect(systemdUnit()).toContain("\nLimitCORE=0\n");
});

test("systemd refuses no start, because a pause already separates automatic ones", () => {
  const [head = "", service = ""] = systemdUnit().split("\n[Service]\n");
  expect(head).toContain("\nStartLimitIntervalSec=0");
  expect(service).toContain("\nRestart=on-failure\nRestartSec=2\n");
});
