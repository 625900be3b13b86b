import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Facts, ProgramReport, Workload } from "./facts.ts";
import { rules } from "./all-rules.ts";

const healthy: ProgramReport = {
  problems: [],
  warnings: [],
  advice: { oneHost: [], severalHosts: [{ code: "RATE_LIMIT_ONE_HOST", message: "each host counts" }] },
  settings: { env: "production", workers: 4, trustedProxies: [], shutdownTimeoutSecs: 30 },
  hasReadiness: true,
};

const programWith = (changes: Partial<ProgramReport>): Facts["program"] => ({
  path: "src/main.ts",
  report: { ...healthy, ...changes },
  failure: "",
});

const workload = (changes: Partial<Workload> = {}): Workload => ({
  place: "k8s/app.yaml: Deployment books",
  kind: "kubernetes",
  replicas: 1,
  graceSecs: 60,
  preStopSecs: 5,
  isProbed: true,
  variables: new Map(),
  hasUnknownVariables: false,
  ...changes,
});

const installed = (name: string, version: string, peers: Record<string, string> = {}) => ({
  name: `@framework/${name}`,
  version,
  folder: `/app/node_modules/@framework/${name}`,
  manifest: { peerDependencies: peers },
});

const factsWith = (changes: Partial<Facts>): Facts => ({
  program: programWith({}),
  packages: [installed("core", "1.4.0"), installed("cache", "1.1.0", { "@framework/core": "^1.2.0" })],
  otherCores: [],
  workloads: [workload()],
  others: [],
  proxies: [],
  unreadable: [],
  files: [],
  ...changes,
});

const codesFor = (changes: Partial<Facts>): readonly string[] =>
  rules.flatMap((rule) => rule(factsWith(changes))).map(({ code }) => code);

test("a healthy project has no findings", () => {
  expect(codesFor({})).toEqual([]);
  expect(codesFor({ program: null, workloads: [] })).toEqual([]);
});

test("a warning about the container in which doctor runs is left out", () => {
  const here = { code: "CORE_LOOPBACK_IN_CONTAINER", message: "" };
  expect(codesFor({ program: programWith({ warnings: [here] }) })).toEqual([]);
});

/** Facts with only one mistake, by the code that reports it. */
const mistakes: readonly (readonly [code: string, Partial<Facts>])[] = [
  ["CORE_BAD_CONFIG", { program: programWith({ problems: [{ code: "CORE_BAD_CONFIG", message: "" }] }) }],
  ["AUTH_SHORT_SECRET", { program: programWith({ warnings: [{ code: "AUTH_SHORT_SECRET", message: "" }] }) }],
  ["CLI_NO_REPORT", { program: { path: "main.ts", report: null, failure: "exit code 1" } }],
  ["CLI_NO_PROGRAM", { program: null, missingProgram: "there is no file dist/main.js" }],
  ["RATE_LIMIT_ONE_HOST", { workloads: [workload({ replicas: 2 })] }],
  ["CLI_BAD_MANIFEST", { unreadable: [{ path: "k8s/app.yaml", reason: "it is not valid YAML" }] }],
  [
    "CLI_VERSION_SKEW",
    { packages: [installed("core", "1.1.9"), installed("cache", "1.1.0", { "@framework/core": "^1.2.0" })] },
  ],
  [
    "CLI_VERSION_SKEW",
    { packages: [installed("core", "2.0.0"), installed("cache", "1.1.0", { "@framework/core": "^1.2.0" })] },
  ],
  ["CLI_DUPLICATE_CORE", { otherCores: [installed("core", "1.3.0")] }],
  ["CLI_NO_READINESS", { program: programWith({ hasReadiness: false }) }],
  ["CLI_NO_PROBE", { workloads: [workload({ isProbed: false })] }],
  ["CLI_SHORT_GRACE", { workloads: [workload({ graceSecs: 30, preStopSecs: 0 })] }],
  ["CLI_SHORT_GRACE", { workloads: [workload({ graceSecs: 35, preStopSecs: 5 })] }],
  [
    "CLI_SHORT_GRACE",
    { workloads: [workload({ kind: "compose", graceSecs: 10, preStopSecs: 0, isProbed: null })] },
  ],
  ["CLI_PROXY_UNTRUSTED", { proxies: ["k8s/ingress.yaml: Ingress books"] }],
  ["CLI_WEAK_SECRET", { files: [{ path: ".env", variables: new Map([["JWT_SECRET", "changeme"]]) }] }],
  ["CLI_WEAK_SECRET", { workloads: [workload({ variables: new Map([["JWT_SECRET", "changeme"]]) })] }],
];

test.each(mistakes)("%s is found", (code, changes) => {
  expect(codesFor(changes)).toEqual([code]);
});

test("every rule and every code of a rule is tested", () => {
  for (const rule of rules)
    expect([rule.name, mistakes.some(([, changes]) => rule(factsWith(changes)).length > 0)]).toEqual([
      rule.name,
      true,
    ]);
  const sources = globSync("*.ts", { cwd: import.meta.dirname }).filter((path) => !path.endsWith(".test.ts"));
  const codes = sources.flatMap((path) =>
    Array.from(
      readFileSync(join(import.meta.dirname, path), "utf8").matchAll(/"(CLI_[A-Z_]+)"/g),
      ([, code]) => code,
    ),
  );
  expect(new Set(mistakes.map(([code]) => code).filter((code) => code.startsWith("CLI_")))).toEqual(
    new Set(codes),
  );
});

test.each<[string, Partial<Facts>]>([
  [
    "several replicas with variables from secrets",
    { workloads: [workload({ replicas: 2, hasUnknownVariables: true })] },
  ],
  ["no readiness without an orchestrator", { program: programWith({ hasReadiness: false }), workloads: [] }],
  [
    "a trusted proxy",
    {
      proxies: ["ingress"],
      program: programWith({ settings: { ...healthy.settings, trustedProxies: ["10.0.0.0/8"] } }),
    },
  ],
  ["a grace period longer than drain and hook", { workloads: [workload({ graceSecs: 36, preStopSecs: 5 })] }],
  [
    "replicas of Compose, which share a host",
    { workloads: [workload({ kind: "compose", replicas: 3, isProbed: null })] },
  ],
  [
    "no readiness in development",
    { program: programWith({ hasReadiness: false, settings: { ...healthy.settings, env: "development" } }) },
  ],
  [
    "a peer that is not installed",
    { packages: [installed("cache", "1.0.0", { "@framework/core": "^9.0.0" })] },
  ],
  [
    "workspace ranges",
    {
      packages: [
        installed("core", "0.0.0"),
        installed("cache", "0.0.0", { "@framework/core": "workspace:^" }),
      ],
    },
  ],
])("%s is not a finding", (_description, changes) => {
  expect(codesFor(changes)).toEqual([]);
});

test.each([
  ["JWT_SECRET", "changeme", 1],
  ["JWT_SECRET", "your-secret-key", 1],
  ["DB_PASSWORD", "password123", 1],
  ["API_KEY", "xxxxxxxx", 1],
  ["JWT_SECRET", "0f8fad5bd9cb469fa165708679fe5fb1", 0],
  ["JWT_SECRET", "", 0],
  ["LOG_LEVEL", "test", 0],
  ["TOKEN_HEADER", "secret", 0],
])("%s=%s gives %d findings", (name, value, count) => {
  const files = [{ path: ".env", variables: new Map([[name, value]]) }];
  expect(codesFor({ files })).toEqual(Array(count).fill("CLI_WEAK_SECRET"));
});
