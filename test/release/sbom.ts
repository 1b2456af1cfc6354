/** What bun.lock says of a package: name with version, registry, what it needs, and its hash. */
type LockEntry = readonly [
  id: string,
  registry: string,
  needs: { dependencies?: Readonly<Record<string, string>> },
  integrity: string,
];

/** The parts of bun.lock that an SBOM needs. */
export interface Lockfile {
  workspaces: Readonly<Record<string, { dependencies?: Readonly<Record<string, string>> }>>;
  packages: Readonly<Record<string, LockEntry>>;
}

export interface Program {
  name: string;
  version: string;
  description: string;
  license: string;
  /** The runtime that the executable contains. */
  bun: string;
}

/** A key of `packages` as the names of packages: `a/@b/c` is `a` and in it `@b/c`. */
const namesOf = (key: string): string[] => key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];

/** The key of the package that `name` means inside the package of this key: the nearest, as Node resolves it. */
const resolve = (lock: Lockfile, key: string, name: string): string | undefined => {
  const names = namesOf(key);
  for (let depth = names.length; depth >= 0; depth--) {
    const candidate = [...names.slice(0, depth), name].join("/");
    if (candidate in lock.packages) return candidate;
  }
};

const needsOf = (lock: Lockfile, key: string): string[] => {
  const needs = key === "" ? lock.workspaces[""]?.dependencies : lock.packages[key]?.[2].dependencies;
  return Object.keys(needs ?? {}).flatMap((name) => resolve(lock, key, name) ?? []);
};

/** The keys of all packages that the program needs at run time. */
const reachable = (lock: Lockfile): string[] => {
  const found = new Set<string>();
  const visit = (key: string) => {
    for (const need of needsOf(lock, key)) {
      if (found.has(need)) continue;
      found.add(need);
      visit(need);
    }
  };
  visit("");
  return [...found].toSorted();
};

/** `@a/b@1.0.0` as name and version. */
const splitId = (id: string): { name: string; version: string } => {
  const at = id.lastIndexOf("@");
  return { name: id.slice(0, at), version: id.slice(at + 1) };
};

/** The address of an npm package: https://github.com/package-url/purl-spec */
const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

const hashOf = (integrity: string) => ({
  alg: "SHA-512",
  content: Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex"),
});

/** An SPDX identifier, or an expression of several. */
const licenseOf = (license: string) =>
  /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];

/**
 * A CycloneDX 1.6 document: the program, its runtime, and every package in the executable. The same input gives the same bytes.
 * @param licenseOfPackage the SPDX license of the package with this key; undefined if it names none
 */
export const createSbom = (
  { name, version, description, license, bun }: Program,
  lock: Lockfile,
  licenseOfPackage: (key: string) => string | undefined,
) => {
  const own = `pkg:generic/${name}@${version}`;
  const runtime = `pkg:github/oven-sh/bun@bun-v${bun}`;
  const refOf = (key: string) => purlOf(splitId(lock.packages[key]?.[0] ?? ""));
  // The same version of a package can be in the lock file at several places.
  const byRef = new Map(reachable(lock).map((key) => [refOf(key), key]));
  const components = [...byRef].map(([ref, key]) => {
    const [id = "", , , integrity = ""] = lock.packages[key] ?? [];
    const spdx = licenseOfPackage(key);
    return {
      type: "library",
      "bom-ref": ref,
      ...splitId(id),
      hashes: [hashOf(integrity)],
      ...(spdx !== undefined && { licenses: licenseOf(spdx) }),
      purl: ref,
    };
  });
  const refsOf = (key: string) => [...new Set(needsOf(lock, key).map(refOf))].toSorted();
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name,
        version,
        description,
        licenses: licenseOf(license),
        purl: own,
      },
    },
    components: [
      {
        type: "platform",
        "bom-ref": runtime,
        name: "bun",
        version: bun,
        licenses: licenseOf("MIT"),
        purl: runtime,
      },
      ...components,
    ],
    dependencies: [
      { ref: own, dependsOn: [runtime, ...refsOf("")] },
      { ref: runtime, dependsOn: [] },
      ...[...byRef].map(([ref, key]) => ({ ref, dependsOn: refsOf(key) })),
    ],
  };
};
