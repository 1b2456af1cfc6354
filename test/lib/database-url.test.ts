import { expect, test } from "bun:test";
import { InvalidDatabaseUrl, describeDatabaseUrl, parseDatabaseUrl } from "../../src/lib/database-url.ts";

test("a URL of etcd names the members, the credentials, the prefix and the files of TLS", () => {
  expect(
    parseDatabaseUrl(
      "etcd://root:word@a.example.org,B.example.org:2380,[2001:db8::1]:2381/shops/one?ca=/ca.pem",
    ),
  ).toEqual({
    engine: "etcd",
    hosts: [
      { host: "a.example.org", port: 2379 },
      { host: "b.example.org", port: 2380 },
      { host: "2001:db8::1", port: 2381 },
    ],
    credentials: { user: "root", password: "word" },
    path: "shops/one",
    log: "adoption-store",
    tls: { ca: "/ca.pem", cert: undefined, key: undefined },
  });
});

test("a URL of PostgreSQL names the hosts, the credentials, the database and the log", () => {
  expect(
    parseDatabaseUrl("postgresql://shop:word@db1.example.org,db2.example.org:5433/shop?log=two"),
  ).toEqual({
    engine: "postgres",
    hosts: [
      { host: "db1.example.org", port: 5432 },
      { host: "db2.example.org", port: 5433 },
    ],
    credentials: { user: "shop", password: "word" },
    path: "shop",
    log: "two",
    tls: { ca: undefined, cert: undefined, key: undefined },
  });
});

test("on this machine neither TLS nor credentials are needed, and the prefix has a default", () => {
  expect(parseDatabaseUrl("etcd://127.0.0.1:2379,localhost:22379,[::1]:32379")).toMatchObject({
    credentials: undefined,
    path: "adoption-store",
    tls: undefined,
  });
  expect(parseDatabaseUrl("postgres://localhost/shop").tls).toBeUndefined();
  expect(parseDatabaseUrl("postgres://localhost/shop?sslmode=disable").tls).toBeUndefined();
});

test.each([
  "etcd://localhost/a?ca=/ca.pem",
  "etcd://localhost/a?cert=/c.pem&key=/k.pem",
  "postgres://localhost/a?sslmode=require",
  "etcd://u:p@localhost,a.example.org/a",
  "etcd://u:p@127.0.0.1.example.org/a",
  "postgres://u:p@a.example.org/a?sslmode=require",
])("%s has TLS", (url) => {
  expect(parseDatabaseUrl(url).tls).toBeDefined();
});

test("a client certificate replaces a user and a password", () => {
  expect(parseDatabaseUrl("etcd://a.example.org/a?cert=/c.pem&key=/k.pem")).toMatchObject({
    credentials: undefined,
    tls: { cert: "/c.pem", key: "/k.pem" },
  });
});

test("a password is percent-decoded", () => {
  expect(parseDatabaseUrl("etcd://u:p%40%2F%3F%23%25:@localhost").credentials?.password).toBe("p@/?#%:");
});

test.each([
  ["", /must be written as etcd:\/\/USER:PASSWORD@/],
  ["mysql://u:s3cret@a/b", /must be written as etcd/],
  ["etcd:///s3cret", /must be written as etcd/],
  ["etcd://u:s3cret@a/b#c", /must be written as etcd/],
  ["etcd://u:s3cret@@a.example.org/b", /in a password, write @ as %40/],
  ["etcd://u:s3cret/x@a.example.org/b", /write @ as %40, \/ as %2F/],
  ["etcd://u:s3cret?x@a.example.org/b", /\/ as %2F, \? as %3F/],
  ["etcd://u:s3cret%@localhost", /the password is not percent-encoded: write % as %25/],
  ["etcd://u:s3cret%00@localhost", /the password is not percent-encoded/],
  ["etcd://s3cret@localhost", /both a user and a password/],
  ["etcd://:s3cret@localhost", /both a user and a password/],
  ["etcd://u:s3cret@localhost,/b", /host 2 must be a name/],
  ["etcd://u:s3cret@[::g]/b", /host 1 must be a name/],
  ["etcd://u:s3cret@[1:2]/b", /host 1 must be a name/],
  ["etcd://u:s3cret@localhost:0/b", /port of host 1 must be from 1 to 65535/],
  ["etcd://u:s3cret@localhost:65536/b", /port of host 1/],
  [`etcd://u:s3cret@${Array(17).fill("a").join(",")}/b`, /more than 16 hosts/],
  ["etcd://u:s3cret@localhost/s3cret b", /the prefix after the hosts/],
  ["postgres://u:s3cret@localhost", /the name of the database must follow/],
  ["postgres://u:s3cret@localhost/a/b", /the name of the database must follow/],
  ["etcd://u:s3cret@localhost/a?s3cret=1", /options after the \? must be ca, cert, key,/],
  ["etcd://u:s3cret@localhost/a?log=b", /options after the \? must be ca, cert, key,/],
  ["etcd://u:s3cret@localhost/a?ca=/a&ca=/b", /each once/],
  ["etcd://u:s3cret@localhost/a?ca=s3cret.pem", /the option ca must be the absolute path/],
  ["etcd://u:s3cret@localhost/a?cert=/s3cret.pem", /cert and key belong together/],
  ["postgres://u:s3cret@localhost/a?log=s3cret/b", /the option log must be a word/],
  ["postgres://u:s3cret@localhost/a?sslmode=s3cret", /sslmode must be disable, require/],
  ["postgres://u:s3cret@a.example.org/a?sslmode=disable", /outside this machine TLS is always on/],
  ["postgres://u:s3cret@a.example.org/a?sslmode=prefer", /outside this machine TLS is always on/],
  ["etcd://a.example.org/b", /put USER:PASSWORD@ before the hosts, or add the options cert and key/],
  ["postgres://localhost,a.example.org/b?ca=/ca.pem", /put USER:PASSWORD@ before the hosts/],
])(
  "the malformed URL %p is refused with the right form, and never with a part of the URL",
  (url, message) => {
    const attempt = () => parseDatabaseUrl(url);
    expect(attempt).toThrow(InvalidDatabaseUrl);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/s3cret/);
  },
);

test("the description has hosts and path, and neither credentials nor options", () => {
  const url = parseDatabaseUrl("etcd://root:word@a.example.org,[::1]:2380/shop?ca=/ca.pem");
  expect(describeDatabaseUrl(url)).toBe("etcd://a.example.org:2379,[::1]:2380/shop");
});

test("a URL that is longer than 4096 characters is refused", () => {
  expect(() => parseDatabaseUrl(`etcd://localhost/${"a/".repeat(2500)}`)).toThrow(/must be written as/);
});
