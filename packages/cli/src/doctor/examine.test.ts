import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { runCli } from "../run-cli.test-kit.ts";
import { plainEnvironment } from "../plain-environment.test-kit.ts";
import { runCliJson } from "../run-cli.test-kit.ts";

const root = join(import.meta.dirname, "../../../..");

interface Examined {
  readonly findings: readonly { readonly code: string; readonly message: string }[];
  readonly workloads: readonly string[];
}

/** Creates a project folder with files. */
const project = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};

const program = `import { App } from ${JSON.stringify(join(root, "packages/core/src/index.ts"))};
await new App().run({ cluster: { shutdownTimeoutSecs: 20 } });`;

const examine = (cwd: string) => runCliJson<Examined>(["doctor"], { cwd, environment: plainEnvironment });

test("program, manifests and .env files of a project are read", async () => {
  const cwd = project({
    "package.json": JSON.stringify({
      type: "module",
      scripts: { start: "node --enable-source-maps src/serve.ts" },
    }),
    "src/serve.ts": program,
    ".env": "JWT_SECRET=changeme\n",
    "k8s/app.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: 3
  template:
    spec:
      terminationGracePeriodSeconds: 22
      containers:
        - name: shop
          image: registry.example/shop:1
          ports: [{ containerPort: 8000 }]
          readinessProbe: { httpGet: { path: /health/ready, port: 8000 } }
          env: [{ name: ADMIN_PASSWORD, value: admin }]
          lifecycle: { preStop: { exec: { command: [sleep, "5"] } } }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: shop }
---
{{ template: of helm }}
`,
    "compose.yaml": `services:
  shop: { build: ., stop_grace_period: 1m }
  store: { image: "postgres:18", environment: { POSTGRES_PASSWORD: postgres } }
`,
    "folder.yml/.env.local/readme": "a folder with the name of a file",
    ".env.production/readme": "",
    "other.yml": "just: data\n",
    "broken.yml": "a: [",
  });
  const { findings, workloads } = await examine(cwd);
  expect(workloads).toEqual(["compose.yaml: service shop", "k8s/app.yaml: Deployment shop"]);
  expect(findings.map(({ code, message }) => [code, message.split(" is ")[0]?.split(";")[0]])).toEqual([
    ["CLI_WEAK_SECRET", "JWT_SECRET in .env"],
    ["CLI_WEAK_SECRET", "ADMIN_PASSWORD in k8s/app.yaml: Deployment shop"],
    ["CLI_NO_READINESS", "the app has no readiness check"],
    ["CLI_SHORT_GRACE", "k8s/app.yaml: Deployment shop"],
    ["CLI_PROXY_UNTRUSTED", "k8s/app.yaml: Ingress shop"],
  ]);
});

test("with Services in the manifests, a pod without ports needs a probe if one of them selects it", async () => {
  const deployment = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    metadata: { labels: { app: ${name}, tier: back } }
    spec: { containers: [{ image: ${name} }] }
---
`;
  const cwd = project({
    "k8s/all.yaml": `${deployment("shop")}${deployment("worker")}apiVersion: v1
kind: Service
metadata: { name: shop }
spec: { selector: { app: shop, tier: back }, ports: [{ port: 80 }] }
`,
  });
  const { findings, workloads } = await examine(cwd);
  expect(workloads).toEqual(["k8s/all.yaml: Deployment shop", "k8s/all.yaml: Deployment worker"]);
  expect(findings.map(({ code, message }) => [code, message.split(";")[0]])).toEqual([
    ["CLI_NO_PROBE", "k8s/all.yaml: Deployment shop has no readinessProbe"],
  ]);
});

test("containers without ports, lists, jobs and init containers are examined", async () => {
  const env = (name: string) => `env: [{ name: ${name}, value: changeme }]`;
  const cwd = project({
    "k8s/all.yaml": `apiVersion: v1
kind: List
items:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: { name: shop }
    spec:
      replicas: 3
      template:
        spec:
          initContainers: [{ name: tables, image: shop, ${env("INIT_TOKEN")} }]
          containers: [{ name: shop, image: shop, ${env("JWT_SECRET")} }]
  - apiVersion: batch/v1
    kind: CronJob
    metadata: { name: night }
    spec: { jobTemplate: { spec: { template: { spec: { containers: [{ image: shop, ${env("NIGHT_TOKEN")} }] } } } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: mail }
spec:
  template:
    spec:
      containers:
        - { image: mail, ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { path: /health/ready } } }
        - { image: shipper, ${env("SHIPPER_TOKEN")} }
`,
  });
  const { findings, workloads } = await examine(cwd);
  expect(workloads).toEqual(["k8s/all.yaml: Deployment shop", "k8s/all.yaml: Deployment mail"]);
  expect(findings.map(({ code, message }) => [code, message.split(/ is |;/)[0]])).toEqual([
    ["CLI_WEAK_SECRET", "JWT_SECRET in k8s/all.yaml: Deployment shop"],
    ["CLI_WEAK_SECRET", "INIT_TOKEN in k8s/all.yaml: Deployment shop"],
    ["CLI_WEAK_SECRET", "NIGHT_TOKEN in k8s/all.yaml: CronJob night"],
    ["CLI_WEAK_SECRET", "SHIPPER_TOKEN in k8s/all.yaml: Deployment mail"],
    ["CLI_NO_PROBE", "k8s/all.yaml: Deployment shop has no readinessProbe"],
  ]);
});

test("only the variables of a patch are examined, because its containers have no image", async () => {
  const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: shop }\n";
  const probe = "readinessProbe: { httpGet: { path: /health/ready } }";
  const cwd = project({
    "k8s/base/app.yaml": `${deployment}spec: { template: { spec: { containers: [{ name: shop, image: shop, ${probe} }] } } }`,
    "k8s/overlays/prod/patch.yaml": `${deployment}spec:
  replicas: 5
  template: { spec: { containers: [{ name: shop, env: [{ name: JWT_SECRET, value: changeme }] }] } }`,
  });
  const { findings, workloads } = await examine(cwd);
  expect(workloads).toEqual(["k8s/base/app.yaml: Deployment shop"]);
  expect(findings.map(({ code, message }) => [code, message.split(" is ")[0]])).toEqual([
    ["CLI_WEAK_SECRET", "JWT_SECRET in k8s/overlays/prod/patch.yaml: Deployment shop"],
  ]);
});

test.each([
  [
    "a manifest that is not YAML",
    "apiVersion: apps/v1\nkind: Deployment\n  bad indent: [\n",
    "it is not valid YAML: ",
  ],
  ["a tab as indentation", "services:\n\tshop:\n\t\timage: x\n", "it is not valid YAML: "],
  ["a manifest above 1 MiB", `apiVersion: v1\n#${"x".repeat(1_048_576)}`, "it is larger than 1048576 bytes"],
])("%s is a finding", async (_, text, reason) => {
  const { findings } = await examine(project({ "deploy/app.yaml": text }));
  expect(findings).toEqual([
    {
      code: "CLI_BAD_MANIFEST",
      message: expect.stringContaining(`deploy/app.yaml was not checked: ${reason}`),
    },
  ]);
});

test("a program that fails before run is a finding with its error message", async () => {
  const cwd = project({ "main.ts": 'throw new Error("DATABASE_URL is missing");' });
  const { findings } = await examine(cwd);
  expect(findings).toEqual([
    { code: "CLI_NO_REPORT", message: expect.stringContaining("Error: DATABASE_URL is missing") },
  ]);
});

const END = 'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);';

test.each([
  ["is ended by a signal", END, "60", "ended by signal SIGTERM"],
  [
    "is ended by a signal after a message",
    `console.error("no memory"); ${END}`,
    "60",
    "ended by signal SIGTERM: no memory",
  ],
  ["does not end", "setInterval(() => {}, 1000);", "1", "no end within 1 s"],
])("a program that %s is a finding with this reason", async (_, text, timeoutSecs, reason) => {
  const { findings } = await runCliJson<Examined>(["doctor", "--timeout", timeoutSecs], {
    cwd: project({ "main.ts": text }),
    environment: plainEnvironment,
  });
  expect(findings).toEqual([
    { code: "CLI_NO_REPORT", message: `main.ts --check printed no report: ${reason}` },
  ]);
});

test("a project without a program has no findings about it", async () => {
  expect(await examine(project({ "package.json": "{}" }))).toMatchObject({ findings: [] });
});

test.each([
  ["node dist/main.js", "there is no file dist/main.js in "],
  ["docker compose up", "the script start of package.json runs no module: docker compose up"],
])("a start script without a program that doctor can run is a finding: %s", async (start, problem) => {
  const { findings } = await examine(project({ "package.json": JSON.stringify({ scripts: { start } }) }));
  expect(findings).toEqual([{ code: "CLI_NO_PROGRAM", message: expect.stringContaining(problem) }]);
  expect(findings[0]?.message).toMatch(/; name it: framework doctor src\/main\.ts$/);
});

test("the program of a start script with variables, a build and arguments is checked", async () => {
  const cwd = project({
    "package.json": JSON.stringify({
      type: "module",
      scripts: { start: 'npm run build && A=1 node "my app.ts" --settings conf.js' },
    }),
    "my app.ts": 'throw new Error("started");',
    "conf.js": "",
  });
  const { findings } = await examine(cwd);
  expect(findings.map(({ code, message }) => [code, message])).toEqual([
    ["CLI_NO_REPORT", expect.stringContaining("my app.ts --check printed no report")],
  ]);
});

test("a missing program that the command line names is an error", async () => {
  const { exitCode, err } = await runCli(["doctor", "src/nope.ts"], {
    cwd: project({ "package.json": "{}" }),
  });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("there is no file src/nope.ts")]);
});

const doctor = (cwd: string, ...words: readonly string[]) =>
  spawnSync(
    process.execPath,
    ["--conditions=@framework/source", join(root, "packages/cli/src/main.ts"), "doctor", "--json", ...words],
    { cwd, encoding: "utf8", timeout: 120_000, env: plainEnvironment },
  );

test("a finding gives exit code 1, and can be ignored", () => {
  const cwd = project({ "main.ts": 'throw new Error("DATABASE_URL is missing");' });
  expect(doctor(cwd).status).toBe(1);
  expect(doctor(cwd, "--ignore", "CLI_NO_REPORT").status).toBe(0);
});

test("a folder without anything to examine is refused", async () => {
  const { exitCode, err } = await runCli(["doctor"], { cwd: project({}), environment: plainEnvironment });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("nothing to examine in")]);
});
