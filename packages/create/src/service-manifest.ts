import { readFileSync } from "node:fs";
import type { Variant } from "./variant.ts";

/** Dependencies and development dependencies of a service. */
const packages: Readonly<
  Record<Variant, { readonly run: readonly string[]; readonly develop: readonly string[] }>
> = {
  minimal: { run: ["@framework/core"], develop: ["@types/node", "typescript"] },
  full: {
    run: [
      "@framework/auth",
      "@framework/compression",
      "@framework/config",
      "@framework/core",
      "@framework/cors",
      "@framework/database",
      "@framework/health",
      "@framework/logging",
      "@framework/metrics",
      "@framework/openapi",
      "@framework/rate-limit",
      "@framework/redis",
      "@framework/request-id",
      "@framework/security",
      "zod",
    ],
    develop: ["@framework/cli", "@framework/client", "@framework/testing", "@types/node", "typescript"],
  },
};

const scripts: Readonly<Record<Variant, Readonly<Record<string, string>>>> = {
  minimal: {
    start: "node src/main.ts",
    dev: "node src/main.ts --reload",
    test: "node --test",
    check: "tsc",
  },
  full: {
    start: "node src/main.ts",
    dev: "framework dev",
    test: "node --test",
    check: "tsc",
    client: "framework client src/api-client.ts",
    doctor: "framework doctor",
    "write-env": "node src/write-env.ts",
    "env-example": "node src/write-env-example.ts",
    token: "node src/token.ts",
  },
};

/** Returns the package.json of a new service. */
export const serviceManifest = (name: string, variant: Variant): string => {
  const { run, develop } = packages[variant];
  const versions = releasedVersions();
  const pick = (names: readonly string[]): object =>
    Object.fromEntries(names.map((each) => [each, versions[each]]));
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: scripts[variant],
    dependencies: pick(run),
    devDependencies: pick(develop),
    engines: { node: ">=24" },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
};

/**
 * Returns the versions with which this release was built and tested: ranges for the framework's packages, exact versions for others. They are the
 * devDependencies of this package, whose workspace ranges are replaced by versions when it is packed.
 */
const releasedVersions = (): Readonly<Record<string, string>> =>
  (
    JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    }
  ).devDependencies;
