import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const core = join(import.meta.dirname, "..");

/** Writes a program that runs an app with a feature that warns and advises. Returns the path of the program. */
const program = (options: string, routes = ""): string => {
  const path = join(mkdtempSync(join(tmpdir(), "check-")), "main.ts");
  writeFileSync(
    path,
    `import { App } from ${JSON.stringify(join(core, "index.ts"))};
const sample = { name: "sample", install: (host) => ({ enableSample() {
  host.warn({ code: "SAMPLE_WARNING", message: "sample warning" });
  host.advise(({ severalHosts, sharedPorts }) => severalHosts ? [{ code: "SAMPLE_ADVICE", message: "shared: " + sharedPorts.join() }] : []);
  return this;
} }) };
const app = new (App.with(sample))().enableSample();
app.onEvent("startup", () => { console.log("started"); });
${routes}
await app.run(${options});
`,
  );
  return path;
};

const { PATH, NODE_COMPILE_CACHE } = process.env; // the cache holds the compiled sources
const env = { PATH, NODE_COMPILE_CACHE, FRAMEWORK_ENV: "production", HOST: "127.0.0.1" }; // the default host causes a warning in a container

test("--check prints settings, warnings and advice, and starts nothing", () => {
  const path = program(
    '{ port: 9123, workers: 3, cluster: { shutdownTimeoutSecs: 12 }, trustedProxies: ["10.0.0.0/8"] }',
  );
  const output = execFileSync(process.execPath, [path, "--check"], { encoding: "utf8", env });
  expect(JSON.parse(output)).toEqual({
    event: "check",
    problems: [],
    warnings: [{ code: "SAMPLE_WARNING", message: "sample warning" }],
    advice: { oneHost: [], severalHosts: [{ code: "SAMPLE_ADVICE", message: "shared: " }] },
    settings: {
      env: "production",
      debug: false,
      host: "127.0.0.1",
      port: 9123,
      workers: 3,
      trustedProxies: ["10.0.0.0/8"],
      shutdownTimeoutSecs: 12,
      readinessDelaySecs: null,
      tls: false,
    },
    routes: 0,
    features: ["sample"],
    hasReadiness: false,
  });
});

test("--check prints every problem of the settings and the app, and exits with code 1", () => {
  const path = program("{ workers: -1 }", 'app.get("/a", () => 1); app.get("/a", () => 2);');
  const { status, stdout } = spawnSync(process.execPath, [path, "--check"], { encoding: "utf8", env });
  const { problems } = JSON.parse(stdout) as { problems: { code: string }[] };
  expect([status, problems.map(({ code }) => code)]).toEqual([
    1,
    ["CORE_BAD_SETTING", "CORE_ROUTE_DUPLICATE"],
  ]);
});

test("--check also prints the warnings about settings", () => {
  const path = program("{ debug: true }");
  const output = execFileSync(process.execPath, [path, "--check"], { encoding: "utf8", env });
  const { warnings } = JSON.parse(output) as { warnings: { code: string }[] };
  expect(warnings.map(({ code }) => code)).toEqual(["CORE_DEBUG_IN_PRODUCTION", "SAMPLE_WARNING"]);
});
